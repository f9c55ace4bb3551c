package io.tunnel.terminal.options;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command that asks a server can be told: where it is, and to answer in JSON. */
public final class ServiceOptions {

  @Mixin private ServerOption server;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  /** For picocli. */
  public ServiceOptions() {}

  /** Where the server is, as {@link ServerOption#endpoint()} reads it. */
  public String endpoint() {
    return server.endpoint();
  }

  /** Whether the answer is for a program. */
  public boolean isJson() {
    return json;
  }
}
