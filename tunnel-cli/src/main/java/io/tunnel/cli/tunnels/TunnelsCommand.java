package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceGroup;
import io.tunnel.terminal.Prompt;
import java.util.Objects;
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
public final class TunnelsCommand extends ServiceGroup<Tunnels> {

  private final Prompt prompt;

  /** For picocli: the command on real servers. */
  public TunnelsCommand() {
    this(SdkTunnels::connect, Prompt.terminal());
  }

  public TunnelsCommand(Service.Connector<Tunnels> connector, Prompt prompt) {
    super(connector);
    this.prompt = Objects.requireNonNull(prompt, "prompt");
  }

  Prompt prompt() {
    return prompt;
  }
}
