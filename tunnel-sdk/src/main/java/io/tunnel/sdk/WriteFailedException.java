package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * Not every row of a write was applied. The message has the first row that was not; {@link #result}
 * has what became of each, in the order given: those that were applied stay applied.
 */
public final class WriteFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Characters of a key that a message shows; a key may be long. */
  private static final int KEY_CHARS_MAX = 200;

  private final transient BatchWriteResult result;
  private final int firstFailed;

  private WriteFailedException(String message, BatchWriteResult result, int firstFailed) {
    super(message);
    this.result = result;
    this.firstFailed = firstFailed;
  }

  /** Returns the result of a write when every row was applied, and throws it otherwise. */
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

  /** Which row, and what became of it; for people. */
  static String text(RowChange row, RowResult result) {
    String key = row.primaryKey().toString();
    StringBuilder said = new StringBuilder(200);
    said.append(key, 0, Math.min(key.length(), KEY_CHARS_MAX));
    said.append(", ").append(result.outcome());
    result.error().ifPresent(code -> said.append(' ').append(code));
    return said.append(": ").append(result.message()).toString();
  }

  /** What became of each row, in the order given; null after serialisation. */
  public BatchWriteResult result() {
    return result;
  }

  /** Which row the message is about: its index in the order given. */
  public int firstFailed() {
    return firstFailed;
  }

  /** Why the first row that failed was refused, when the server said so; empty otherwise. */
  public Optional<ErrorCode> code() {
    return result == null ? Optional.empty() : result.results().get(firstFailed).error();
  }
}
