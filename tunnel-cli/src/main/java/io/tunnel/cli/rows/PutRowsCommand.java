package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes whole rows. */
@Command(
    name = "put",
    mixinStandardHelpOptions = true,
    description = {
      "Write a row: it has these columns then, and no others. Or write the rows of a file.",
      "A line of the file that says its kind, as those of 'tail --json' do, is applied as that."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables put --table users --key id=7 --set name=Ada --set age:INTEGER=36",
      "  tunnel tables scan --table users --limit all --json | tunnel tables put --table copy --from -"
    })
public final class PutRowsCommand extends RowsCommand {

  @Option(
      names = "--set",
      paramLabel = "NAME[:TYPE]=VALUE",
      description =
          "A column. TYPE is INTEGER, DOUBLE, BOOLEAN, STRING or BINARY (hexadecimal); without it"
              + " the value is what it looks like.")
  private List<String> set = List.of();

  @Option(
      names = "--if-absent",
      description = "Only if there is no row with that key; it is rejected otherwise.")
  private boolean ifAbsent;

  /** For picocli: the command on real servers. */
  public PutRowsCommand() {
    this(TableClient::connect);
  }

  PutRowsCommand(Function<String, TableClient> connect) {
    super(connect);
  }

  @Override
  String done() {
    return "written";
  }

  @Override
  RowExistenceExpectation condition() {
    return ifAbsent ? RowExistenceExpectation.EXPECT_NOT_EXIST : super.condition();
  }

  @Override
  void check(boolean isOfFile) {
    if (isOfFile && !set.isEmpty()) {
      throw CommandFailure.usage("--set is of one row: the columns of --from are in the file");
    }
    if (ifAbsent && isIfExists()) {
      throw CommandFailure.usage("--if-exists and --if-absent exclude each other");
    }
    CommandFailure.checkUsage(() -> SetColumns.parse(set));
  }

  @Override
  RowChange one(PrimaryKey key) {
    return new RowPutChange(key, SetColumns.parse(set), condition());
  }

  @Override
  RowChange of(RowChange read) {
    if (read instanceof RowPutChange put) {
      return new RowPutChange(put.primaryKey(), put.columns(), condition());
    } else if (read instanceof RowUpdateChange update) {
      return new RowUpdateChange(update.primaryKey(), update.updates(), condition());
    }
    return new RowDeleteChange(read.primaryKey(), condition());
  }
}
