package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts the delivery of channels. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description =
        "Deliver a tunnel, or some channels, again; channels that an error has stopped go on too.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels resume --table orders --tunnel audit",
      "  tunnel tunnels resume --table orders --tunnel audit --channel 3_t2-hocsxhp1uj"
    })
final class ResumeCommand extends OneTunnelCommand {

  @Mixin private ChannelsOption channels;

  /** For picocli. */
  ResumeCommand() {}

  @Override
  protected void run(Service service) {
    service.resumeTunnel(table(), tunnel(), channels.ids());
    print(() -> channels.addTo(json(), "resumed"), () -> List.of(channels.of(name()) + " resumed"));
  }
}
