package io.tunnel.cli.tunnels;

import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** Creates and deletes tunnels, shows how far they are, and moves them. */
@Command(
    name = "tunnels",
    mixinStandardHelpOptions = true,
    description = "Create, watch, pause, move and delete tunnels.",
    subcommands = {
      ListTunnelsCommand.class,
      DescribeTunnelCommand.class,
      CreateTunnelCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      SeekCommand.class,
      ExportCommand.class,
      ImportCommand.class,
      CloneCommand.class,
      EndSessionCommand.class,
      DeleteTunnelCommand.class
    })
public final class TunnelsCommand extends CommandGroup {

  /** For picocli. */
  public TunnelsCommand() {}
}
