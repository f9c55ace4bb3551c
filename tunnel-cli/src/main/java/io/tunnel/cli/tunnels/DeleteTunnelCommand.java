package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.options.ConfirmOption;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes a tunnel. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description = {
      "Delete a tunnel and its checkpoints; its workers stop. The table stays.",
      "First it says what would be lost; 'tunnel tunnels export' keeps the checkpoints."
    },
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels delete --table orders --tunnel audit --yes")
final class DeleteTunnelCommand extends OneTunnelCommand {

  @Mixin private ConfirmOption confirm;

  /** For picocli. */
  DeleteTunnelCommand() {}

  @Override
  protected void run(Service service) {
    if (!confirm.isGiven()) {
      err().println(whatWouldBeLost(service.describeTunnel(table(), tunnel())));
      err().flush();
      confirm.require(isJson(), "nothing was deleted");
    }
    service.deleteTunnel(table(), tunnel());
    print(this::deleted, () -> List.of(name() + " deleted"));
  }

  private String whatWouldBeLost(DescribeTunnelResponse tunnel) {
    int sessions = tunnel.sessionInfos().size();
    return name()
        + " has "
        + Human.counted(tunnel.getChannelInfos().size(), "channel")
        + ", behind by "
        + TunnelReport.rows(tunnel)
        + "; its checkpoints would be lost for good"
        + (sessions == 0 ? "" : ", and " + Human.counted(sessions, "session") + " would end");
  }

  private JsonObject deleted() {
    JsonObject json = new JsonObject();
    json.addProperty("deleted", tunnel());
    json.addProperty("table", table());
    return json;
  }
}
