package io.tunnel.cli;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.terminal.CommandFailure;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints one row. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = "Print the row of a key. INTEGER in decimal, STRING as it is, BINARY in hex.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables get --table orders --key hash=00c0ffee --key uid=alice")
final class GetRowCommand extends TableCommand {

  @Option(
      names = "--key",
      required = true,
      paramLabel = "NAME=VALUE",
      description = "A column of the key; give each.")
  private Map<String, String> key;

  /** For picocli. */
  GetRowCommand() {}

  @Override
  void run(Tables tables) {
    PrimaryKey wanted = KeyArguments.whole(tables.describe(table()).meta().primaryKey(), key);
    Optional<Row> row = tables.get(table(), wanted);
    if (row.isEmpty()) {
      throw CommandFailure.failed("table '" + table() + "' has no row with the key " + wanted);
    }
    print(() -> RowReport.json(row.get()), () -> RowReport.lines(row.get()));
  }
}
