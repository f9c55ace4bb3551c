package io.tunnel.server.partition;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Bytes;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which rows of the batches of a group may be applied, given their row-existence
 * conditions.
 *
 * <p>A row's condition is judged against the rows before it, those of its own group included, which
 * the store does not have yet. Groups without conditions, nearly all, are not even looked through:
 * batches are remembered, and indexed when the first condition comes.
 */
final class ConditionCore {

  private final RowExistence stored;
  private final List<ChangeBatch> notIndexed = new ArrayList<>();
  private final Map<RowKey, Boolean> existsInGroup = new HashMap<>();

  /** Says whether the store has a row. */
  @FunctionalInterface
  interface RowExistence {
    boolean exists(int partition, byte[] array, int keyOffset, int keyBytes);
  }

  private record RowKey(int partition, Bytes key) {}

  /** What is left of a batch (empty when nothing is), and the rows that are not. */
  record Judged(Optional<ChangeBatch> accepted, List<Rejection> rejections) {}

  ConditionCore(RowExistence stored) {
    this.stored = stored;
  }

  /** Begins a new group. */
  void clear() {
    notIndexed.clear();
    existsInGroup.clear();
  }

  Judged judge(ChangeBatch batch, boolean isConditional) {
    if (!isConditional) {
      notIndexed.add(batch);
      return new Judged(Optional.of(batch), List.of());
    }
    indexRemembered();
    List<Rejection> rejections = new ArrayList<>();
    ByteSink acceptedRows = new ByteSink(batch.byteCount());
    acceptedRows.skip(ChangeBatch.HEADER_BYTES_MIN);
    RowCursor row = batch.rows();
    while (row.next()) {
      RowKey key = key(row);
      if (holds(row, key)) {
        existsInGroup.put(key, row.kind() != ChangeKind.DELETE);
        acceptedRows.write(batch.array(), row.rowOffset(), row.rowEnd() - row.rowOffset());
      } else {
        rejections.add(new Rejection(row.index(), ErrorCode.CONDITION_FAILED));
      }
    }
    if (rejections.isEmpty()) {
      return new Judged(Optional.of(batch), rejections);
    }
    int rowsLeft = batch.rowCount() - rejections.size();
    return new Judged(
        rowsLeft == 0 ? Optional.empty() : Optional.of(rebuild(batch, acceptedRows, rowsLeft)),
        rejections);
  }

  private void indexRemembered() {
    for (ChangeBatch batch : notIndexed) {
      RowCursor row = batch.rows();
      while (row.next()) {
        existsInGroup.put(key(row), row.kind() != ChangeKind.DELETE);
      }
    }
    notIndexed.clear();
  }

  private static RowKey key(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowKey(
        batch.partition(), Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  private boolean holds(RowCursor row, RowKey key) {
    if (row.condition() == RowExistenceExpectation.IGNORE) {
      return true;
    }
    Boolean inGroup = existsInGroup.get(key);
    ChangeBatch batch = row.batch();
    boolean exists =
        inGroup != null
            ? inGroup
            : stored.exists(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    return exists == (row.condition() == RowExistenceExpectation.EXPECT_EXIST);
  }

  private static ChangeBatch rebuild(ChangeBatch batch, ByteSink rows, int rowCount) {
    int rowsBytes = rows.size() - ChangeBatch.HEADER_BYTES_MIN;
    rows.write(batch.array(), batch.dictionaryOffset(), batch.dictionaryBytes());
    byte[] array = rows.toByteArray();
    BatchBuilder.writeHeader(
        array, 0, array.length, batch.nameCount(), batch.partition(), rowCount, rowsBytes);
    BatchBuilder.stamp(array, 0, 0, 0);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
