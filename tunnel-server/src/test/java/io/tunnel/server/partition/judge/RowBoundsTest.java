package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.RandomChanges;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RowBoundsTest {

  private static final ConditionPlace KEYS =
      ConditionPlace.ofRows(List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));

  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;

  static LongStream seeds() {
    return LongStream.range(0, 12);
  }

  private static boolean mustJudge(RowBounds bounds, int partition, RowChange... rows) {
    ChangeBatch batch = batch(partition, List.of(rows));
    return bounds.mustJudge(batch, true, ColumnSizes.of(batch));
  }

  private static RowChange update(String column, int bytes) {
    ColumnValue value = ColumnValue.fromString("v".repeat(bytes));
    return new RowUpdateChange(key("k"), List.of(new ColumnUpdate.Put(column, value)));
  }

  /** Lives that end in order, and lives that end as with the power: with what was flushed. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void no_row_is_above_the_bound_of_its_partition_in_any_life(long seed) throws IOException {
    Random random = new Random(seed);
    RandomChanges changes = new RandomChanges(random, 30);
    Map<Integer, ChangeBatch> touched = new HashMap<>();
    for (int life = 0; life < 6; life++) {
      AtomicBoolean isLost = new AtomicBoolean();
      TableStore table = TableStore.open(directory, CONFIG, () -> requireLog(isLost.get()));
      RowBounds bounds = new RowBounds(table.bounds());
      long offset = table.foldedOffset();
      requireBounds(table, bounds, touched);
      for (int group = 0; group < 15; group++) {
        int partition = 1 + random.nextInt(3);
        ChangeBatch batch = batch(partition, changes.changes(random.nextBoolean()));
        touched.merge(partition, batch, (before, now) -> random.nextBoolean() ? now : before);
        bounds.saw(batch, ColumnSizes.of(batch));
        table.fold(List.of(batch), ++offset, new BesideRows(Map.of(), bounds.takeRaised()));
        requireBounds(table, bounds, touched);
        if (random.nextInt(8) == 0) {
          flush(table, offset);
        }
      }
      isLost.set(random.nextBoolean());
      end(table, isLost.get());
    }
  }

  private static void requireLog(boolean isLost) throws IOException {
    if (isLost) {
      throw new IOException("the log cannot be made durable");
    }
  }

  private static void flush(TableStore table, long offset) throws IOException {
    // A flush that was under way already may not have the last rows, and then no other is begun.
    while (table.durableOffset() < offset) {
      table.startFlush();
      Thread.onSpinWait();
    }
  }

  /** What is not flushed is dropped when the log cannot be synced, as when the process dies. */
  private static void end(TableStore table, boolean isLost) throws IOException {
    if (isLost) {
      assertThatThrownBy(table::close).hasMessageContaining("cannot be made durable");
    } else {
      table.close();
    }
  }

  private static void requireBounds(
      TableStore table, RowBounds bounds, Map<Integer, ChangeBatch> touched) {
    for (Map.Entry<Integer, ChangeBatch> one : touched.entrySet()) {
      RowBound bound = bounds.of(one.getKey());
      RowCursor row = one.getValue().rows();
      while (row.next()) {
        byte[] array = one.getValue().array();
        Bytes key = Bytes.copyOf(array, row.keyOffset(), row.keyBytes());
        SortedMap<String, Bytes> columns =
            table.encodedColumns(one.getKey(), key).orElseGet(TreeMap::new);
        long bytes = columns.values().stream().mapToLong(Bytes::length).sum();
        assertThat(bytes).isLessThanOrEqualTo(bound.bytes());
        assertThat(columns.size()).isLessThanOrEqualTo(bound.columns());
      }
    }
  }

  /** Rows near both limits: what is not judged by its row would not have been refused. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_is_not_judged_is_legal(long seed) {
    Random random = new Random(seed);
    ModelRows rows = new ModelRows();
    ConditionCore core = new ConditionCore(rows);
    RowBounds bounds = new RowBounds(Map.of());
    int columnsMax = random.nextBoolean() ? 1_100 : 6;
    int bytesMax = columnsMax > 6 ? 90 : 1_500_000;
    int notJudged = 0;
    for (int i = 0; i < 60; i++) {
      List<RowChange> changes = growth(random, columnsMax, bytesMax);
      ChangeBatch batch = batch(1, changes);
      boolean mustJudge = bounds.mustJudge(batch, true, ColumnSizes.of(batch));
      ConditionCore.Judged judged = core.judge(batch, KEYS, true);
      if (!mustJudge) {
        notJudged++;
        assertThat(judged.rejections()).isEmpty();
      }
      core.clear();
      judged.accepted().ifPresent(rows::apply);
    }
    assertThat(notJudged).isPositive();
  }

  private static List<RowChange> growth(Random random, int columnsMax, int bytesMax) {
    List<RowChange> changes = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String name = "k" + random.nextInt(2);
      RowExistenceExpectation condition =
          random.nextInt(16) == 0
              ? RowExistenceExpectation.EXPECT_EXIST
              : RowExistenceExpectation.IGNORE;
      List<ColumnUpdate> grown = new ArrayList<>();
      int first = random.nextInt(columnsMax);
      for (int column = first; column < Math.min(first + 60, columnsMax); column++) {
        ColumnValue value = ColumnValue.fromString("v".repeat(random.nextInt(bytesMax)));
        grown.add(new ColumnUpdate.Put("c" + column, value));
        bytesMax = columnsMax > 6 ? bytesMax : bytesMax / 2 + 1;
      }
      changes.add(
          switch (random.nextInt(12)) {
            case 0 -> new RowDeleteChange(key(name), condition);
            case 1 -> new RowPutChange(key(name), List.of(), condition);
            default -> new RowUpdateChange(key(name), grown, condition);
          });
    }
    return changes;
  }

  @Test
  void updates_of_the_same_columns_raise_the_bound_no_further() {
    RowBounds bounds = new RowBounds(Map.of());
    assertThat(mustJudge(bounds, 1, update("a", 100))).isFalse();
    assertThat(bounds.takeRaised()).containsOnlyKeys(1);
    for (int i = 0; i < 100_000; i++) {
      assertThat(mustJudge(bounds, 1, update("a", 100))).isFalse();
    }
    assertThat(bounds.takeRaised()).isEmpty();
    assertThat(bounds.of(1).columns()).isEqualTo(1);
    assertThat(mustJudge(bounds, 1, update("b", 100))).isFalse();
    assertThat(bounds.takeRaised()).containsOnlyKeys(1);
  }

  @Test
  void where_columns_together_may_be_too_large_every_update_is_judged() {
    RowBounds bounds = new RowBounds(Map.of());
    int half = Limits.VALUE_BYTES_MAX - 10;
    assertThat(mustJudge(bounds, 1, update("a", half))).isFalse();
    assertThat(mustJudge(bounds, 1, update("b", half))).isTrue();
    assertThat(mustJudge(bounds, 1, update("c", 1))).isTrue();
    assertThat(mustJudge(bounds, 2, update("c", 1))).isFalse();
    RowBounds again = new RowBounds(bounds.takeRaised());
    assertThat(mustJudge(again, 1, update("a", 1))).isTrue();
    assertThat(mustJudge(again, 2, update("a", half))).isFalse();
  }

  /** Logs hold such batches: the rows that used the names were refused, or no row ever did. */
  @Test
  void names_that_no_row_sets_are_no_columns() {
    RowBounds bounds = new RowBounds(Map.of());
    RowChange removal = new RowUpdateChange(key("k"), List.of(new ColumnUpdate.Delete("gone")));
    assertThat(mustJudge(bounds, 1, removal, update("a", 1))).isFalse();
    assertThat(bounds.of(1).columns()).isEqualTo(1);
    ChangeBatch unused = withNames(batch(1, update("a", 1)), "a", "unused");
    bounds.saw(unused, ColumnSizes.of(unused));
    assertThat(bounds.of(1).columns()).isEqualTo(1);
  }

  private static ChangeBatch withNames(ChangeBatch batch, String... names) {
    ByteSink sink = new ByteSink(256);
    sink.write(batch.array(), 0, batch.dictionaryOffset());
    byte[] dictionary = Dictionary.encode(names);
    sink.write(dictionary, 0, dictionary.length);
    byte[] array = sink.toByteArray();
    int rowsBytes = batch.dictionaryOffset() - batch.rowsOffset();
    BatchBuilder.writeHeader(
        array, 0, array.length, names.length, batch.partition(), batch.rowCount(), rowsBytes);
    BatchBuilder.stamp(array, 0, 0, 0);
    return ChangeBatch.parse(array, 0, array.length);
  }

  @Test
  void a_condition_is_always_judged() {
    RowBounds bounds = new RowBounds(Map.of());
    RowChange conditional =
        new RowPutChange(key("k"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    assertThat(mustJudge(bounds, 1, update("a", 1), conditional)).isTrue();
    ChangeBatch puts = batch(1, put("k", new Column("a", ColumnValue.fromLong(1))));
    assertThat(bounds.mustJudge(puts, false, ColumnSizes.of(puts))).isFalse();
  }

  @Test
  void a_dropped_partition_has_no_bound_and_the_others_keep_theirs() {
    RowBounds bounds = new RowBounds(Map.of());
    mustJudge(bounds, 1, update("a", 1));
    mustJudge(bounds, 2, update("a", 1));
    bounds.drop(1);
    assertThat(bounds.of(1).columns()).isZero();
    assertThat(bounds.of(2).columns()).isEqualTo(1);
    assertThat(bounds.takeRaised()).containsOnlyKeys(2);
  }

  @Test
  void of_rows_of_which_nothing_is_known_every_update_is_judged() {
    RowBounds bounds = RowBounds.unknown();
    assertThat(mustJudge(bounds, 1, update("a", 1))).isTrue();
    assertThat(bounds.takeRaised()).isEmpty();
  }

  @Test
  void a_bound_is_stored_as_these_bytes() {
    RowBounds bounds = new RowBounds(Map.of());
    mustJudge(bounds, 1, update("a", 100), update("bc", 1));
    Bytes stored = bounds.takeRaised().get(1);
    assertThat(stored).isEqualTo(Bytes.fromHex("00" + "02" + "0702" + "0161" + "026263"));
    RowBound again = RowBound.decode(stored);
    assertThat(again.bytes()).isEqualTo(bounds.of(1).bytes());
    assertThat(again.columns()).isEqualTo(2);
    assertThat(RowBound.unknown().encode()).isEqualTo(Bytes.fromHex("01"));
    assertThat(RowBound.decode(Bytes.fromHex("01")).isLegal()).isFalse();
  }

  @Test
  void the_largest_number_of_keys_is_stored_with_the_bound_and_never_falls() {
    RowBounds bounds = new RowBounds(Map.of());
    assertThat(bounds.largest(1)).isZero();
    bounds.raise(1, 500);
    Bytes stored = bounds.takeRaised().get(1);
    assertThat(stored).isEqualTo(Bytes.fromHex("02" + "00000000000001f4" + "00"));
    bounds.raise(1, 499);
    assertThat(bounds.takeRaised()).isEmpty();
    assertThat(bounds.largest(1)).isEqualTo(500);
    int half = Limits.VALUE_BYTES_MAX - 10;
    mustJudge(bounds, 1, update("a", half));
    mustJudge(bounds, 1, update("b", half));
    mustJudge(bounds, 1, update("c", 1));
    RowBounds again = new RowBounds(Map.of(1, bounds.takeRaised().get(1)));
    assertThat(again.of(1).isLegal()).isFalse();
    assertThat(again.largest(1)).isEqualTo(500);
    assertThat(again.largest(2)).isZero();
    again.drop(1);
    assertThat(again.largest(1)).isZero();
  }

  @Test
  void a_column_counts_once_with_the_largest_of_its_values() {
    RowBound bound = RowBound.none();
    assertThat(bound.saw("a", 5)).isTrue();
    assertThat(bound.bytes()).isEqualTo(8);
    assertThat(bound.saw("a", 100)).isTrue();
    assertThat(bound.bytes()).isEqualTo(128);
    assertThat(bound.saw("a", 128)).isFalse();
    assertThat(bound.saw("b", 1)).isTrue();
    assertThat(bound.bytes()).isEqualTo(129);
  }
}
