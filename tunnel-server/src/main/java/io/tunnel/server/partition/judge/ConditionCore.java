package io.tunnel.server.partition.judge;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which rows of the batches of a group may be applied: those whose row-existence condition
 * holds, and which do not make their row larger than a row may be.
 *
 * <p>A row is judged against the rows before it, those of its own group included, which the store
 * does not have yet. Groups with nothing to judge, nearly all, are not even looked through: batches
 * are remembered, and indexed when the first row to be judged comes.
 */
public final class ConditionCore {

  private final StoredRows stored;
  private final List<ChangeBatch> notIndexed = new ArrayList<>();
  private final Map<RowKey, RowInGroup> group = new HashMap<>();

  /** What the store has. */
  public interface StoredRows {
    /** Whether there is a row. */
    boolean exists(int partition, byte[] array, int keyOffset, int keyBytes);

    /** Bytes of each column's type and value, by its name; nothing when there is no row. */
    Map<String, Integer> columnBytes(int partition, byte[] array, int keyOffset, int keyBytes);
  }

  private record RowKey(int partition, Bytes key) {}

  /** A row that the group changes: what its last change leaves. */
  private static final class RowInGroup {
    private final ChangeBatch batch;
    private final int rowOffset;
    private final boolean exists;
    private RowSize size;

    /** After a put, whose size is only found when an update asks for it, or a delete. */
    RowInGroup(RowCursor row) {
      this.batch = row.batch();
      this.rowOffset = row.rowOffset();
      this.exists = row.kind() != ChangeKind.DELETE;
    }

    /** After an update. */
    RowInGroup(RowCursor row, RowSize size) {
      this(row);
      this.size = size;
    }

    RowSize size() {
      if (size == null && exists) {
        RowCursor put = batch.rows();
        put.moveTo(rowOffset);
        size = RowSize.empty().after(put);
      }
      return exists ? size : RowSize.empty();
    }
  }

  /** What is left of a batch (empty when nothing is), and the rows that are not. */
  public record Judged(Optional<ChangeBatch> accepted, List<Rejection> rejections) {}

  /** Judges rows against those of {@code stored}. */
  public ConditionCore(StoredRows stored) {
    this.stored = stored;
  }

  /** Begins a new group. */
  public void clear() {
    notIndexed.clear();
    group.clear();
  }

  /**
   * Judges a batch.
   *
   * @param mustJudge whether any of its rows has a condition, or is an update that may make its row
   *     too large
   */
  public Judged judge(ChangeBatch batch, boolean mustJudge) {
    if (!mustJudge) {
      notIndexed.add(batch);
      return new Judged(Optional.of(batch), List.of());
    }
    indexRemembered();
    List<Rejection> rejections = new ArrayList<>();
    ByteSink acceptedRows = new ByteSink(batch.byteCount());
    acceptedRows.skip(ChangeBatch.HEADER_BYTES_MIN);
    RowCursor row = batch.rows();
    while (row.next()) {
      Optional<ErrorCode> refusal = judge(row);
      if (refusal.isEmpty()) {
        acceptedRows.write(batch.array(), row.rowOffset(), row.rowEnd() - row.rowOffset());
      } else {
        rejections.add(new Rejection(row.index(), refusal.get()));
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
        RowKey key = key(row);
        group.put(
            key,
            row.kind() == ChangeKind.UPDATE
                ? new RowInGroup(row, sizeAfter(row, group.get(key)))
                : new RowInGroup(row));
      }
    }
    notIndexed.clear();
  }

  private RowSize sizeAfter(RowCursor update, RowInGroup before) {
    return (before == null ? storedSize(update) : before.size()).after(update);
  }

  private static RowKey key(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowKey(
        batch.partition(), Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  /** Why the row is not applied; empty when it is. */
  private Optional<ErrorCode> judge(RowCursor row) {
    RowKey key = key(row);
    RowInGroup before = group.get(key);
    if (!holds(row, before)) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    if (row.kind() != ChangeKind.UPDATE) {
      group.put(key, new RowInGroup(row));
      return Optional.empty();
    }
    RowSize size = sizeAfter(row, before);
    if (!size.isLegal(row.keyBytes())) {
      return Optional.of(ErrorCode.ROW_TOO_LARGE);
    }
    group.put(key, new RowInGroup(row, size));
    return Optional.empty();
  }

  private boolean holds(RowCursor row, RowInGroup before) {
    if (row.condition() == RowExistenceExpectation.IGNORE) {
      return true;
    }
    ChangeBatch batch = row.batch();
    boolean exists =
        before != null
            ? before.exists
            : stored.exists(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    return exists == (row.condition() == RowExistenceExpectation.EXPECT_EXIST);
  }

  private RowSize storedSize(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowSize(
        stored.columnBytes(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes()));
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
