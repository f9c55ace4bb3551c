package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A model of rows that reads a log. Each row that is in the log was judged against exactly the rows
 * before it, and each answer says what the log has.
 */
final class JudgedRows {

  static final int KEYS = 4;

  private static final List<RowExistenceExpectation> EXPECTATIONS =
      List.of(RowExistenceExpectation.values());

  /** By partition, key and position, the rows as the log leaves them; the value of a row, or 0. */
  private final Map<String, NavigableMap<Long, Long>> rows = new HashMap<>();

  private final Map<Integer, Long> learned = new HashMap<>();

  /** By the value of a row, its position; each value is sent in one batch only. */
  private final Map<Long, Long> positions = new HashMap<>();

  /** Values of rows that never count. */
  private final Set<Long> refused = new HashSet<>();

  private final SplittableRandom random;
  private long values;
  private int rejected;

  JudgedRows(SplittableRandom random) {
    this.random = random;
  }

  /** A batch: rows with values that no other batch has. */
  record Batch(int partition, List<RowChange> changes, List<Long> ids, long postedAt) {

    /** The write of the batch. */
    PendingWrite write(Optional<Numbered> writer, boolean isSynced, PendingWrite.Outcome outcome) {
      ChangeBatch sent = TestRows.batch(partition, changes);
      boolean isConditional =
          changes.stream().anyMatch(row -> row.condition() != RowExistenceExpectation.IGNORE);
      return new PendingWrite(
          sent,
          new PendingWrite.Judging(
              ConditionPlace.ofRows(TestRows.SCHEMA), isConditional, ColumnSizes.of(sent)),
          writer,
          isSynced,
          outcome);
    }
  }

  /** The position of the last change that the model has read. */
  long learned(int partition) {
    return learned.getOrDefault(partition, 0L);
  }

  /** Rows that were rejected. */
  int rejected() {
    return rejected;
  }

  /** The value of a row now, or 0. */
  long now(int partition, String name) {
    return states(partition, name).lastEntry().getValue();
  }

  /** No row of the batch is in the log, now or later. */
  void neverCounts(Batch batch) {
    assertThat(positions.keySet())
        .as("of a refused write")
        .doesNotContainAnyElementsOf(batch.ids());
    refused.addAll(batch.ids());
  }

  /** The log has the applied rows where the answer says, and no other row of the batch. */
  void require(Batch batch, WriteResult result) {
    Set<Integer> not =
        result.rejections().stream().map(Rejection::rowIndex).collect(Collectors.toSet());
    long position = result.firstPosition();
    for (int row = 0; row < batch.ids().size(); row++) {
      long value = batch.ids().get(row);
      if (not.contains(row)) {
        assertThat(positions).as("a rejected row").doesNotContainKey(value);
        requireRejectedRightly(batch, row);
        refused.add(value);
        rejected++;
      } else {
        assertThat(positions).as("row %s of %s", row, batch).containsEntry(value, position++);
      }
    }
  }

  /** The condition did not hold at some moment since the batch was posted. */
  private void requireRejectedRightly(Batch batch, int row) {
    RowChange change = batch.changes().get(row);
    NavigableMap<Long, Long> states = states(batch.partition(), nameOf(change));
    List<Long> seen = new ArrayList<>(states.tailMap(batch.postedAt(), false).values());
    seen.add(states.floorEntry(batch.postedAt()).getValue());
    boolean expectsRow = change.condition() == RowExistenceExpectation.EXPECT_EXIST;
    // The rows of the batch before this one may have made or removed the row.
    boolean isTouched =
        batch.changes().subList(0, row).stream()
            .anyMatch(other -> nameOf(other).equals(nameOf(change)));
    assertThat(isTouched || seen.stream().anyMatch(value -> (value == 0) == expectsRow))
        .as("%s is rejected, and held since %d: %s", change, batch.postedAt(), states)
        .isTrue();
  }

  private static String nameOf(RowChange change) {
    return change.primaryKey().getPrimaryKeyColumn("k").getValue().asString();
  }

  private NavigableMap<Long, Long> states(int partition, String name) {
    return rows.computeIfAbsent(partition + "/" + name, any -> new TreeMap<>(Map.of(0L, 0L)));
  }

  /** Takes a batch of the log; changes that are known are skipped. */
  void learn(ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      learn(row, batch.basePosition() + row.index());
    }
  }

  private void learn(RowCursor row, long position) {
    int partition = row.batch().partition();
    if (position <= learned(partition)) {
      return;
    }
    learned.put(partition, position);
    var column = row.columns();
    boolean isRow = column.next();
    String name = nameOf(row);
    NavigableMap<Long, Long> states = states(partition, name);
    boolean wasThere = states.lastEntry().getValue() != 0;
    if (row.condition() != RowExistenceExpectation.IGNORE) {
      assertThat(wasThere)
          .as("%s of %s at %d", row.condition(), name, position)
          .isEqualTo(row.condition() == RowExistenceExpectation.EXPECT_EXIST);
    }
    if (isRow) {
      long value = column.value().asLong();
      assertThat(positions.put(value, position)).as("value %d is logged once", value).isNull();
      assertThat(refused).as("values of refused writes").doesNotContain(value);
      states.put(position, value);
    } else {
      states.put(position, 0L);
    }
  }

  private static String nameOf(RowCursor row) {
    Bytes encoded = Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
    for (int id = 0; id < KEYS; id++) {
      if (keyBytes("k" + id).equals(encoded)) {
        return "k" + id;
      }
    }
    throw new AssertionError("a change of an unknown key");
  }

  /** Up to three puts, some of them under a condition. */
  Batch anyBatch(int partition) {
    boolean mayBeConditional = random.nextBoolean();
    List<RowChange> changes = new ArrayList<>();
    List<Long> ids = new ArrayList<>();
    for (int row = random.nextInt(3); row >= 0; row--) {
      RowExistenceExpectation expected =
          mayBeConditional ? EXPECTATIONS.get(random.nextInt(3)) : RowExistenceExpectation.IGNORE;
      String name = "k" + random.nextInt(KEYS);
      ids.add(++values);
      changes.add(
          new RowPutChange(
              key(name), List.of(new Column("v", ColumnValue.fromLong(values))), expected));
    }
    return new Batch(partition, changes, ids, learned(partition));
  }
}
