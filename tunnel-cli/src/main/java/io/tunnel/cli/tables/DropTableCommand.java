package io.tunnel.cli.tables;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.options.ConfirmOption;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes a table. */
@Command(
    name = "drop",
    mixinStandardHelpOptions = true,
    description = {
      "Delete a table with all its rows, changes and tunnels, for good.",
      "First it says what would be lost."
    },
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables drop --table orders --yes")
final class DropTableCommand extends TableCommand {

  @Mixin private ConfirmOption confirm;

  /** For picocli. */
  DropTableCommand() {}

  @Override
  protected void run(Service service) {
    if (!confirm.isGiven()) {
      err().println(whatWouldBeLost(service.describeTable(table())));
      err().flush();
      confirm.require(isJson(), "nothing was dropped");
    }
    service.dropTable(table());
    print(this::json, () -> List.of("table " + table() + " dropped"));
  }

  private JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("dropped", table());
    return json;
  }

  private static String whatWouldBeLost(TableInfo table) {
    long rows =
        table.partitions().stream()
            .flatMap(partition -> partition.figures().stream())
            .mapToLong(PartitionFigures::rowCount)
            .sum();
    return "table '"
        + table.meta().name()
        + "' has about "
        + Human.counted(rows, "row")
        + " in "
        + Human.counted(table.partitions().size(), "partition")
        + "; they would be lost for good, with their changes and the table's tunnels";
  }
}
