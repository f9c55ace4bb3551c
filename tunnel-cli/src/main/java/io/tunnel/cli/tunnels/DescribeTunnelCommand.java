package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.WatchOptions;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows a tunnel, once or again and again. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show the channels of a tunnel, who holds them, and how far they are behind.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels describe --table orders --tunnel audit",
      "  tunnel tunnels describe --table orders --tunnel audit --watch 1s"
    })
final class DescribeTunnelCommand extends OneTunnelCommand {

  @Mixin private WatchOptions watch;

  /** For picocli. */
  DescribeTunnelCommand() {}

  @Override
  protected void check() {
    super.check();
    watch.check();
  }

  @Override
  protected void run(Service service) throws InterruptedException {
    watch.show(
        out(),
        isJson(),
        columnsMax -> lines(service.describeTunnel(table(), tunnel()), columnsMax));
  }

  private List<String> lines(DescribeTunnelResponse described, int columnsMax) {
    return isJson()
        ? List.of(TunnelJson.json(described).toString())
        : TunnelReport.lines(described, columnsMax);
  }
}
