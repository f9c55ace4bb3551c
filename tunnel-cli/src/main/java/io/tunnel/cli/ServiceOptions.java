package io.tunnel.cli;

import io.tunnel.terminal.ServerOption;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every command that asks a server can be told. */
final class ServiceOptions {

  @Mixin private ServerOption server;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  /** For picocli. */
  ServiceOptions() {}

  String endpoint() {
    return server.endpoint();
  }

  boolean isJson() {
    return json;
  }
}
