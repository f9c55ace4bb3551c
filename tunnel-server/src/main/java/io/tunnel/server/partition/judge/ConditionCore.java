package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.IncrementCore;
import io.tunnel.codec.Increments;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.RowsToJudge;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.Returning;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.ReturnedRows;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * Decides which rows of the batches of a group may be applied: those whose conditions on the
 * existence and on the columns of their row hold, whose increments have a result, and which do not
 * make their row larger than a row may be. Puts the results of increments into the rows. Of an
 * atomic batch either all rows may be applied, or none.
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

  /** Judges the condition on columns that was judged last. */
  private Optional<OneJudge> last = Optional.empty();

  /** The stored row that was read last: rows of a batch may ask for one again and again. */
  private Optional<ReadRow> read = Optional.empty();

  /** A condition of a place, with its judge. */
  private record OneJudge(Bytes condition, ConditionPlace place, Judge judge) {}

  private record ReadRow(RowKey key, SortedMap<String, Bytes> columns) {}

  /** What the store has. */
  public interface StoredRows {
    /** Whether there is a row. */
    boolean exists(int partition, byte[] array, int keyOffset, int keyBytes);

    /** Type and value of each column of a row, by its name; empty without a row. */
    Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key);
  }

  /** The columns of a row before the updates of the group. */
  private interface Below {
    /** Tells the name of each, and the bytes of its type and value. */
    void sizes(ObjIntConsumer<String> column);

    /** Gives those that are stored, and that the condition names, to its judge. */
    void give(Judge judge);

    /** Type and value of a column that is stored. */
    default Optional<ColumnPlace> stored(String name) {
      return Optional.empty();
    }

    /** The row of the group that set them, if one did. */
    default Optional<RowPlace> set() {
      return Optional.empty();
    }
  }

  /** A row that the group changes: what its last PUT or DELETE leaves, and the updates since. */
  private static final class RowInGroup {
    private final Below below;
    private final RowSize size;
    private final List<RowPlace> updates = new ArrayList<>();

    /** Updates that {@link #size} has; the others are looked at when one has to be judged. */
    private int counted;

    /** The columns that rows of the group set or removed; grows when a condition asks. */
    private final Map<String, ColumnPlace> changed = new HashMap<>();

    /** How many of the changes {@link #changed} has. */
    private int laid;

    private boolean exists;

    RowInGroup(Below below, boolean exists) {
      this.below = below;
      this.size = new RowSize(below::sizes);
      this.exists = exists;
    }

    /** The row now, which later updates of this row leave as it is. */
    RowInGroup copy() {
      RowInGroup copy = new RowInGroup(below, exists);
      copy.updates.addAll(updates);
      return copy;
    }

    void update(RowCursor row) {
      updates.add(RowPlace.of(row));
      exists = true;
    }

    boolean updateIfLegal(RowCursor row) {
      for (; counted < updates.size(); counted++) {
        size.update(updates.get(counted).row());
      }
      boolean isLegal = size.updateIfLegal(row);
      if (isLegal) {
        update(row);
        counted++;
      }
      return isLegal;
    }

    void give(Judge judge) {
      layAll();
      below.give(judge);
      for (String name : judge.rowColumns()) {
        ColumnPlace column = changed.get(name);
        if (column != null) {
          judge.column(name, column.array(), column.from(), column.end());
        }
      }
    }

    /** What an increment finds now. */
    IncrementCore.Found found(String name) {
      return column(name)
          .map(column -> IncrementCore.Found.at(column.array(), column.from(), column.end()))
          .orElse(IncrementCore.Found.MISSING);
    }

    /** Type and value of a column now. */
    Optional<Bytes> value(String name) {
      return column(name)
          .filter(at -> !ColumnCursor.isRemoval(at.array()[at.from()]))
          .map(at -> Bytes.copyOf(at.array(), at.from(), at.end() - at.from()));
    }

    /** A column now, or that it was removed; empty for a column that never was. */
    private Optional<ColumnPlace> column(String name) {
      layAll();
      return Optional.ofNullable(changed.get(name)).or(() -> below.stored(name));
    }

    /** Looks at each change once, however many conditions and increments ask. */
    private void layAll() {
      if (laid == 0) {
        below.set().ifPresent(this::lay);
      }
      for (; laid < updates.size(); laid++) {
        lay(updates.get(laid));
      }
    }

    private void lay(RowPlace change) {
      ColumnCursor columns = change.row().columns();
      while (columns.next()) {
        changed.put(
            change.batch().name(columns.nameIndex()),
            new ColumnPlace(change.batch().array(), columns.typeOffset(), columns.columnEnd()));
      }
    }
  }

  /** A row that is stored, or that is not there. */
  private record StoredBelow(ConditionCore core, RowKey key) implements Below {
    @Override
    public void sizes(ObjIntConsumer<String> column) {
      core.read(key).forEach((name, encoded) -> column.accept(name, encoded.length()));
    }

    @Override
    public void give(Judge judge) {
      SortedMap<String, Bytes> columns = core.read(key);
      for (String name : judge.rowColumns()) {
        Bytes encoded = columns.get(name);
        if (encoded != null) {
          judge.column(name, encoded.toByteArray(), 0, encoded.length());
        }
      }
    }

    @Override
    public Optional<ColumnPlace> stored(String name) {
      return Optional.ofNullable(core.read(key).get(name))
          .map(encoded -> new ColumnPlace(encoded.toByteArray(), 0, encoded.length()));
    }
  }

  /** Nothing, as a DELETE leaves it. */
  private record NothingBelow() implements Below {
    @Override
    public void sizes(ObjIntConsumer<String> column) {}

    @Override
    public void give(Judge judge) {}
  }

  /** Where a row stands; what a PUT leaves is the columns of its row. */
  private record RowPlace(ChangeBatch batch, int rowOffset) implements Below {
    @Override
    public Optional<RowPlace> set() {
      return Optional.of(this);
    }

    @Override
    public void sizes(ObjIntConsumer<String> column) {
      RowSize.columns(row(), column);
    }

    @Override
    public void give(Judge judge) {}

    static RowPlace of(RowCursor row) {
      return new RowPlace(row.batch(), row.rowOffset());
    }

    RowCursor row() {
      RowCursor row = batch.rows();
      row.moveTo(rowOffset);
      return row;
    }
  }

  /**
   * What is left of a batch (empty when nothing is), and the rows that are not.
   *
   * @param returned what rows return, applied or not
   */
  public record Judged(
      Optional<ChangeBatch> accepted, List<Rejection> rejections, List<ReturnedRow> returned) {}

  /** Judges rows against those of {@code stored}. */
  public ConditionCore(StoredRows stored) {
    this.stored = stored;
  }

  /** Begins a new group. */
  public void clear() {
    notIndexed.clear();
    group.clear();
    read = Optional.empty();
  }

  /**
   * Judges a batch.
   *
   * @param place where its conditions on columns are judged: the rows of its table
   * @param mustJudge whether any of its rows has a condition, or is an update that may make its row
   *     too large
   */
  public Judged judge(ChangeBatch batch, ConditionPlace place, boolean mustJudge) {
    if (!mustJudge) {
      notIndexed.add(batch);
      return new Judged(Optional.of(batch), List.of(), List.of());
    }
    Judging judging = begin(batch, place);
    boolean isWhole = judging.run(() -> true);
    if (!isWhole) {
      throw new IllegalStateException("stopped judging a batch that nothing interrupts");
    }
    return judging.judged();
  }

  /** Begins to judge a batch, some rows at a time. No other batch may be judged meanwhile. */
  public Judging begin(ChangeBatch batch, ConditionPlace place) {
    indexRemembered();
    return new Judging(batch, place);
  }

  /** A batch that is being judged. */
  public final class Judging {
    private final RowsToJudge rows;
    private final ConditionPlace place;
    private final boolean isAtomic;

    /** Whether a row has something that no log has. */
    private boolean isForJudging;

    private final BitSet accepted = new BitSet();
    private final List<Rejection> rejections = new ArrayList<>();
    private final ReturnedRows returns = new ReturnedRows();

    /** The rows of the group before an atomic batch; empty where the group had no such row. */
    private final Map<RowKey, Optional<RowInGroup>> before = new HashMap<>();

    private Judging(ChangeBatch batch, ConditionPlace place) {
      this.rows = new RowsToJudge(batch);
      this.place = place;
      this.isAtomic = batch.isAtomic();
    }

    /**
     * Judges the next row, and others as long as {@code mayGoOn} says so before each of them.
     * Returns whether all rows are judged.
     */
    public boolean run(BooleanSupplier mayGoOn) {
      do {
        if (!rows.next()) {
          return true;
        }
        RowCursor row = rows.row();
        isForJudging |= row.isForJudging();
        if (isAtomic) {
          before.computeIfAbsent(
              key(row), key -> Optional.ofNullable(group.get(key)).map(RowInGroup::copy));
        }
        Optional<ErrorCode> refusal = judge(row, place, returns);
        if (refusal.isEmpty()) {
          accepted.set(row.index());
        } else if (isAtomic) {
          refuseAll(new Rejection(row.index(), refusal.get()));
          return true;
        } else {
          rejections.add(new Rejection(row.index(), refusal.get()));
        }
      } while (mayGoOn.getAsBoolean());
      return false;
    }

    /** The group is again as it was before the atomic batch. */
    private void refuseAll(Rejection refused) {
      before.forEach(
          (key, row) ->
              row.ifPresentOrElse(found -> group.put(key, found), () -> group.remove(key)));
      accepted.clear();
      returns.keepOnly(refused.rowIndex());
      rejections.addAll(refused.ofAll(rows.batch().rowCount()));
    }

    /** What became of the batch, all of whose rows are judged. */
    public Judged judged() {
      ChangeBatch batch = rows.batch();
      if (accepted.cardinality() + rejections.size() != batch.rowCount()) {
        throw new IllegalStateException(
            "judged "
                + (accepted.cardinality() + rejections.size())
                + " of "
                + batch.rowCount()
                + " rows");
      }
      if (rejections.isEmpty() && !isForJudging) {
        return new Judged(Optional.of(batch), rejections, returns.rows());
      }
      return new Judged(
          accepted.isEmpty() ? Optional.empty() : Optional.of(AcceptedRows.of(batch, accepted)),
          rejections,
          returns.rows());
    }
  }

  private void indexRemembered() {
    for (ChangeBatch batch : notIndexed) {
      RowCursor row = batch.rows();
      while (row.next()) {
        RowKey key = key(row);
        if (row.kind() == ChangeKind.UPDATE) {
          group.computeIfAbsent(key, this::stored).update(row);
        } else {
          group.put(key, replaced(row));
        }
      }
    }
    notIndexed.clear();
  }

  /** A row that the group has not changed before. */
  private RowInGroup stored(RowKey key) {
    return new RowInGroup(new StoredBelow(this, key), false);
  }

  /** A row behind a PUT or a DELETE, which leave nothing of what was there. */
  private static RowInGroup replaced(RowCursor row) {
    return row.kind() == ChangeKind.DELETE
        ? new RowInGroup(new NothingBelow(), false)
        : new RowInGroup(RowPlace.of(row), true);
  }

  private static RowKey key(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowKey(
        batch.partition(), Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  /**
   * Judges one row, which from then on belongs to the group if it is applied. Columns that the row
   * adds to then have the results, in the array of the row's batch: see {@link RowsToJudge}.
   *
   * @param place where its condition on columns is judged: the rows of its table
   * @param returns takes what the row returns
   * @return why the row is not applied; empty when it is
   */
  public Optional<ErrorCode> judge(RowCursor row, ConditionPlace place, ReturnedRows returns) {
    indexRemembered();
    RowKey key = key(row);
    RowInGroup before = group.get(key);
    Optional<ErrorCode> refusal = judge(row, key, place, before);
    Optional<Returning> asked = row.returning();
    if (asked.isPresent()) {
      RowInGroup now = refusal.isEmpty() ? group.get(key) : before == null ? stored(key) : before;
      boolean isStored = refusal.isPresent() && before == null;
      boolean exists = isStored ? isStored(row) : now.exists;
      returns.take(row.index(), asked.get(), refusal.isEmpty(), exists, now::value);
    }
    return refusal;
  }

  private boolean isStored(RowCursor row) {
    ChangeBatch batch = row.batch();
    return stored.exists(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
  }

  private Optional<ErrorCode> judge(
      RowCursor row, RowKey key, ConditionPlace place, RowInGroup before) {
    if (!mayExist(row, before) || !holds(row, place, before == null ? stored(key) : before)) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    if (row.kind() != ChangeKind.UPDATE) {
      group.put(key, replaced(row));
      return Optional.empty();
    }
    RowInGroup updated = before == null ? stored(key) : before;
    Optional<Increments> increments = row.increments();
    if (increments.isPresent()) {
      Optional<ErrorCode> refusal = IncrementCore.add(row, increments.get(), updated::found);
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    if (!updated.updateIfLegal(row)) {
      return Optional.of(ErrorCode.ROW_TOO_LARGE);
    }
    group.put(key, updated);
    return Optional.empty();
  }

  /** Whether the condition on columns holds, which most rows do not have. */
  private boolean holds(RowCursor row, ConditionPlace place, RowInGroup now) {
    Optional<Bytes> condition = row.columnCondition();
    if (condition.isEmpty()) {
      return true;
    }
    Judge judge = judge(condition.get(), place);
    judge.begin();
    judge.key(row.batch().array(), row.keyOffset(), row.keyBytes());
    now.give(judge);
    return judge.holds();
  }

  private Judge judge(Bytes condition, ConditionPlace place) {
    Optional<OneJudge> same =
        last.filter(one -> one.condition().equals(condition) && one.place().equals(place));
    if (same.isEmpty()) {
      same =
          Optional.of(
              new OneJudge(condition, place, new Judge(Condition.decode(condition), place)));
      last = same;
    }
    return same.get().judge();
  }

  private SortedMap<String, Bytes> read(RowKey key) {
    Optional<ReadRow> same = read.filter(row -> row.key().equals(key));
    if (same.isEmpty()) {
      same =
          Optional.of(
              new ReadRow(key, stored.columns(key.partition(), key.key()).orElseGet(TreeMap::new)));
      read = same;
    }
    return same.get().columns();
  }

  private boolean mayExist(RowCursor row, RowInGroup before) {
    if (row.condition() == RowExistenceExpectation.IGNORE) {
      return true;
    }
    boolean exists = before != null ? before.exists : isStored(row);
    return exists == (row.condition() == RowExistenceExpectation.EXPECT_EXIST);
  }
}
