package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Writes whole rows. */
@Command(
    name = "put",
    mixinStandardHelpOptions = true,
    description = {
      "Write a row that has exactly these columns. Or write the rows of a file.",
      "A line of the file that names a kind, as the lines of 'tail --json' do, is applied as a"
          + " change of this kind.",
      "NAME=auto in the key, or auto in the column of a file, leaves the value of an AUTO column to"
          + " the server; the row is printed with its number."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables put --table users --key id=7 --set name=Ada --set age:INTEGER=36",
      "  tunnel tables put --table users --key id=7 --set name=Ada --if 'not exists name'",
      "  tunnel tables put --table members --key id=7 --set host=n1 --if-absent --bound --lease 5s",
      "  tunnel tables put --table sales --key shop=a --key number=auto --set item=tea",
      "  tunnel tables scan --table users --limit all --json | tunnel tables put --table copy --from -"
    })
public final class PutRowsCommand extends RowsCommand {

  @Mixin private SetOptions columns;
  @Mixin private BoundOptions bound;

  /** For picocli: the command on real servers. */
  public PutRowsCommand() {
    this(TableClient::connect);
  }

  PutRowsCommand(Function<ClientConfig, TableClient> connect) {
    super(connect);
  }

  @Override
  String done() {
    return "written";
  }

  @Override
  RowExistenceExpectation condition() {
    return columns.condition(super.condition());
  }

  @Override
  boolean mayBeNumbered() {
    return true;
  }

  @Override
  void check(boolean isOfFile) {
    if (isOfFile && !columns.set().isEmpty()) {
      throw CommandFailure.usage("--set is of one row: the columns of --from are in the file");
    }
    bound.check(isOfFile);
    columns.check(isIfExists());
    CommandFailure.checkUsage(() -> SetColumns.parse(columns.set()));
  }

  @Override
  int writeOne(TableClient client, String name, RowChange change) throws InterruptedException {
    return bound.isBound()
        ? bound.hold(
            client,
            session -> {
              var unused = write(rows -> session.tryWrite(name, rows), change);
              out().flush();
            },
            err())
        : super.writeOne(client, name, change);
  }

  @Override
  RowChange one(PrimaryKey key) {
    return new RowPutChange(key, SetColumns.parse(columns.set()), condition());
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
