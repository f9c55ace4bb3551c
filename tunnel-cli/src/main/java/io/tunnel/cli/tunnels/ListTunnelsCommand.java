package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.model.Names;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists tunnels. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "List the tunnels of one table or of all.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels list --table orders")
final class ListTunnelsCommand extends ServiceCommand {

  @Option(names = "--table", paramLabel = "TABLE", description = "Only those of this table.")
  private String table;

  /** For picocli. */
  ListTunnelsCommand() {}

  @Override
  protected void check() {
    if (table != null) {
      var unused = CommandFailure.checkUsage(() -> Names.requireResourceName("table", table));
    }
  }

  @Override
  protected void run(Service service) {
    List<TunnelInfo> found = service.listTunnels(Optional.ofNullable(table));
    print(() -> TunnelJson.json(found), () -> TunnelReport.lines(found));
  }
}
