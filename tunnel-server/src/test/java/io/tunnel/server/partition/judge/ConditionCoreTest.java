package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
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
import io.tunnel.server.NewerBatches;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConditionCoreTest {

  private static final ConditionPlace KEYS =
      ConditionPlace.ofRows(List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));

  private static final List<RowExistenceExpectation> CONDITIONS =
      List.of(
          RowExistenceExpectation.IGNORE,
          RowExistenceExpectation.EXPECT_EXIST,
          RowExistenceExpectation.EXPECT_NOT_EXIST);
  private static final RowExistenceExpectation IGNORE = RowExistenceExpectation.IGNORE;

  private final Stored stored = new Stored();
  private final ConditionCore core = new ConditionCore(stored);

  /** The store, which gets a group's rows when the group is over. */
  private static final class Stored implements ConditionCore.StoredRows {
    private final Map<Bytes, Set<String>> rows = new HashMap<>();
    private final Map<String, Integer> bytes = new HashMap<>();

    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return rows.containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
    }

    @Override
    public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
      return Optional.ofNullable(rows.get(key)).map(this::sized);
    }

    private SortedMap<String, Bytes> sized(Set<String> names) {
      SortedMap<String, Bytes> columns = new TreeMap<>();
      for (String name : names) {
        int size = bytes.getOrDefault(name, 9);
        columns.put(name, Bytes.copyOf(new byte[size]));
      }
      return columns;
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_row_is_judged_against_all_rows_before_it(long seed) {
    Random random = new Random(seed);
    Map<Bytes, Set<String>> model = new HashMap<>();
    for (int group = 0; group < 6; group++) {
      for (int i = random.nextInt(5); i >= 0; i--) {
        boolean isConditional = random.nextBoolean();
        ChangeBatch batch = batch(1, changes(random, isConditional));
        ConditionCore.Judged judged = core.judge(batch, KEYS, isConditional);
        requireModel(batch, judged, model);
      }
      core.clear();
      stored.rows.clear();
      model.forEach((key, columns) -> stored.rows.put(key, new TreeSet<>(columns)));
    }
  }

  private static void requireModel(
      ChangeBatch batch, ConditionCore.Judged judged, Map<Bytes, Set<String>> model) {
    List<Rejection> rejections = new ArrayList<>();
    List<Bytes> accepted = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      boolean holds =
          switch (row.condition()) {
            case IGNORE -> true;
            case EXPECT_EXIST -> model.containsKey(key);
            case EXPECT_NOT_EXIST -> !model.containsKey(key);
          };
      if (holds) {
        accepted.add(rowBytes(row));
        switch (row.kind()) {
          case PUT -> model.put(key, new TreeSet<>());
          case UPDATE -> model.computeIfAbsent(key, id -> new TreeSet<>());
          case DELETE -> model.remove(key);
        }
      } else {
        rejections.add(new Rejection(row.index(), ErrorCode.CONDITION_FAILED));
      }
    }
    assertThat(judged.rejections()).isEqualTo(rejections);
    List<Bytes> rows = new ArrayList<>();
    judged.accepted().ifPresent(left -> rows.addAll(rows(left)));
    assertThat(rows).isEqualTo(accepted);
    assertThat(judged.accepted().isPresent()).isEqualTo(!accepted.isEmpty());
  }

  private static List<Bytes> rows(ChangeBatch batch) {
    List<Bytes> rows = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      rows.add(rowBytes(row));
    }
    return rows;
  }

  private static Bytes rowBytes(RowCursor row) {
    return Bytes.copyOf(row.batch().array(), row.rowOffset(), row.rowEnd() - row.rowOffset());
  }

  private static List<RowChange> changes(Random random, boolean isConditional) {
    List<RowChange> changes = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      RowExistenceExpectation condition =
          isConditional ? CONDITIONS.get(random.nextInt(3)) : IGNORE;
      String key = "k" + random.nextInt(5);
      changes.add(
          switch (random.nextInt(isConditional ? 3 : 2)) {
            case 0 -> new RowPutChange(key(key), List.of(), condition);
            case 1 -> new RowDeleteChange(key(key), condition);
            default -> new RowUpdateChange(key(key), List.of(remove("c")), condition);
          });
    }
    return changes;
  }

  private static ColumnUpdate remove(String name) {
    return new ColumnUpdate.Delete(name);
  }

  private static ColumnUpdate set(String name) {
    return new ColumnUpdate.Put(name, ColumnValue.fromLong(1));
  }

  @Test
  void an_update_that_would_give_a_row_too_many_columns_is_rejected_and_its_neighbours_are_not() {
    stored.rows.put(keyBytes("full"), names(0, 1_024));
    ConditionCore.Judged judged =
        core.judge(
            batch(
                1,
                update("full", set("c0")),
                update("full", set("new")),
                update("full", remove("c1"), set("new")),
                update("full", set("newer")),
                update("other", set("new"))),
            KEYS,
            true);
    assertThat(judged.rejections())
        .containsExactly(
            new Rejection(1, ErrorCode.ROW_TOO_LARGE), new Rejection(3, ErrorCode.ROW_TOO_LARGE));
  }

  @Test
  void updates_count_on_the_puts_and_deletes_of_their_own_group() {
    stored.rows.put(keyBytes("gone"), names(0, 1_024));
    List<Column> columns =
        names(0, 1_024).stream().map(name -> new Column(name, ColumnValue.fromLong(1))).toList();
    core.judge(batch(1, new RowDeleteChange(key("gone"))), KEYS, false);
    core.judge(batch(1, new RowPutChange(key("put"), columns)), KEYS, false);
    ConditionCore.Judged judged =
        core.judge(batch(1, update("gone", set("new")), update("put", set("new"))), KEYS, true);
    assertThat(judged.rejections()).containsExactly(new Rejection(1, ErrorCode.ROW_TOO_LARGE));
  }

  @Test
  void an_update_that_would_give_a_row_too_many_bytes_is_rejected() {
    stored.rows.put(keyBytes("k"), new TreeSet<>(Set.of("big", "too")));
    stored.bytes.put("big", 2 << 20);
    stored.bytes.put("too", (2 << 20) - 100);
    String value = "v".repeat(200);
    ColumnUpdate more = new ColumnUpdate.Put("more", ColumnValue.fromString(value));
    assertThat(core.judge(batch(1, update("k", more)), KEYS, true).rejections())
        .containsExactly(new Rejection(0, ErrorCode.ROW_TOO_LARGE));
    assertThat(core.judge(batch(1, update("k", more, remove("big"))), KEYS, true).rejections())
        .isEmpty();
  }

  /** Rows that grow and shrink near the limit of columns, judged in groups of several batches. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_row_is_as_large_as_all_its_changes_make_it(long seed) {
    Random random = new Random(seed);
    ModelRows rows = new ModelRows();
    ConditionCore sizes = new ConditionCore(rows);
    Map<Bytes, Set<String>> model = new HashMap<>();
    for (int group = 0; group < 4; group++) {
      List<ChangeBatch> accepted = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        ChangeBatch batch = batch(1, growing(random));
        boolean mustJudge =
            random.nextInt(4) > 0
                || model.values().stream().anyMatch(ConditionCoreTest::isNearFull);
        ConditionCore.Judged judged = sizes.judge(batch, KEYS, mustJudge);
        assertThat(judged.rejections()).isEqualTo(applied(batch, model));
        judged.accepted().ifPresent(accepted::add);
      }
      sizes.clear();
      accepted.forEach(rows::apply);
    }
  }

  private static boolean isNearFull(Set<String> columns) {
    return columns.size() > 1_024 - 3 * 200;
  }

  private static List<RowChange> growing(Random random) {
    List<RowChange> changes = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String key = "k" + random.nextInt(2);
      int from = random.nextInt(1_100);
      List<ColumnUpdate> updates = new ArrayList<>();
      boolean isRemoval = random.nextInt(4) == 0;
      names(from, from + 1 + random.nextInt(200))
          .forEach(name -> updates.add(isRemoval ? remove(name) : set(name)));
      changes.add(
          switch (random.nextInt(16)) {
            case 0 -> new RowDeleteChange(key(key), IGNORE);
            case 1 -> new RowPutChange(key(key), List.of(), IGNORE);
            default -> new RowUpdateChange(key(key), updates, IGNORE);
          });
    }
    return changes;
  }

  private static List<Rejection> applied(ChangeBatch batch, Map<Bytes, Set<String>> model) {
    List<Rejection> rejections = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      Set<String> after = new TreeSet<>();
      if (row.kind() == ChangeKind.UPDATE) {
        after.addAll(model.getOrDefault(key, Set.of()));
      }
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        String name = batch.name(columns.nameIndex());
        boolean unused = columns.isDelete() ? after.remove(name) : after.add(name);
      }
      if (after.size() > 1_024) {
        rejections.add(new Rejection(row.index(), ErrorCode.ROW_TOO_LARGE));
      } else if (row.kind() == ChangeKind.DELETE) {
        model.remove(key);
      } else {
        model.put(key, after);
      }
    }
    return rejections;
  }

  /**
   * Of a row of many columns only those are kept that updates name, however many rows there are.
   */
  @Test
  void a_stored_row_is_looked_at_once_for_updates_of_one_column() {
    AtomicInteger looks = new AtomicInteger();
    ConditionCore counting =
        new ConditionCore(
            new ConditionCore.StoredRows() {
              @Override
              public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
                return true;
              }

              @Override
              public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
                looks.incrementAndGet();
                SortedMap<String, Bytes> columns = new TreeMap<>();
                names(0, 1_000).forEach(name -> columns.put(name, Bytes.copyOf(new byte[9])));
                return Optional.of(columns);
              }
            });
    RowChange[] updates = new RowChange[500];
    Arrays.fill(updates, update("k", set("c1")));
    assertThat(counting.judge(batch(1, updates), KEYS, true).rejections()).isEmpty();
    assertThat(looks).hasValue(1);
  }

  @Test
  void what_is_left_of_a_batch_has_the_names_of_its_rows_alone() {
    ChangeBatch batch =
        batch(
            1,
            new RowPutChange(key("refused"), columns(0, 200), RowExistenceExpectation.EXPECT_EXIST),
            new RowPutChange(key("a"), columns(150, 160), IGNORE),
            update("b", set("c3"), remove("c155")),
            new RowDeleteChange(key("c"), IGNORE));
    ChangeBatch left = core.judge(batch, KEYS, true).accepted().orElseThrow();
    assertThat(left.nameCount()).isEqualTo(11);
    assertThat(left.rowCount()).isEqualTo(3);
    List<String> rows = new ArrayList<>();
    RowCursor row = left.rows();
    while (row.next()) {
      StringBuilder text = new StringBuilder(row.kind().name());
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        text.append(columns.isDelete() ? " -" : " ").append(left.name(columns.nameIndex()));
      }
      rows.add(text.toString());
    }
    assertThat(rows)
        .containsExactly(
            "PUT c150 c151 c152 c153 c154 c155 c156 c157 c158 c159", "UPDATE c3 -c155", "DELETE");
  }

  @Test
  void what_is_left_of_a_batch_keeps_its_attributes() {
    Bytes said = Bytes.fromHex("e8070101");
    RowChange refused =
        new RowPutChange(key("refused"), columns(0, 2), RowExistenceExpectation.EXPECT_EXIST);
    RowChange kept = new RowPutChange(key("a"), columns(5, 6), IGNORE);
    ChangeBatch ofRows =
        core.judge(NewerBatches.rows(1, said, refused, kept), KEYS, true).accepted().orElseThrow();
    RowCursor row = ofRows.rows();
    assertThat(row.next()).isTrue();
    assertThat(row.attributes()).isEqualTo(said);
    assertThat(row.next()).isFalse();
    ChangeBatch whole =
        core.judge(NewerBatches.batch(1, said, refused, kept), KEYS, true).accepted().orElseThrow();
    assertThat(whole.attributes()).isEqualTo(said);
    assertThat(whole.name(0)).isEqualTo("c5");
  }

  private static List<Column> columns(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> new Column("c" + i, ColumnValue.fromLong(i)))
        .toList();
  }

  private static Set<String> names(int from, int to) {
    Set<String> names = new TreeSet<>();
    for (int i = from; i < to; i++) {
      names.add("c" + i);
    }
    return names;
  }

  private static RowChange update(String key, ColumnUpdate... updates) {
    return new RowUpdateChange(key(key), List.of(updates));
  }
}
