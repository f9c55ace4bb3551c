package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.options.ConfirmOption;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes rows. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description =
        "Delete the row of a key; a missing row is an error only with --if-exists. Or delete the"
            + " rows of all keys in a file, whose other columns are ignored; this has to be"
            + " confirmed.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables delete --table users --key id=7",
      "  tunnel tables delete --table jobs --key id=7 --if 'state = \"done\"' --return state",
      "  tunnel tables delete --table users --from gone.csv --yes"
    })
public final class DeleteRowsCommand extends RowsCommand {

  @Mixin private final ConfirmOption confirm;

  /** For picocli: the command on real servers. */
  public DeleteRowsCommand() {
    this(TableClient::connect, new ConfirmOption());
  }

  DeleteRowsCommand(Function<ClientConfig, TableClient> connect, ConfirmOption confirm) {
    super(connect);
    this.confirm = confirm;
  }

  @Override
  String done() {
    return "deleted";
  }

  @Override
  boolean mayAdd() {
    // Other columns than the key are ignored, whatever they are.
    return true;
  }

  @Override
  void check(boolean isOfFile) {
    if (isOfFile) {
      if (!confirm.isGiven()) {
        err().println("every row whose key is in the file would be deleted");
        err().flush();
      }
      confirm.require(isJson(), "nothing was deleted");
    }
  }

  @Override
  RowChange one(PrimaryKey key) {
    return new RowDeleteChange(key, condition());
  }

  @Override
  RowChange of(RowChange read) {
    return new RowDeleteChange(read.primaryKey(), condition());
  }
}
