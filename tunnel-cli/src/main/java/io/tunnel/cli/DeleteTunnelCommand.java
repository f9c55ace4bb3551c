package io.tunnel.cli;

import com.google.gson.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;

/** Deletes a tunnel. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description = "Delete a tunnel and its checkpoints; its workers stop. The table stays.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels delete --table orders --tunnel audit")
final class DeleteTunnelCommand extends OneTunnelCommand {

  /** For picocli. */
  DeleteTunnelCommand() {}

  @Override
  void run(Tunnels tunnels) {
    tunnels.delete(table(), tunnel());
    print(this::deleted, () -> List.of(name() + " deleted"));
  }

  private JsonObject deleted() {
    JsonObject json = new JsonObject();
    json.addProperty("deleted", tunnel());
    json.addProperty("table", table());
    return json;
  }
}
