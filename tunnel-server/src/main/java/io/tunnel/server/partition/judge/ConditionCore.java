package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * Decides which rows of the batches of a group may be applied: those whose row-existence condition
 * holds, and which do not make their row larger than a row may be.
 *
 * <p>A row is judged against the rows before it, those of its own group included, which the store
 * does not have yet. Groups with nothing to judge, nearly all, are not even looked through: batches
 * are remembered, and indexed when the first row to be judged comes.
 *
 * <p>The shard's thread calls it, on a node the thread of the leader's shard, when all earlier
 * changes of the row's partition are folded.
 */
public final class ConditionCore {

  private final StoredRows stored;
  private final List<ChangeBatch> notIndexed = new ArrayList<>();
  private final Map<RowKey, RowInGroup> group = new HashMap<>();

  /** What the store has. */
  public interface StoredRows {
    /** Whether there is a row. */
    boolean exists(int partition, byte[] array, int keyOffset, int keyBytes);

    /**
     * Tells the name of each column, and the bytes of its type and value; nothing when there is no
     * row.
     */
    void columns(
        int partition, byte[] array, int keyOffset, int keyBytes, ObjIntConsumer<String> column);
  }

  /**
   * The key of a row. Ordered, because writers choose keys, and may choose many of one hash: a
   * bucket of a hash map then takes a logarithm of comparisons and not one with each other key.
   */
  record RowKey(int partition, Bytes key) implements Comparable<RowKey> {

    @Override
    public int compareTo(RowKey other) {
      int order = Integer.compare(partition, other.partition);
      return order == 0 ? key.compareTo(other.key) : order;
    }
  }

  /** A row that the group changes: what its last PUT or DELETE leaves, and the updates since. */
  private static final class RowInGroup {
    private final RowSize size;
    private boolean exists;

    /** Updates that need not be judged; they are looked at when one has to be. */
    private final Deque<RowPlace> notCounted = new ArrayDeque<>();

    RowInGroup(RowSize.Columns below, boolean exists) {
      this.size = new RowSize(below);
      this.exists = exists;
    }

    void update(RowCursor row) {
      notCounted.add(RowPlace.of(row));
      exists = true;
    }

    boolean updateIfLegal(RowCursor row) {
      for (RowPlace next = notCounted.poll(); next != null; next = notCounted.poll()) {
        size.update(next.row());
      }
      boolean isLegal = size.updateIfLegal(row);
      exists |= isLegal;
      return isLegal;
    }
  }

  /** Where a row stands. */
  private record RowPlace(ChangeBatch batch, int rowOffset) {
    static RowPlace of(RowCursor row) {
      return new RowPlace(row.batch(), row.rowOffset());
    }

    RowCursor row() {
      RowCursor row = batch.rows();
      row.moveTo(rowOffset);
      return row;
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
    Judging judging = begin(batch);
    boolean isWhole = judging.run(() -> true);
    if (!isWhole) {
      throw new IllegalStateException("stopped judging a batch that nothing interrupts");
    }
    return judging.judged();
  }

  /** Begins to judge a batch, some rows at a time. No other batch may be judged meanwhile. */
  public Judging begin(ChangeBatch batch) {
    indexRemembered();
    return new Judging(batch);
  }

  /** A batch that is being judged. */
  public final class Judging {
    private final ChangeBatch batch;
    private final RowCursor row;
    private final BitSet accepted = new BitSet();
    private final List<Rejection> rejections = new ArrayList<>();

    private Judging(ChangeBatch batch) {
      this.batch = batch;
      this.row = batch.rows();
    }

    /**
     * Judges the next row, and others as long as {@code mayGoOn} says so before each of them.
     * Returns whether all rows are judged.
     */
    public boolean run(BooleanSupplier mayGoOn) {
      do {
        if (!row.next()) {
          return true;
        }
        Optional<ErrorCode> refusal = judge(row);
        if (refusal.isEmpty()) {
          accepted.set(row.index());
        } else {
          rejections.add(new Rejection(row.index(), refusal.get()));
        }
      } while (mayGoOn.getAsBoolean());
      return false;
    }

    /** What became of the batch, all of whose rows are judged. */
    public Judged judged() {
      if (accepted.cardinality() + rejections.size() != batch.rowCount()) {
        throw new IllegalStateException(
            "judged "
                + (accepted.cardinality() + rejections.size())
                + " of "
                + batch.rowCount()
                + " rows");
      }
      if (rejections.isEmpty()) {
        return new Judged(Optional.of(batch), rejections);
      }
      return new Judged(
          accepted.isEmpty() ? Optional.empty() : Optional.of(AcceptedRows.of(batch, accepted)),
          rejections);
    }
  }

  private void indexRemembered() {
    for (ChangeBatch batch : notIndexed) {
      RowCursor row = batch.rows();
      while (row.next()) {
        RowKey key = key(row);
        if (row.kind() == ChangeKind.UPDATE) {
          group.computeIfAbsent(key, id -> stored(row)).update(row);
        } else {
          group.put(key, replaced(row));
        }
      }
    }
    notIndexed.clear();
  }

  /** A row that the group has not changed before. */
  private RowInGroup stored(RowCursor row) {
    int partition = row.batch().partition();
    byte[] array = row.batch().array();
    int keyOffset = row.keyOffset();
    int keyBytes = row.keyBytes();
    return new RowInGroup(
        column -> stored.columns(partition, array, keyOffset, keyBytes, column), false);
  }

  /** A row behind a PUT or a DELETE, which leave nothing of what was there. */
  private static RowInGroup replaced(RowCursor row) {
    if (row.kind() == ChangeKind.DELETE) {
      return new RowInGroup(column -> {}, false);
    }
    RowPlace put = RowPlace.of(row);
    return new RowInGroup(column -> RowSize.columns(put.row(), column), true);
  }

  private static RowKey key(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowKey(
        batch.partition(), Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  /**
   * Judges one row, which from then on belongs to the group if it is applied.
   *
   * @return why the row is not applied; empty when it is
   */
  public Optional<ErrorCode> judge(RowCursor row) {
    indexRemembered();
    RowKey key = key(row);
    RowInGroup before = group.get(key);
    if (!holds(row, before)) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    if (row.kind() != ChangeKind.UPDATE) {
      group.put(key, replaced(row));
      return Optional.empty();
    }
    RowInGroup updated = before == null ? stored(row) : before;
    if (!updated.updateIfLegal(row)) {
      return Optional.of(ErrorCode.ROW_TOO_LARGE);
    }
    group.put(key, updated);
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
}
