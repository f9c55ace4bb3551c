package io.tunnel.cli.tunnels;

import io.tunnel.model.Names;
import io.tunnel.terminal.CommandFailure;
import picocli.CommandLine.Option;

/** The option {@code --tunnel}. */
final class TunnelOption {

  @Option(
      names = "--tunnel",
      required = true,
      paramLabel = "TUNNEL",
      description = "The tunnel's name, as its table knows it.")
  private String tunnel;

  /** For picocli. */
  TunnelOption() {}

  /** The name; a usage error when no tunnel can be called so. */
  String name() {
    return CommandFailure.checkUsage(() -> Names.requireResourceName("tunnel", tunnel));
  }
}
