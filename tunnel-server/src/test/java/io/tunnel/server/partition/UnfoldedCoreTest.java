package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which parts are folded in which order, and what the table reports. */
final class UnfoldedCoreTest {

  private static final int PARTITIONS = 4;
  private static final long PART_BYTES_MAX = 1_000;

  private UnfoldedCore core = new UnfoldedCore(PART_BYTES_MAX);

  /** The log: the batches of each group, by its end. */
  private final TreeMap<Long, List<ChangeBatch>> log = new TreeMap<>();

  /** The last change of each row, as the table has it, and as the whole log leaves it. */
  private final Map<String, Integer> table = new HashMap<>();

  private final Map<String, Integer> model = new HashMap<>();

  /** The number of the last change that was folded, by partition. */
  private final Map<Integer, Integer> lastFolded = new HashMap<>();

  private final Map<Integer, Bytes> bounds = new HashMap<>();
  private final Map<Integer, Bytes> storedBounds = new HashMap<>();
  private final Map<UnfoldedCore.Part, Deque<Change>> open = new HashMap<>();
  private final Map<ChangeBatch, List<Integer>> numbers = new HashMap<>();
  private long storedEnd;
  private int changes;

  private record Change(String row, int number) {}

  private static Bytes bound(int value) {
    return Bytes.copyOf(new byte[] {(byte) (value >> 16), (byte) (value >> 8), (byte) value});
  }

  private void addGroup(Random random) {
    List<ChangeBatch> batches = new ArrayList<>();
    Map<Integer, Bytes> raised = new HashMap<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int partition = 1 + random.nextInt(PARTITIONS);
      List<RowChange> rows = new ArrayList<>();
      List<Integer> of = new ArrayList<>();
      for (int row = 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 3); row > 0; row--) {
        rows.add(put("k" + random.nextInt(6)));
        of.add(++changes);
      }
      ChangeBatch batch = batch(partition, rows);
      numbers.put(batch, of);
      batches.add(batch);
      changes(batch).forEach(change -> model.put(change.row(), change.number()));
      if (random.nextInt(3) == 0) {
        raised.put(1 + random.nextInt(PARTITIONS), bound(changes));
      }
    }
    bounds.putAll(raised);
    long end = (log.isEmpty() ? 0 : log.lastKey()) + 1 + random.nextInt(5);
    log.put(end, batches);
    core.add(batches, end, new BesideRows(Map.of(), raised));
    assertThat(core.addedEnd()).isEqualTo(end);
  }

  private List<Change> changes(ChangeBatch batch) {
    List<Change> found = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      found.add(new Change(batch.partition() + "/" + key, numbers.get(batch).get(row.index())));
    }
    return found;
  }

  /** A slice of a fold, as the table does it. */
  private void slice(UnfoldedCore.Part part, Random random) {
    Deque<Change> left = open.get(part);
    if (left == null) {
      left = new ArrayDeque<>();
      for (ChangeBatch batch : part.batches()) {
        assertThat(batch.partition()).isEqualTo(part.partition());
        left.addAll(changes(batch));
      }
      open.put(part, left);
      storedBounds.putAll(part.beside().bounds());
    }
    TableFold.Offsets offsets = core.offsets(part);
    assertThat(offsets.before()).isBetween(storedEnd, offsets.after());
    assertThat(offsets.after()).isLessThanOrEqualTo(offsets.ahead());
    for (int rows = 1 + random.nextInt(20); rows > 0 && !left.isEmpty(); rows--) {
      Change change = left.remove();
      table.put(change.row(), change.number());
      Integer before = lastFolded.put(part.partition(), change.number());
      assertThat(before == null || before < change.number()).as("each once, in order").isTrue();
    }
    if (left.isEmpty()) {
      storedEnd = offsets.after();
      open.remove(part);
      core.folded(part);
      assertThat(core.offsets(part).before()).isEqualTo(storedEnd);
    } else {
      storedEnd = offsets.before();
    }
  }

  /** After a crash, with what the table has and says. */
  private void requireThatTheRestOfTheLogLeavesTheModel() {
    Map<String, Integer> again = new HashMap<>(table);
    log.tailMap(storedEnd, false)
        .values()
        .forEach(
            batches ->
                batches.forEach(
                    batch -> changes(batch).forEach(c -> again.put(c.row(), c.number()))));
    assertThat(again).isEqualTo(model);
  }

  private boolean isFolded(int partition) {
    return model.entrySet().stream()
        .filter(row -> row.getKey().startsWith(partition + "/"))
        .allMatch(row -> row.getValue().equals(table.get(row.getKey())));
  }

  static LongStream seeds() {
    return LongStream.range(0, 100);
  }

  @Test
  void what_a_write_of_its_own_has_stored_is_stored_with_no_later_part() {
    BesideRows first = new BesideRows(Map.of(7, bound(1)), Map.of());
    BesideRows second = new BesideRows(Map.of(8, bound(2)), Map.of());
    assertThat(core.raise(first)).isEqualTo(first);
    BesideRows raised = core.raise(second);
    assertThat(raised).isEqualTo(first.then(second));
    core.passed(10, raised);
    core.add(List.of(batch(1, put("a"))), 20, BesideRows.NONE);
    assertThat(core.begin().beside()).isEqualTo(BesideRows.NONE);
  }

  @Test
  void what_was_raised_and_not_stored_is_stored_with_the_next_part() {
    BesideRows first = new BesideRows(Map.of(7, bound(1)), Map.of());
    BesideRows second = new BesideRows(Map.of(8, bound(2)), Map.of());
    BesideRows raised = core.raise(first);
    core.add(List.of(batch(1, put("a"))), 20, second);
    core.passed(10, raised);
    assertThat(core.begin().beside()).isEqualTo(first.then(second));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void changes_of_a_partition_are_folded_in_order_and_a_crash_loses_none(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      int partition = 1 + random.nextInt(PARTITIONS);
      if (random.nextInt(3) == 0) {
        addGroup(random);
      } else if (random.nextBoolean() && !core.isFolded(partition)) {
        slice(core.begin(partition), random);
      } else if (!core.isEmpty()) {
        slice(core.begin(), random);
      }
      requireThatTheRestOfTheLogLeavesTheModel();
      if (core.isFolded(partition)) {
        assertThat(isFolded(partition)).isTrue();
      }
    }
    while (!core.isEmpty()) {
      slice(core.begin(), random);
    }
    assertThat(table).isEqualTo(model);
    assertThat(storedBounds).isEqualTo(bounds);
    assertThat(storedEnd).isEqualTo(log.lastKey());
    assertThat(core.bytes()).isZero();
  }

  @Test
  void a_part_takes_no_more_than_may_be_folded_together_and_a_large_batch_alone() {
    ChangeBatch batch = batch(1, put("k".repeat((int) PART_BYTES_MAX)));
    core.add(List.of(batch, batch(1, put("a")), batch(1, put("b"))), 1, BesideRows.NONE);
    core.add(List.of(batch(1, put("c"))), 2, BesideRows.NONE);
    UnfoldedCore.Part first = core.begin(1);
    assertThat(first.batches()).containsExactly(batch);
    assertThat(core.offsets(first)).isEqualTo(new TableFold.Offsets(0, 0, 1));
    core.folded(first);
    assertThat(core.begin(1).batches()).hasSize(3);
    assertThat(core.offsets(core.begin(1))).isEqualTo(new TableFold.Offsets(0, 2, 2));
  }

  @Test
  void what_is_added_later_is_not_waited_for() {
    core.add(List.of(batch(1, put("a"))), 10, BesideRows.NONE);
    core.add(List.of(batch(2, put("a"))), 20, BesideRows.NONE);
    assertThat(core.isFolded(2, 10)).isTrue();
    assertThat(core.isFolded(2, 20)).isFalse();
    assertThat(core.isFolded(3)).isTrue();
    UnfoldedCore.Part part = core.begin(2);
    assertThat(core.isFolded(2)).isFalse();
    assertThat(core.offsets(part)).isEqualTo(new TableFold.Offsets(0, 0, 20));
    core.folded(part);
    assertThat(core.isFolded(2)).isTrue();
    assertThat(core.offsets(core.begin())).isEqualTo(new TableFold.Offsets(0, 20, 20));
  }
}
