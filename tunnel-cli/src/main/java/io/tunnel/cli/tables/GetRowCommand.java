package io.tunnel.cli.tables;

import io.tunnel.cli.arguments.KeyOption;
import io.tunnel.cli.arguments.TypedKey;
import io.tunnel.cli.service.Service;
import io.tunnel.model.Row;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
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
      "  tunnel tables get --table users --key hash=00c0ffee --key uid=alice"
    })
final class GetRowCommand extends TableCommand {

  @Mixin private KeyOption key;

  @Mixin private ReadModeOption mode;

  /** For picocli. */
  GetRowCommand() {}

  @Override
  protected void check() {
    super.check();
    key.requireGiven();
  }

  @Override
  protected void run(Service service) {
    TypedKey wanted = key.in(service.describeTable(table()).meta().primaryKey());
    Optional<Row> row = service.getRow(table(), wanted.key(), mode.mode());
    if (row.isEmpty()) {
      throw new CommandFailure(ExitCode.NO_ROW, wanted.notFound(table()));
    }
    print(() -> TypedJson.of(row.get()), () -> RowReport.lines(row.get()));
  }
}
