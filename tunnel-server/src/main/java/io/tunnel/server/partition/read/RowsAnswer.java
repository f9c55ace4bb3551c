package io.tunnel.server.partition.read;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.FoundRow;
import io.tunnel.server.table.RowJudge;
import io.tunnel.wire.RowPage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Collects the rows of one answer. It ends at the rows and bytes that were asked for, or when
 * {@link Limits#PAGE_ROWS_MAX} rows or {@link Limits#PAGE_BYTES_MAX} bytes were looked at: so an
 * answer of which no row matches ends as early as the largest answer. It always looks at one row.
 */
final class RowsAnswer {

  private final List<PrimaryKeySchema> schema;
  private final int rowsMax;
  private final int bytesMax;
  private final Optional<RowJudge> judge;
  private final Predicate<String> chosen;
  private final Optional<List<Long>> commitMicros;
  private final BatchBuilder rows;
  private int rowsLooked;
  private long bytesLooked;

  /** An answer with the rows of {@code selection}, up to {@code rowsMax} of {@code bytesMax}. */
  RowsAnswer(List<PrimaryKeySchema> schema, RowSelection selection, int rowsMax, int bytesMax) {
    this.schema = schema;
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
    this.judge = selection.condition().map(condition -> new RowJudge(condition, schema));
    Optional<Set<String>> names = selection.columns().map(HashSet::new);
    this.chosen = names.<Predicate<String>>map(all -> all::contains).orElse(name -> true);
    this.commitMicros =
        selection.hasCommitTimes() ? Optional.of(new ArrayList<>()) : Optional.empty();
    this.rows = new BatchBuilder(schema, 256);
  }

  /**
   * Refuses what cannot be selected of rows with these keys.
   *
   * @throws RefusedException INVALID_REQUEST
   */
  static void require(RowSelection selection, List<PrimaryKeySchema> schema) {
    try {
      var unused = selection.require(schema);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  /** Whether the answer takes no further row. */
  boolean isFull() {
    return rowsLooked > 0
        && (rowsLooked >= Limits.PAGE_ROWS_MAX
            || bytesLooked >= Limits.PAGE_BYTES_MAX
            || (rows.rowCount() > 0
                && (rows.rowCount() >= rowsMax || rows.byteCount() >= bytesMax)));
  }

  /** Looks at a row; false, without a trace of the row, when the answer has no space for it. */
  boolean add(FoundRow row) {
    if (isFull()) {
      return false;
    }
    boolean isAnswered = row.isAlive() && (judge.isEmpty() || row.isHeldBy(judge.get()));
    if (isAnswered && !answer(row)) {
      return false;
    }
    looked(row.bytes());
    return true;
  }

  /** Looks at the key of a row that there is not. */
  void addAbsent(Bytes key) {
    looked(key.length());
  }

  private void looked(int bytes) {
    rowsLooked++;
    bytesLooked += bytes;
  }

  private boolean answer(FoundRow row) {
    byte[] key = row.key().toByteArray();
    boolean isAdded =
        rows.add(
            new RowPutChange(KeyCodec.decode(key, 0, key.length, schema), row.columns(chosen)));
    if (isAdded && commitMicros.isPresent()) {
      commitMicros.get().add(row.commitMicros());
    }
    return isAdded;
  }

  /** What was looked at, whether or not it is answered. */
  RowPage.Looked looked() {
    return new RowPage.Looked(rowsLooked, (int) Math.min(bytesLooked, Integer.MAX_VALUE));
  }

  /** The payload: a {@link RowPage} that continues at {@code next}. */
  byte[] encode(int partition, Optional<Bytes> next) {
    return RowPage.encode(next, looked(), rows.build(partition), commitMicros);
  }
}
