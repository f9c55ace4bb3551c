package io.tunnel.it.sim.truth;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What clients are answered about rows, compared with the changes: a read shows one moment not
 * before what was acknowledged when it arrived, and a write was applied where its conditions held.
 */
final class RowAnswers {

  private RowAnswers() {}

  /** Rows were read by their keys: each is as it was at a moment of its own. */
  static void requireRows(List<Bytes> keys, ReadTerms terms, RowPage answer, Moments moments) {
    int looked = answer.looked().rows();
    Invariant.READS_ARE_FRESH.require(
        answer
            .next()
            .equals(looked < keys.size() ? Optional.of(keys.get(looked)) : Optional.empty()),
        "of the keys %s %d were looked up, and the answer goes on at %s",
        keys,
        looked,
        answer.next());
    NavigableMap<Bytes, Selected.Answered> read = rows(answer);
    for (Bytes key : keys.subList(0, looked)) {
      requireMoment(
          (stored, alive) ->
              Optional.ofNullable(
                      Selected.of(only(alive.columns(), key), alive, terms.selection()).get(key))
                  .equals(Optional.ofNullable(read.get(key))),
          moments,
          "the row " + key + " was read as " + read.get(key) + " under " + terms);
    }
    Invariant.READS_ARE_FRESH.require(
        keys.subList(0, looked).containsAll(read.keySet()),
        "%s was answered to who asked for %s",
        read.keySet(),
        keys);
  }

  private static NavigableMap<Bytes, List<Column>> only(
      NavigableMap<Bytes, List<Column>> rows, Bytes key) {
    return rows.subMap(key, true, key, true);
  }

  /**
   * A page was read: the answer of its selection over all rows of a moment that the read looked at,
   * among them rows that have expired and are still stored.
   */
  static void requirePage(RangeRequest asked, RowPage page, Moments moments) {
    PageRange keys = PageRange.of(asked, page);
    NavigableMap<Bytes, Selected.Answered> read = rows(page);
    requireMoment(
        (stored, alive) ->
            keys.in(stored.rows()).size() == page.looked().rows()
                && Selected.of(keys.in(alive.columns()), alive, asked.terms().selection())
                    .equals(read),
        moments,
        "rows of "
            + keys
            + " were read as "
            + read
            + " of "
            + page.looked().rows()
            + " under "
            + asked.terms());
  }

  private static NavigableMap<Bytes, Selected.Answered> rows(RowPage page) {
    RowFold fold = new RowFold();
    fold.apply(page.rows());
    NavigableMap<Bytes, List<Column>> columns = fold.columns();
    NavigableMap<Bytes, Selected.Answered> rows = new TreeMap<>();
    for (RowCursor row = page.rows().rows(); row.next(); ) {
      Bytes key = Bytes.copyOf(page.rows().array(), row.keyOffset(), row.keyBytes());
      rows.put(key, new Selected.Answered(columns.get(key), page.commitMicrosOf(row.index())));
    }
    return rows;
  }

  private static void requireMoment(Moments.Question isShown, Moments moments, String what) {
    Invariant.READS_ARE_FRESH.require(
        moments.any(isShown),
        "%s, which partition %d was at no moment between position %d, which was acknowledged"
            + " before, and %d",
        what,
        moments.truth().id,
        moments.since(),
        moments.truth().committed());
  }

  /** A write was answered. */
  static void requireWritten(WriteRequest asked, WriteResult result, Moments moments) {
    PartitionTruth truth = moments.truth();
    ChangeBatch batch = asked.batch();
    List<Asked> conditions = conditions(batch, Returns.of(batch, result));
    List<PartitionTruth.Change> changes = PartitionTruth.changesOf(batch);
    Map<Integer, ErrorCode> rejected = new TreeMap<>();
    result.rejections().forEach(each -> rejected.put(each.rowIndex(), each.code()));
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        result.appliedRows() == changes.size() - rejected.size(),
        "of %d rows %s were answered",
        changes.size(),
        result);
    if (batch.isAtomic() && !rejected.isEmpty()) {
      requireRefusedWhole(changes, conditions, rejected, moments);
      return;
    }
    int applied = 0;
    for (int i = 0; i < changes.size(); i++) {
      PartitionTruth.Change change = changes.get(i);
      Bytes key = RowFold.encode(change.record().getPrimaryKey());
      Optional<ErrorCode> refusal = Optional.ofNullable(rejected.get(i));
      if (refusal.isEmpty()) {
        long position = result.firstPosition() + applied;
        applied++;
        requireThere(change, truth, position);
        requireMarked(batch, i, truth.at(position).record());
        requireApplied(conditions.get(i), key, truth, position - 1);
        conditions.get(i).returns().requireApplied(key, truth, position);
      } else if (result.appliedRows() > 0) {
        long before = result.firstPosition() + applied - 1;
        requireRejected(conditions.get(i), refusal, key, moments, before, before);
      } else {
        requireRejected(
            conditions.get(i), refusal, key, moments, moments.since(), truth.committed());
      }
    }
  }

  /** Readers are told of each change to which atomic batch it belongs. */
  private static void requireMarked(ChangeBatch batch, int index, StreamRecord logged) {
    Optional<AtomicBatch> expected =
        batch.isAtomic()
            ? Optional.of(new AtomicBatch(logged.position() - index, index, batch.rowCount()))
            : Optional.empty();
    Invariant.BATCHES_ARE_WHOLE.require(
        logged.atomicBatch().equals(expected),
        "row %d of a batch is in %s and not in %s",
        index,
        logged.atomicBatch(),
        expected);
  }

  /** No row of an atomic batch was applied, because one row was refused behind those before it. */
  private static void requireRefusedWhole(
      List<PartitionTruth.Change> changes,
      List<Asked> conditions,
      Map<Integer, ErrorCode> rejected,
      Moments moments) {
    Map<Integer, ErrorCode> reasons = new TreeMap<>(rejected);
    reasons.values().removeIf(ErrorCode.BATCH_REFUSED::equals);
    Invariant.BATCHES_ARE_WHOLE.require(
        rejected.size() == changes.size() && reasons.size() == 1,
        "of an atomic batch of %d rows these were rejected: %s",
        changes.size(),
        rejected);
    int refused = reasons.keySet().iterator().next();
    Invariant.CONDITIONS_HOLD.require(
        moments.any(
            (stored, alive) ->
                isRefusedAt(alive, changes, conditions, refused, reasons.get(refused))),
        "an atomic batch was refused because of row %d (%s), which holds behind no position from %d"
            + " of partition %d on",
        refused,
        conditions.get(refused),
        moments.since(),
        moments.truth().id);
  }

  private static boolean isRefusedAt(
      RowFold before,
      List<PartitionTruth.Change> changes,
      List<Asked> conditions,
      int refused,
      ErrorCode reason) {
    RowFold fold = before.copy();
    for (int i = 0; i <= refused; i++) {
      Bytes key = RowFold.encode(changes.get(i).record().getPrimaryKey());
      Optional<ErrorCode> expected = i == refused ? Optional.of(reason) : Optional.empty();
      if (!isAnswered(conditions.get(i), expected, key, fold)) {
        return false;
      }
      fold.apply(changes.get(i).record());
    }
    return true;
  }

  /** The conditions of a row, and what it adds to columns. */
  private record Asked(
      RowExistenceExpectation existence,
      Optional<Condition> columns,
      Map<String, Long> added,
      Returns.Row returns) {

    boolean isNothing() {
      return existence == RowExistenceExpectation.IGNORE && columns.isEmpty() && added.isEmpty();
    }

    /** Why the row is not applied. */
    Optional<ErrorCode> refusal(Bytes key, Optional<NavigableMap<String, ColumnValue>> row) {
      return holds(key, row) ? Sums.refusal(added, row) : Optional.of(ErrorCode.CONDITION_FAILED);
    }

    private boolean holds(Bytes key, Optional<NavigableMap<String, ColumnValue>> row) {
      boolean mayExist =
          switch (existence) {
            case IGNORE -> true;
            case EXPECT_EXIST -> row.isPresent();
            case EXPECT_NOT_EXIST -> row.isEmpty();
          };
      return mayExist && columns.map(condition -> holds(condition, key, row)).orElse(true);
    }

    private static boolean holds(
        Condition condition, Bytes key, Optional<NavigableMap<String, ColumnValue>> row) {
      List<Column> found = new ArrayList<>();
      row.ifPresent(of -> of.forEach((name, value) -> found.add(new Column(name, value))));
      byte[] bytes = key.toByteArray();
      PrimaryKey of = KeyCodec.decode(bytes, 0, bytes.length, RowFold.SCHEMA);
      BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
      boolean unused = builder.add(new RowPutChange(of, found));
      byte[] array = builder.build(0);
      RowCursor put = ChangeBatch.parse(array, 0, array.length).rows();
      return put.next() && new Judge(condition, ConditionPlace.ofRows(RowFold.SCHEMA)).holdsOf(put);
    }

    @Override
    public String toString() {
      return existence
          + columns.map(condition -> " and " + condition).orElse("")
          + " adds "
          + added
          + " and returns "
          + returns;
    }
  }

  private static List<Asked> conditions(ChangeBatch batch, Map<Integer, Returns.Row> returns) {
    List<Asked> conditions = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      conditions.add(
          new Asked(
              row.condition(),
              row.columnCondition().map(Condition::decode),
              Sums.addedBy(row),
              returns.get(row.index())));
    }
    return conditions;
  }

  private static void requireThere(
      PartitionTruth.Change change, PartitionTruth truth, long position) {
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        position <= truth.committed() && truth.at(position).asked().equals(change.asked()),
        "%s was acknowledged at position %d of partition %d and is not there",
        change.asked(),
        position,
        truth.id);
  }

  /** The row was applied behind a position: the log has the DELETE of a row that had expired. */
  private static void requireApplied(Asked asked, Bytes key, PartitionTruth truth, long position) {
    if (!asked.isNothing()) {
      RowFold fold = truth.fold(position);
      Invariant.CONDITIONS_HOLD.require(
          isAnswered(asked, Optional.empty(), key, fold),
          "%s of %s was applied behind position %d of partition %d, and the row was %s",
          asked,
          key,
          position,
          truth.id,
          fold.rows().get(key));
    }
  }

  /** The row was refused for that reason at a moment between two positions. */
  private static void requireRejected(
      Asked asked, Optional<ErrorCode> refusal, Bytes key, Moments moments, long first, long last) {
    Invariant.CONDITIONS_HOLD.require(!asked.isNothing(), "a row without a condition was rejected");
    Invariant.CONDITIONS_HOLD.require(
        moments.any(first, last, (stored, alive) -> isAnswered(asked, refusal, key, alive)),
        "%s of %s was answered with %s behind position %d of partition %d, and the row was %s",
        asked,
        key,
        refusal,
        first,
        moments.truth().id,
        moments.truth().fold(last).rows().get(key));
  }

  private static boolean isAnswered(
      Asked asked, Optional<ErrorCode> refusal, Bytes key, RowFold fold) {
    return asked.refusal(key, Optional.ofNullable(fold.rows().get(key))).equals(refusal)
        && (refusal.isEmpty() || asked.returns().isOf(fold, key));
  }

  /** Up to which position each partition was acknowledged by now. */
  static Map<Integer, Long> acknowledgedOf(Map<Integer, PartitionTruth> partitions) {
    Map<Integer, Long> acknowledged = new TreeMap<>();
    partitions.forEach((id, truth) -> acknowledged.put(id, truth.acknowledged()));
    return acknowledged;
  }
}
