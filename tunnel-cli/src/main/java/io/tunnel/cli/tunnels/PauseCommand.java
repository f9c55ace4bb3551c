package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops the delivery of channels. */
@Command(
    name = "pause",
    mixinStandardHelpOptions = true,
    description = "Stop the delivery of a tunnel, or of some channels, until it is resumed.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels pause --table orders --tunnel audit",
      "  tunnel tunnels pause --table orders --tunnel audit --channel 3_t2-hocsxhp1uj"
    })
final class PauseCommand extends OneTunnelCommand {

  @Mixin private ChannelsOption channels;

  /** For picocli. */
  PauseCommand() {}

  @Override
  protected void run(Service service) {
    service.pauseTunnel(table(), tunnel(), channels.ids());
    print(() -> channels.addTo(json(), "paused"), () -> List.of(channels.of(name()) + " paused"));
  }
}
