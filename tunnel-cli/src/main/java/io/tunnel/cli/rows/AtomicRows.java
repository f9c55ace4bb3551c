package io.tunnel.cli.rows;

import com.google.gson.JsonObject;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.stress.file.InDoubtFile;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the rows of a file as one atomic batch.
 *
 * @param done what is done to a row, in the past tense
 * @param inDoubtFile takes all rows when it is not known whether they were applied
 */
record AtomicRows(String done, boolean isJson, Optional<Path> inDoubtFile) {

  /** Returns the exit code; throws what says why no row was written. */
  int write(TableClient client, String table, RowSource source, PrintWriter out)
      throws IOException {
    try (InDoubtFile doubts = inDoubtFile.isPresent() ? new InDoubtFile(inDoubtFile.get()) : null) {
      return write(client, table, source, out, Optional.ofNullable(doubts));
    }
  }

  private int write(
      TableClient client,
      String table,
      RowSource source,
      PrintWriter out,
      Optional<InDoubtFile> doubts)
      throws IOException {
    List<RowChange> rows = new ArrayList<>();
    for (RowChange row = source.next(); row != null; row = source.next()) {
      rows.add(row);
      if (rows.size() > Limits.ATOMIC_ROWS_MAX) {
        throw CommandFailure.usage(
            "the file has more than "
                + Human.count(Limits.ATOMIC_ROWS_MAX)
                + " rows, the most of an atomic batch");
      }
    }
    if (rows.isEmpty()) {
      throw CommandFailure.usage("the file has no row");
    }
    BatchWriteResult result = client.tryWriteAtomically(table, rows);
    if (!result.allApplied()) {
      if (doubts.isPresent() && result.results().get(0).outcome() == RowResult.Outcome.IN_DOUBT) {
        doubts.get().write(rows);
      }
      throw failure(rows, result);
    }
    RowResult first = result.results().get(0);
    if (isJson) {
      JsonObject json = new JsonObject();
      json.addProperty("applied", rows.size());
      json.addProperty("partition", first.partition());
      json.addProperty("position", first.position());
      out.println(json);
    } else {
      out.println(
          Human.counted(rows.size(), "row")
              + " "
              + done
              + (rows.size() == 1
                  ? ", position " + first.position()
                  : " together, positions "
                      + first.position()
                      + " to "
                      + (first.position() + rows.size() - 1))
              + " of partition "
              + first.partition());
    }
    return ExitCode.OK;
  }

  private CommandFailure failure(List<RowChange> rows, BatchWriteResult result) {
    int index = 0;
    while (result
        .results()
        .get(index)
        .error()
        .filter(ErrorCode.BATCH_REFUSED::equals)
        .isPresent()) {
      index++;
    }
    RowResult reason = result.results().get(index);
    String of = "row " + (index + 1) + " of the file, " + rows.get(index).primaryKey() + ": ";
    String error = reason.error().map(ErrorCode::name).orElse(reason.outcome().name());
    return switch (reason.outcome()) {
      case APPLIED -> throw new IllegalStateException("an applied row of a batch that failed");
      case REJECTED ->
          new CommandFailure(
              reason.error().filter(ErrorCode.CONDITION_FAILED::equals).isPresent()
                  ? ExitCode.CONDITION_FAILED
                  : ExitCode.FAILED,
              error,
              "no row was " + done + ". " + of + reason.message(),
              "");
      case NOT_SENT ->
          new CommandFailure(ExitCode.UNAVAILABLE, "no row was " + done + ": " + reason.message());
      case IN_DOUBT ->
          new CommandFailure(
              ExitCode.FAILED,
              error,
              "it is not known whether all rows were " + done + " or none: " + reason.message(),
              inDoubtFile
                  .map(path -> "All rows are in " + path + "; look with 'tunnel tables get'")
                  .orElse("Look with 'tunnel tables get'"));
    };
  }
}
