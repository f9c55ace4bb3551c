package io.tunnel.cli;

import com.google.gson.JsonObject;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes a table. */
@Command(
    name = "drop",
    mixinStandardHelpOptions = true,
    description = "Delete a table with all its rows, changes and tunnels, for good.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables drop --table orders --yes")
final class DropTableCommand extends TableCommand {

  @Option(names = "--yes", description = "Really do it; without it nothing is dropped.")
  private boolean yes;

  /** For picocli. */
  DropTableCommand() {}

  @Override
  void run(Tables tables) {
    if (!yes) {
      throw CommandFailure.usage(whatWouldBeLost(tables.describe(table())));
    }
    tables.drop(table());
    print(this::json, () -> List.of("table " + table() + " dropped"));
  }

  private JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("dropped", table());
    return json;
  }

  private static String whatWouldBeLost(TableDescription table) {
    long rows = table.partitions().stream().mapToLong(PartitionDescription::rowCount).sum();
    return "table '"
        + table.meta().name()
        + "' has about "
        + Human.count(rows)
        + " rows in "
        + table.partitions().size()
        + " partitions, and they would be lost for good: add --yes to drop it";
  }
}
