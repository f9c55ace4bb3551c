package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes columns of rows. */
@Command(
    name = "update",
    mixinStandardHelpOptions = true,
    description =
        "Set, add to and remove columns of a row, and leave its others; a row that does not exist"
            + " is created. Or set those that the rows of a file have.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables update --table users --key id=7 --set age:INTEGER=37 --unset note --if-exists",
      "  tunnel tables update --table pages --key url=/ --add views=1 --return views",
      "  tunnel tables update --table users --from ages.csv"
    })
public final class UpdateRowsCommand extends RowsCommand {

  @Mixin private SetOptions columns;

  @Option(
      names = "--unset",
      paramLabel = "NAME",
      split = ",",
      description = "A column that is removed.")
  private List<String> unset = List.of();

  @Option(
      names = "--add",
      paramLabel = "NAME=NUMBER",
      split = ",",
      description =
          "An INTEGER column that is added to; a negative number subtracts, and a missing column"
              + " counts from 0. Takes the rights write and read.")
  private List<String> add = List.of();

  /** For picocli: the command on real servers. */
  public UpdateRowsCommand() {
    this(TableClient::connect);
  }

  UpdateRowsCommand(Function<ClientConfig, TableClient> connect) {
    super(connect);
  }

  @Override
  String done() {
    return "updated";
  }

  @Override
  RowExistenceExpectation condition() {
    return columns.condition(super.condition());
  }

  @Override
  boolean mayAdd() {
    return true;
  }

  @Override
  void check(boolean isOfFile) {
    if (isOfFile && !(columns.set().isEmpty() && unset.isEmpty() && add.isEmpty())) {
      throw CommandFailure.usage(
          "--set, --add and --unset are of one row: the columns of --from are in the file");
    }
    columns.check(isIfExists());
    if (!isOfFile) {
      CommandFailure.checkUsage(() -> updates());
    }
  }

  @Override
  RowChange one(PrimaryKey key) {
    return new RowUpdateChange(key, updates(), condition());
  }

  private List<ColumnUpdate> updates() {
    return SetColumns.updates(columns.set(), add, unset);
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
