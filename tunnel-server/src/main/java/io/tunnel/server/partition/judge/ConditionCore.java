package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.IncrementCore;
import io.tunnel.codec.Increments;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.RowsToJudge;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Returning;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.ReturnedRows;
import io.tunnel.wire.RowPage.Looked;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;

/**
 * Decides which rows of the batches of a group may be applied: those whose conditions on the
 * existence and on the columns of their row hold, whose increments have a result, and which do not
 * make their row larger than a row may be. Puts the results of increments into the rows, and
 * numbers into keys that ask for them, before the rows are evaluated. Of an atomic batch either all
 * rows may be applied, or none.
 *
 * <p>A row is evaluated against the rows before it, those of its own group included, which the
 * store does not have yet. Groups with nothing to evaluate, nearly all, are not even looked
 * through: batches are remembered, and indexed when the first row to be evaluated comes.
 *
 * <p>The shard's thread calls it, on a node the thread of the leader's shard, when all earlier
 * changes of the row's partition are folded.
 */
public final class ConditionCore {

  private final StoredRows stored;
  private final KeyNumbers numbers;
  private final List<ChangeBatch> notIndexed = new ArrayList<>();
  private final Map<RowKey, RowInGroup> group = new HashMap<>();

  /** Evaluates the condition on columns that was evaluated last. */
  private Optional<OneJudge> last = Optional.empty();

  /** The stored row that was read last: rows of a batch may ask for one again and again. */
  private Optional<ReadRow> read = Optional.empty();

  /** Stored rows that were read, or looked up in vain, since {@link #takeLooked}. */
  private int lookedRows;

  /** Bytes of their keys, names and values. */
  private long lookedBytes;

  /** A condition of a place, with its evaluator. */
  private record OneJudge(Bytes condition, ConditionPlace place, Judge judge) {}

  private record ReadRow(RowKey key, SortedMap<String, Bytes> columns) {}

  /** What the store has. */
  public interface StoredRows {
    /** Whether there is a row. */
    boolean exists(int partition, byte[] array, int keyOffset, int keyBytes);

    /** Type and value of each column of a row, by its name; empty without a row. */
    Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key);

    /** When a row was committed, also one that has expired; 0 without a row. */
    default long commitMicros(int partition, Bytes key) {
      throw new IllegalStateException("rows that do not expire are asked when they were written");
    }
  }

  /** A row that is stored, or that is not there. */
  private record StoredBelow(ConditionCore core, RowKey key) implements RowInGroup.Below {
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

  /**
   * What is left of a batch (empty when nothing is), and the rows that are not.
   *
   * @param returned what rows return, applied or not
   * @param expired DELETEs of the expired rows that the accepted rows write again; they come first
   * @param validMicros when the first row expires that the evaluation found alive; the result holds
   *     before this time
   * @param firstNumber the number of the first row that asked for one; empty when no such row is
   *     accepted
   */
  public record Judged(
      Optional<ChangeBatch> accepted,
      List<Rejection> rejections,
      List<ReturnedRow> returned,
      Optional<ChangeBatch> expired,
      long validMicros,
      OptionalLong firstNumber) {

    /** A result without expired rows and returned columns. */
    public Judged(Optional<ChangeBatch> accepted, List<Rejection> rejections) {
      this(accepted, rejections, OptionalLong.empty());
    }

    Judged(Optional<ChangeBatch> accepted, List<Rejection> rejections, OptionalLong firstNumber) {
      this(accepted, rejections, List.of(), Optional.empty(), Long.MAX_VALUE, firstNumber);
    }
  }

  /** Evaluates rows against those of {@code stored}, whose keys have no AUTO column. */
  public ConditionCore(StoredRows stored) {
    this(stored, KeyNumbers.NONE);
  }

  /** Evaluates rows against those of {@code stored}, and takes numbers for their keys. */
  public ConditionCore(StoredRows stored, KeyNumbers numbers) {
    this.stored = stored;
    this.numbers = numbers;
  }

  /** What was read of stored rows since the last call. */
  public Looked takeLooked() {
    Looked looked = new Looked(lookedRows, (int) Math.min(Integer.MAX_VALUE, lookedBytes));
    lookedRows = 0;
    lookedBytes = 0;
    return looked;
  }

  private void look(int bytes) {
    lookedRows++;
    lookedBytes += bytes;
  }

  /** Begins a new group. */
  public void clear() {
    notIndexed.clear();
    group.clear();
    read = Optional.empty();
  }

  /**
   * Evaluates a batch.
   *
   * @param place where its conditions on columns are evaluated: the rows of its table
   * @param mustJudge whether any of its rows has a condition, or is an update that may make its row
   *     too large
   */
  public Judged judge(ChangeBatch batch, ConditionPlace place, boolean mustJudge) {
    return judge(batch, place, mustJudge, AliveAt.EVER);
  }

  /**
   * As {@link #judge(ChangeBatch, ConditionPlace, boolean)}, where stored rows may have expired.
   *
   * @param mustJudge also where a stored row of the batch may have expired
   */
  public Judged judge(ChangeBatch batch, ConditionPlace place, boolean mustJudge, AliveAt aliveAt) {
    if (!mustJudge) {
      KeyNumbering keys = new KeyNumbering(batch, place.key(), numbers);
      if (!keys.isOverflow()) {
        Judged all = keys.all();
        notIndexed.add(all.accepted().orElseThrow());
        return all;
      }
    }
    return judgeWhile(batch, place, aliveAt, () -> true)
        .orElseThrow(() -> new IllegalStateException("the evaluation stopped unasked"));
  }

  /**
   * Evaluates a batch as long as {@code mayGoOn} says so before each row but the first.
   *
   * @return empty when rows are left; the group is as it was before then
   */
  public Optional<Judged> judgeWhile(
      ChangeBatch batch, ConditionPlace place, AliveAt aliveAt, BooleanSupplier mayGoOn) {
    indexRemembered();
    Judging judging = new Judging(batch, place, aliveAt, batch.rowCount() > 1);
    if (!judging.run(mayGoOn)) {
      judging.undo();
      return Optional.empty();
    }
    return Optional.of(judging.judged());
  }

  /** Begins to evaluate a batch, some rows at a time. No other batch may be evaluated meanwhile. */
  public Judging begin(ChangeBatch batch, ConditionPlace place, AliveAt aliveAt) {
    indexRemembered();
    return new Judging(batch, place, aliveAt, batch.isAtomic());
  }

  /** A batch under evaluation. */
  public final class Judging {
    private final RowsToJudge rows;
    private final ConditionPlace place;
    private final boolean isAtomic;

    /** Whether a row has something that no log has. */
    private boolean isForJudging;

    private final BitSet accepted = new BitSet();
    private final List<Rejection> rejections = new ArrayList<>();
    private final ExpiryJudge expiry;
    private final ReturnedRows returns = new ReturnedRows();

    private final KeyNumbering keys;

    /** Whether the group may have to be as it was before. */
    private final boolean mayUndo;

    /** The rows of the group before the batch; empty where the group had no such row. */
    private final Map<RowKey, Optional<RowInGroup>> before = new HashMap<>();

    private Judging(ChangeBatch batch, ConditionPlace place, AliveAt aliveAt, boolean mayUndo) {
      this.mayUndo = mayUndo;
      this.keys = new KeyNumbering(batch, place.key(), numbers);
      this.rows = new RowsToJudge(keys.batch());
      this.place = place;
      this.isAtomic = batch.isAtomic();
      this.expiry = new ExpiryJudge(stored, aliveAt);
    }

    /**
     * Evaluates the next row, and others as long as {@code mayGoOn} says so before each of them.
     * Returns whether all rows are evaluated.
     */
    public boolean run(BooleanSupplier mayGoOn) {
      do {
        if (!rows.next()) {
          return true;
        }
        RowCursor row = rows.row();
        isForJudging |= row.isForJudging();
        RowKey key = key(row);
        if (mayUndo) {
          before.computeIfAbsent(
              key, any -> Optional.ofNullable(group.get(any)).map(RowInGroup::copy));
        }
        Optional<ErrorCode> refusal =
            keys.isOverflow() && row.isAuto()
                ? Optional.of(ErrorCode.INTEGER_OVERFLOW)
                : judge(row, key, place, expiry, returns);
        if (refusal.isEmpty()) {
          keys.accepted(row);
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

    /** The group is again as it was before the batch. */
    private void undo() {
      before.forEach(
          (key, row) ->
              row.ifPresentOrElse(found -> group.put(key, found), () -> group.remove(key)));
    }

    /** No row of the atomic batch is applied. */
    private void refuseAll(Rejection refused) {
      undo();
      accepted.clear();
      keys.noneIsAccepted();
      expiry.noneIsWritten();
      returns.keepOnly(refused.rowIndex());
      rejections.addAll(refused.ofAll(rows.batch().rowCount()));
    }

    /** What became of the batch, all of whose rows are evaluated. */
    public Judged judged() {
      ChangeBatch batch = rows.batch();
      if (accepted.cardinality() + rejections.size() != batch.rowCount()) {
        throw new IllegalStateException(
            "evaluated "
                + (accepted.cardinality() + rejections.size())
                + " of "
                + batch.rowCount()
                + " rows");
      }
      Optional<ChangeBatch> left = Optional.of(batch);
      if (isForJudging || !rejections.isEmpty()) {
        left =
            accepted.isEmpty() ? Optional.empty() : left.map(all -> AcceptedRows.of(all, accepted));
      }
      left.ifPresent(keys::accepted);
      return new Judged(
          left,
          rejections,
          returns.rows(),
          expiry.expired(batch.partition()),
          expiry.validMicros(),
          keys.firstNumber());
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

  /** A row after a PUT or a DELETE, which leave nothing of what was there. */
  private static RowInGroup replaced(RowCursor row) {
    return row.kind() == ChangeKind.DELETE
        ? new RowInGroup(new RowInGroup.NothingBelow(), false)
        : new RowInGroup(RowInGroup.RowPlace.of(row), true);
  }

  private static RowKey key(RowCursor row) {
    ChangeBatch batch = row.batch();
    return new RowKey(
        batch.partition(), Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  /**
   * Evaluates one row, which from then on belongs to the group if it is applied. Columns that the
   * row adds to then have the results, in the array of the row's batch: see {@link RowsToJudge}.
   *
   * @param place where its condition on columns is judged: the rows of its table
   * @param returns takes what the row returns
   * @return why the row is not applied; empty when it is
   */
  public Optional<ErrorCode> judge(RowCursor row, ConditionPlace place, ReturnedRows returns) {
    indexRemembered();
    return judge(row, key(row), place, ExpiryJudge.OFF, returns);
  }

  /** The group's batches are indexed. */
  private Optional<ErrorCode> judge(
      RowCursor row, RowKey key, ConditionPlace place, ExpiryJudge expiry, ReturnedRows returns) {
    RowInGroup before = group.get(key);
    ExpiryJudge.Life life = before == null ? expiry.look(key) : ExpiryJudge.Life.ALIVE;
    if (row.isExpiry()) {
      return expire(row, key, life);
    }
    if (life == ExpiryJudge.Life.OVER) {
      before = new RowInGroup(new RowInGroup.NothingBelow(), false);
    }
    Optional<ErrorCode> refusal = judge(row, key, place, before);
    if (refusal.isEmpty() && life == ExpiryJudge.Life.OVER) {
      expiry.isWritten(key);
    }
    Optional<Returning> asked = row.returning();
    if (asked.isPresent()) {
      take(row, key, asked.get(), refusal.isEmpty(), before, returns);
    }
    return refusal;
  }

  /** Takes what a row returns: as the row is now, which a refused change leaves as it was. */
  private void take(
      RowCursor row,
      RowKey key,
      Returning asked,
      boolean isApplied,
      RowInGroup before,
      ReturnedRows returns) {
    boolean isStored = !isApplied && before == null;
    RowInGroup now = isApplied ? group.get(key) : isStored ? stored(key) : before;
    boolean exists = isStored ? isStored(row) : now.exists();
    returns.take(row.index(), asked, isApplied, exists, now::value);
  }

  private boolean isStored(RowCursor row) {
    ChangeBatch batch = row.batch();
    look(row.keyBytes());
    return stored.exists(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
  }

  /** The server's own word that a row has expired, which a write since then has made untrue. */
  private Optional<ErrorCode> expire(RowCursor row, RowKey key, ExpiryJudge.Life life) {
    if (life != ExpiryJudge.Life.OVER) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    group.put(key, replaced(row));
    return Optional.empty();
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
      look(key.key().length() + bytes(same.get().columns()));
    }
    return same.get().columns();
  }

  private static int bytes(SortedMap<String, Bytes> columns) {
    return columns.entrySet().stream()
        .mapToInt(column -> column.getKey().length() + column.getValue().length())
        .sum();
  }

  private boolean mayExist(RowCursor row, RowInGroup before) {
    if (row.condition() == RowExistenceExpectation.IGNORE) {
      return true;
    }
    boolean exists = before != null ? before.exists() : isStored(row);
    return exists == (row.condition() == RowExistenceExpectation.EXPECT_EXIST);
  }
}
