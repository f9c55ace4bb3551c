package io.tunnel.cli.tables;

import io.tunnel.cli.arguments.KeyOption;
import io.tunnel.cli.arguments.ReadModeOption;
import io.tunnel.cli.arguments.SelectionOptions;
import io.tunnel.cli.arguments.TypedKey;
import io.tunnel.cli.rows.RowReport;
import io.tunnel.cli.service.Service;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints one row. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = "Print the row of a key. INTEGER in decimal, STRING as it is, BINARY in hex.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables get --table users --key uid=alice",
      "  tunnel tables get --table users --key hash=00c0ffee --key uid=alice",
      "  tunnel tables get --table orders --key id=7 --where 'state = \"open\"' --columns price"
          + " --commit-time"
    })
final class GetRowCommand extends TableCommand {

  @Mixin private KeyOption key;

  @Mixin private SelectionOptions selection;

  @Mixin private ReadModeOption mode;

  /** For picocli. */
  GetRowCommand() {}

  @Override
  protected void check() {
    super.check();
    key.requireGiven();
    selection.check();
  }

  @Override
  protected void run(Service service) {
    List<PrimaryKeySchema> schema = service.describeTable(table()).meta().primaryKey();
    TypedKey wanted = key.in(schema);
    Optional<Row> row = service.getRow(table(), wanted.key(), selection.of(schema), mode.mode());
    if (row.isEmpty()) {
      throw new CommandFailure(
          ExitCode.NO_ROW,
          wanted.notFound(table())
              + (selection.hasCondition() ? "; or --where does not hold of the row" : ""));
    }
    print(() -> TypedJson.of(row.get()), () -> RowReport.lines(row.get()));
  }
}
