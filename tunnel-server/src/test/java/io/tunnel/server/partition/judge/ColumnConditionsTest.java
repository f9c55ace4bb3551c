package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
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
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.RowPage.Looked;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Conditions on columns, against the rows of the store and those of their own group. */
final class ColumnConditionsTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING));
  private static final ConditionPlace PLACE = ConditionPlace.ofRows(SCHEMA);

  /** Conditions, and what they ask of a row's key and of its columns, written a second time. */
  private static final Map<String, BiPredicate<String, Map<String, Long>>> ASKED =
      Map.of(
          "a = 1", (key, row) -> is(row, "a", 1),
          "a != 1", (key, row) -> !is(row, "a", 1),
          "exists a", (key, row) -> row.containsKey("a"),
          "not exists b", (key, row) -> !row.containsKey("b"),
          "a >= 1 and b < 2",
              (key, row) -> row.getOrDefault("a", 0L) >= 1 && row.getOrDefault("b", 9L) < 2,
          "a = b", (key, row) -> row.containsKey("a") && row.get("a").equals(row.get("b")),
          "id = \"k1\" or a = 2", (key, row) -> key.equals("k1") || is(row, "a", 2));

  private final Map<String, Map<String, Long>> stored = new HashMap<>();
  private final ConditionCore core = new ConditionCore(new Stored());

  /** How often a row of the store was read. */
  private int reads;

  private static boolean is(Map<String, Long> row, String name, long value) {
    return row.containsKey(name) && row.get(name) == value;
  }

  /** The store, which gets the rows of a group when the group is over. */
  private final class Stored implements ConditionCore.StoredRows {
    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return columns(partition, Bytes.copyOf(array, keyOffset, keyBytes)).isPresent();
    }

    @Override
    public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
      reads++;
      byte[] array = key.toByteArray();
      String name =
          KeyCodec.decode(array, 0, array.length, SCHEMA)
              .getPrimaryKeyColumn(0)
              .getValue()
              .asString();
      return Optional.ofNullable(stored.get(name)).map(ColumnConditionsTest::encoded);
    }
  }

  private static SortedMap<String, Bytes> encoded(Map<String, Long> row) {
    ChangeBatch batch = batch(List.of(put("any", row)));
    RowCursor put = batch.rows();
    put.next();
    SortedMap<String, Bytes> columns = new TreeMap<>();
    for (ColumnCursor at = put.columns(); at.next(); ) {
      int from = at.typeOffset();
      columns.put(
          batch.name(at.nameIndex()), Bytes.copyOf(batch.array(), from, at.columnEnd() - from));
    }
    return columns;
  }

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void each_row_is_judged_by_what_all_rows_before_it_left(long seed) {
    Random random = new Random(seed);
    Map<String, Map<String, Long>> model = new HashMap<>();
    for (int group = 0; group < 6; group++) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        List<RowChange> changes = new ArrayList<>();
        List<Rejection> refused = new ArrayList<>();
        List<String> returned = new ArrayList<>();
        boolean isJudged = random.nextInt(4) > 0;
        for (int row = random.nextInt(5); row >= 0; row--) {
          int index = changes.size();
          RowChange change = change(random, isJudged, index, model, refused);
          boolean isRefused = refused.contains(new Rejection(index, ErrorCode.CONDITION_FAILED));
          if (isJudged && random.nextInt(3) == 0) {
            Returning asked = Returning.columns("b", "c", "a");
            asked = random.nextBoolean() ? asked : asked.whenRefused();
            change = change.returning(asked);
            if (asked.isOf(!isRefused)) {
              returned.add(index + " " + model.get(name(change)));
            }
          }
          changes.add(change);
        }
        ConditionCore.Judged judged = core.judge(batch(changes), PLACE, isJudged);
        assertThat(judged.rejections()).isEqualTo(refused);
        assertThat(judged.returned()).extracting(ColumnConditionsTest::text).isEqualTo(returned);
        judged.accepted().ifPresent(ColumnConditionsTest::requireNoCondition);
      }
      core.clear();
      stored.clear();
      model.forEach((key, row) -> stored.put(key, Map.copyOf(row)));
    }
  }

  /** A change, which the model has already judged and applied. */
  private static RowChange change(
      Random random,
      boolean isJudged,
      int index,
      Map<String, Map<String, Long>> model,
      List<Rejection> refused) {
    String key = "k" + random.nextInt(3);
    Map<String, Long> columns = new TreeMap<>();
    for (String name : List.of("a", "b")) {
      if (random.nextBoolean()) {
        columns.put(name, (long) random.nextInt(3));
      }
    }
    RowChange change =
        switch (random.nextInt(columns.isEmpty() ? 2 : 4)) {
          case 0 -> new RowDeleteChange(key(key));
          case 1 -> put(key, columns);
          default -> update(key, columns, random.nextInt(3) == 0);
        };
    String asked =
        new TreeMap<>(ASKED).keySet().toArray(new String[0])[random.nextInt(ASKED.size())];
    if (isJudged && random.nextBoolean()) {
      change = change.onlyIf(Condition.parse(asked));
      if (!ASKED.get(asked).test(key, model.getOrDefault(key, Map.of()))) {
        refused.add(new Rejection(index, ErrorCode.CONDITION_FAILED));
        return change;
      }
    }
    apply(change, key, model);
    return change;
  }

  private static void apply(RowChange change, String key, Map<String, Map<String, Long>> model) {
    if (change instanceof RowUpdateChange update) {
      Map<String, Long> row = model.computeIfAbsent(key, id -> new TreeMap<>());
      for (ColumnUpdate column : update.updates()) {
        if (column instanceof ColumnUpdate.Put put) {
          row.put(put.name(), put.value().asLong());
        } else {
          row.remove(column.name());
        }
      }
    } else if (change instanceof RowPutChange put) {
      Map<String, Long> row = new TreeMap<>();
      put.columns().forEach(column -> row.put(column.getName(), column.getValue().asLong()));
      model.put(key, row);
    } else {
      model.remove(key);
    }
  }

  private static String name(RowChange change) {
    return change.primaryKey().getPrimaryKeyColumn(0).getValue().asString();
  }

  /** What a row returns, as the model prints it. */
  private static String text(ReturnedRow row) {
    if (row.kind() == ReturnedRow.Kind.ABSENT) {
      return row.rowIndex() + " null";
    }
    assertThat(row.kind()).isEqualTo(ReturnedRow.Kind.GIVEN);
    Map<String, Long> columns = new TreeMap<>();
    for (ColumnCursor column = row.cursor(); column.next(); ) {
      columns.put(List.of("b", "c", "a").get(column.nameIndex()), column.value().asLong());
    }
    return row.rowIndex() + " " + columns;
  }

  @Test
  void an_atomic_batch_that_is_refused_returns_what_its_refused_row_found() {
    stored.put("k1", Map.of("a", 1L));
    List<RowChange> changes =
        List.of(
            update("k1", Map.of("a", 2L), false).returning(Returning.columns("b", "c", "a")),
            new RowDeleteChange(key("k1"))
                .onlyIf(Condition.parse("a = 1"))
                .returning(Returning.columns("b", "c", "a")),
            put("k1", Map.of()).returning(Returning.columns("b", "c", "a")));
    ChangeBatch plain = batch(changes);
    byte[] atomic = BatchBuilder.withAttributes(plain, Attributes.atomic(Bytes.EMPTY));
    ConditionCore.Judged judged =
        core.judge(ChangeBatch.parse(atomic, 0, atomic.length), PLACE, true);
    assertThat(judged.accepted()).isEmpty();
    assertThat(judged.returned()).extracting(ColumnConditionsTest::text).containsExactly("1 {a=2}");
  }

  @Test
  void an_answer_returns_so_many_bytes_and_says_of_which_rows_it_has_no_room_for() {
    String text = "x".repeat(300 << 10);
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      changes.add(
          new RowPutChange(key("k" + i), List.of(new Column("a", ColumnValue.fromString(text))))
              .returning(Returning.columns("a")));
    }
    changes.add(put("small", Map.of("a", 7L)).returning(Returning.columns("a")));
    ConditionCore.Judged judged = core.judge(batch(changes), PLACE, true);
    assertThat(judged.rejections()).isEmpty();
    assertThat(judged.returned())
        .extracting(ReturnedRow::kind)
        .containsExactly(
            ReturnedRow.Kind.GIVEN,
            ReturnedRow.Kind.GIVEN,
            ReturnedRow.Kind.GIVEN,
            ReturnedRow.Kind.TOO_LARGE,
            ReturnedRow.Kind.TOO_LARGE,
            ReturnedRow.Kind.GIVEN);
    assertThat(ReturnedRow.bytes(judged.returned())).isLessThan(Limits.RETURNED_BYTES_MAX + 100);
  }

  /** Judging that is broken off leaves nothing in the group that other rows would see. */
  @Test
  void rows_that_were_judged_in_vain_are_judged_again_by_what_was_there_before() {
    stored.put("k1", Map.of("a", 1L));
    core.judge(batch(List.of(update("k1", Map.of("a", 2L), false))), PLACE, true);
    Condition next = Condition.parse("a = 2");
    ChangeBatch batch =
        batch(
            List.of(
                update("k1", Map.of("a", 3L), false).onlyIf(next),
                put("k2", Map.of("a", 2L)),
                update("k2", Map.of("a", 3L), false).onlyIf(next)));
    for (int rows = 1; rows < 3; rows++) {
      int[] left = {rows};
      assertThat(core.judgeWhile(batch, PLACE, AliveAt.EVER, () -> --left[0] > 0)).isEmpty();
    }
    RowChange absent =
        new RowUpdateChange(
            key("k2"),
            List.of(new ColumnUpdate.Put("a", ColumnValue.fromLong(2))),
            RowExistenceExpectation.EXPECT_NOT_EXIST);
    assertThat(core.judge(batch(List.of(absent)), PLACE, true).rejections()).isEmpty();
    assertThat(core.judge(batch, PLACE, true).rejections()).isEmpty();
  }

  private static void requireNoCondition(ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      assertThat(row.columnCondition()).as("what is logged of row %d", row.index()).isEmpty();
      assertThat(row.hasAttributes()).isFalse();
    }
  }

  @Test
  void a_condition_on_existence_is_asked_too() {
    stored.put("there", Map.of("a", 1L));
    RowChange absent =
        new RowPutChange(key("there"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    Condition holds = Condition.parse("a = 1");
    ChangeBatch batch = batch(List.of(absent.onlyIf(holds), put("there", Map.of()).onlyIf(holds)));
    assertThat(core.judge(batch, PLACE, true).rejections())
        .containsExactly(new Rejection(0, ErrorCode.CONDITION_FAILED));
  }

  @Test
  void a_condition_without_bytes_is_refused_with_its_row_before_any_row_is_judged() {
    ByteSink list = new ByteSink(8);
    Attributes.write(list, FormatFeature.CONDITION.number(), Bytes.EMPTY);
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    assertThat(
            builder.addWithin(
                Limits.BATCH_BYTES_MAX,
                put("k", Map.of()),
                Bytes.copyOf(list.array(), 0, list.size())))
        .isTrue();
    byte[] array = builder.build(1);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY))
        .withMessageContaining("row 0: the condition on columns")
        .matches(refused -> refused.code() == ErrorCode.INVALID_REQUEST);
  }

  /** Else few bytes of requests would keep the shard busy with one large row. */
  @Test
  void a_stored_row_is_read_once_for_all_conditions_that_ask_for_it_in_turn() {
    stored.put("k", Map.of("a", 1L));
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      changes.add(new RowDeleteChange(key("k")).onlyIf(Condition.parse("exists b")));
      changes.add(update("k", Map.of("c", 1L), false).onlyIf(Condition.parse("a = 1")));
    }
    assertThat(core.judge(batch(changes), PLACE, true).rejections()).hasSize(100);
    assertThat(reads).isEqualTo(1);
  }

  /** A principal is charged for what its writes made the server read. */
  @Test
  void what_is_read_of_stored_rows_is_counted_with_its_bytes() {
    stored.put("k", Map.of("a", 1L, "b", 2L));
    RowCursor row = batch(List.of(put("k", Map.of()))).rows();
    assertThat(row.next()).isTrue();
    int keyBytes = row.keyBytes();
    int rowBytes =
        encoded(stored.get("k")).entrySet().stream()
            .mapToInt(column -> column.getKey().length() + column.getValue().length())
            .sum();
    var unused =
        core.judge(
            batch(List.of(put("k", Map.of()).onlyIf(Condition.parse("a = 2")))), PLACE, true);
    assertThat(core.takeLooked()).isEqualTo(new Looked(1, keyBytes + rowBytes));
    assertThat(core.takeLooked()).as("taken").isEqualTo(Looked.NOTHING);
    unused =
        core.judge(
            batch(List.of(put("none", Map.of()).onlyIf(Condition.parse("a = 2")))), PLACE, true);
    assertThat(core.takeLooked().rows()).as("a look in vain is a look").isEqualTo(1);
    unused = core.judge(batch(List.of(put("k", Map.of("a", 3L)))), PLACE, true);
    assertThat(core.takeLooked()).as("without a condition").isEqualTo(Looked.NOTHING);
  }

  private static RowPutChange put(String key, Map<String, Long> row) {
    List<Column> columns = new ArrayList<>();
    row.forEach((name, value) -> columns.add(new Column(name, ColumnValue.fromLong(value))));
    return new RowPutChange(key(key), columns);
  }

  private static RowChange update(String key, Map<String, Long> row, boolean isRemoval) {
    List<ColumnUpdate> updates = new ArrayList<>();
    row.forEach(
        (name, value) ->
            updates.add(
                isRemoval
                    ? new ColumnUpdate.Delete(name)
                    : new ColumnUpdate.Put(name, ColumnValue.fromLong(value))));
    return new RowUpdateChange(key(key), updates);
  }

  private static PrimaryKey key(String name) {
    return PrimaryKey.of(new PrimaryKeyColumn("id", PrimaryKeyValue.fromString(name)));
  }

  private static ChangeBatch batch(List<RowChange> changes) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    for (RowChange change : changes) {
      assertThat(builder.add(change)).isTrue();
    }
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
