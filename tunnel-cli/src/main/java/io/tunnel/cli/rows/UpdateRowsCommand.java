package io.tunnel.cli.rows;

import io.tunnel.model.ColumnUpdate;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Changes columns of rows. */
@Command(
    name = "update",
    mixinStandardHelpOptions = true,
    description =
        "Set and remove columns of a row, and leave its others; a row that does not exist is"
            + " created. Or set those that the rows of a file have.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables update --table users --key id=7 --set age:INTEGER=37 --unset note --if-exists",
      "  tunnel tables update --table users --from ages.csv"
    })
public final class UpdateRowsCommand extends RowsCommand {

  @Option(
      names = "--set",
      paramLabel = "NAME[:TYPE]=VALUE",
      description =
          "A column. TYPE is INTEGER, DOUBLE, BOOLEAN, STRING or BINARY (hexadecimal); without it"
              + " the value is what it looks like.")
  private List<String> set = List.of();

  @Option(
      names = "--unset",
      paramLabel = "NAME",
      split = ",",
      description = "A column that is removed.")
  private List<String> unset = List.of();

  @Option(
      names = "--if-absent",
      description = "Only if there is no row with that key; it is rejected otherwise.")
  private boolean ifAbsent;

  /** For picocli: the command on real servers. */
  public UpdateRowsCommand() {
    this(TableClient::connect);
  }

  UpdateRowsCommand(Function<String, TableClient> connect) {
    super(connect);
  }

  @Override
  String done() {
    return "updated";
  }

  @Override
  RowExistenceExpectation condition() {
    return ifAbsent ? RowExistenceExpectation.EXPECT_NOT_EXIST : super.condition();
  }

  @Override
  void check(boolean isOfFile) {
    if (isOfFile && !(set.isEmpty() && unset.isEmpty())) {
      throw CommandFailure.usage(
          "--set and --unset are of one row: the columns of --from are in the file");
    }
    if (ifAbsent && isIfExists()) {
      throw CommandFailure.usage("--if-exists and --if-absent exclude each other");
    }
    if (!isOfFile) {
      CommandFailure.checkUsage(() -> SetColumns.updates(set, unset));
    }
  }

  @Override
  RowChange one(PrimaryKey key) {
    return new RowUpdateChange(key, SetColumns.updates(set, unset), condition());
  }

  @Override
  RowChange of(RowChange read) {
    if (read instanceof RowPutChange put) {
      List<ColumnUpdate> updates =
          put.columns().stream()
              .<ColumnUpdate>map(
                  column -> new ColumnUpdate.Put(column.getName(), column.getValue()))
              .toList();
      return new RowUpdateChange(put.primaryKey(), updates, condition());
    } else if (read instanceof RowUpdateChange update) {
      return new RowUpdateChange(update.primaryKey(), update.updates(), condition());
    }
    throw new IllegalArgumentException("a DELETE is no update; 'tables put --from' applies it");
  }
}
