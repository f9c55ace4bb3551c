package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * Some rows of a write were not applied. The message names the first such row; {@link #result} has
 * the outcome of each row. Applied rows stay applied.
 */
public final class WriteFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Characters of a key that a message shows; a key may be long. */
  private static final int KEY_CHARS_MAX = 200;

  /** Null after serialisation. */
  private final transient BatchWriteResult result;

  private final int firstFailed;

  private WriteFailedException(String message, BatchWriteResult result, int firstFailed) {
    super(message);
    this.result = result;
    this.firstFailed = firstFailed;
  }

  /** Returns the result of a write when every row was applied; otherwise throws. */
  static BatchWriteResult requireApplied(
      String table, List<RowChange> rows, BatchWriteResult result) {
    List<RowResult> results = result.results();
    for (int i = 0; i < results.size(); i++) {
      if (!results.get(i).isApplied()) {
        throw new WriteFailedException(message(table, rows.get(i), i, result), result, i);
      }
    }
    return result;
  }

  private static String message(String table, RowChange row, int index, BatchWriteResult result) {
    int rows = result.results().size();
    int inDoubt = result.count(Outcome.IN_DOUBT);
    RowResult first = result.results().get(index);
    StringBuilder said = new StringBuilder(200);
    said.append(rows - result.count(Outcome.APPLIED)).append(" of ").append(rows);
    said.append(rows == 1 ? " row" : " rows").append(" of table '").append(table);
    said.append("' not applied");
    if (inDoubt > 0) {
      said.append(", ").append(inDoubt).append(" of them in doubt: they may have been");
    }
    said.append("; the first is row ").append(index).append(", ");
    return said.append(text(row, first)).toString();
  }

  /** A row and its outcome, for people. */
  static String text(RowChange row, RowResult result) {
    String key = row.primaryKey().toString();
    StringBuilder said = new StringBuilder(200);
    said.append(key, 0, Math.min(key.length(), KEY_CHARS_MAX));
    said.append(", ").append(result.outcome());
    result.error().ifPresent(code -> said.append(' ').append(code));
    return said.append(": ").append(result.message()).toString();
  }

  /** The outcome of each row, in the given order; empty after serialisation. */
  public Optional<BatchWriteResult> result() {
    return Optional.ofNullable(result);
  }

  /** The index of the row in the message. */
  public int firstFailed() {
    return firstFailed;
  }

  /** The error code of the first row that failed; empty without a code from the server. */
  public Optional<ErrorCode> code() {
    return result().flatMap(all -> all.results().get(firstFailed).error());
  }
}
