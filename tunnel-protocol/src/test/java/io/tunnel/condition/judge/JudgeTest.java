package io.tunnel.condition.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ColumnOf;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.NamedColumn;
import io.tunnel.condition.RandomConditions;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgeTest {

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("id", PrimaryKeyType.INTEGER),
          new PrimaryKeySchema("name", PrimaryKeyType.STRING),
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY));
  private static final ConditionPlace ROWS = ConditionPlace.ofRows(KEY);
  private static final ConditionPlace CHANGES = ConditionPlace.ofChanges(KEY);

  private static final int SEEDS = 3_000;
  private static final int ROWS_PER_BATCH = 12;

  private static Condition fitting(RandomConditions random, ConditionPlace place) {
    while (true) {
      try {
        return place.require(random.condition());
      } catch (IllegalArgumentException neverHolds) {
        // A comparison of a key column with another type; the next one is another one.
      }
    }
  }

  private static PrimaryKey key(RandomConditions random) {
    List<PrimaryKeyColumn> columns = new ArrayList<>();
    for (PrimaryKeySchema column : KEY) {
      ColumnType type = ColumnType.valueOf(column.type().name());
      columns.add(
          new PrimaryKeyColumn(column.name(), PrimaryKeyValue.fromColumn(random.value(type))));
    }
    return new PrimaryKey(columns);
  }

  private static List<Column> columns(RandomConditions random) {
    List<Column> columns = new ArrayList<>();
    for (String name : RandomConditions.NAMES) {
      if (random.below(3) > 0) {
        columns.add(new Column(name, random.value()));
      }
    }
    return columns;
  }

  private static ChangeBatch batch(List<? extends RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(KEY, 4_096);
    rows.forEach(builder::add);
    byte[] bytes = builder.build(1, 1, 1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static Map<NamedColumn, ColumnValue> values(PrimaryKey key) {
    Map<NamedColumn, ColumnValue> values = new HashMap<>();
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      values.put(Condition.column(column.getName()), column.getValue().toColumnValue());
    }
    return values;
  }

  @Test
  void judge_and_oracle_agree_on_every_row_of_a_batch() {
    int held = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      RandomConditions random = new RandomConditions(seed, List.of("id", "name", "hash"), false);
      Condition condition = fitting(random, ROWS);
      Judge judge = new Judge(Condition.decode(condition.encode()), ROWS);
      List<RowPutChange> rows = new ArrayList<>();
      for (int i = 0; i < ROWS_PER_BATCH; i++) {
        rows.add(new RowPutChange(key(random), columns(random)));
      }
      RowCursor cursor = batch(rows).rows();
      for (RowPutChange row : rows) {
        assertThat(cursor.next()).isTrue();
        Map<NamedColumn, ColumnValue> values = values(row.primaryKey());
        row.columns().forEach(c -> values.put(Condition.column(c.getName()), c.getValue()));
        boolean holds = new ObjectJudge(values, Optional.empty()).holds(condition);
        assertThat(judge.holdsOf(cursor))
            .as("seed %d: %s of %s", seed, condition, row)
            .isEqualTo(holds);
        held += holds ? 1 : 0;
      }
    }
    // Each answer is frequent, so the test covers each.
    assertThat(held).isBetween(SEEDS * ROWS_PER_BATCH / 4, SEEDS * ROWS_PER_BATCH * 3 / 4);
  }

  /** A stored row is a sequence of parts, each on top of those before it. */
  @Test
  void judge_and_oracle_agree_on_changes_with_the_rows_around_them() {
    for (int seed = 0; seed < SEEDS; seed++) {
      RandomConditions random = new RandomConditions(seed, List.of("id", "name", "hash"), true);
      Condition condition = fitting(random, CHANGES);
      Judge judge = new Judge(condition, CHANGES);
      PrimaryKey key = key(random);
      Map<NamedColumn, ColumnValue> values = values(key);
      ChangeKind kind = random.kind();
      judge.begin(kind);
      for (ColumnOf of : ColumnOf.values()) {
        for (int parts = random.below(4); parts > 0; parts--) {
          give(judge, of, key, random, values);
        }
      }
      RowCursor row = batch(List.of(new RowDeleteChange(key))).rows();
      row.next();
      judge.key(row.batch().array(), row.keyOffset(), row.keyBytes());
      assertThat(judge.holds())
          .as("seed %d: %s of %s", seed, condition, values)
          .isEqualTo(new ObjectJudge(values, Optional.of(kind)).holds(condition));
    }
  }

  /** A stored part that sets and removes columns. */
  private static void give(
      Judge judge,
      ColumnOf of,
      PrimaryKey key,
      RandomConditions random,
      Map<NamedColumn, ColumnValue> values) {
    List<ColumnUpdate> updates = new ArrayList<>();
    for (Column column : columns(random)) {
      if (random.below(4) == 0) {
        updates.add(new ColumnUpdate.Delete(column.getName()));
        values.remove(new NamedColumn(of, column.getName()));
      } else {
        updates.add(new ColumnUpdate.Put(column.getName(), column.getValue()));
        values.put(new NamedColumn(of, column.getName()), column.getValue());
      }
    }
    if (updates.isEmpty()) {
      return;
    }
    RowCursor row = batch(List.of(new RowUpdateChange(key, updates))).rows();
    assertThat(row.next()).isTrue();
    NamedCells named = judge.namedCells(of);
    named.read(row.batch());
    assertThat(judge.columns(row.batch().array(), row.columnsOffset(), row.rowEnd(), named))
        .isEqualTo(row.rowEnd());
  }

  private static boolean holds(String condition, Column... columns) {
    PrimaryKey key =
        PrimaryKey.builder().add("id", 7).add("name", "a\0b").add("hash", new byte[0]).build();
    RowCursor row = batch(List.of(new RowPutChange(key, List.of(columns)))).rows();
    assertThat(row.next()).isTrue();
    return new Judge(Condition.parse(condition, ROWS), ROWS).holdsOf(row);
  }

  @ParameterizedTest
  @CsvSource({
    "x = 1, false",
    "x != 1, true",
    "x < 1, false",
    "x <= 1, false",
    "x > 1, false",
    "x >= 1, false",
    "x starts with '', false",
    "exists x, false",
    "not x = 1, true",
    "not x < 1, true",
    "x = y, false",
    "x != y, true"
  })
  void a_missing_column_is_unequal_to_everything_and_nothing_else_holds_of_it(
      String condition, boolean holds) {
    assertThat(holds(condition)).isEqualTo(holds);
    // So do a value of another type, and NaN.
    if (!condition.contains("exists")) {
      assertThat(holds(condition, new Column("x", ColumnValue.fromBoolean(true)))).isEqualTo(holds);
      assertThat(holds(condition, new Column("x", ColumnValue.fromDouble(Double.NaN))))
          .isEqualTo(holds);
    }
  }

  @Test
  void integers_and_doubles_compare_by_their_exact_values() {
    Column big = new Column("n", ColumnValue.fromLong((1L << 53) + 1));
    assertThat(holds("n = 9007199254740992.0", big)).isFalse();
    assertThat(holds("n > 9007199254740992.0", big)).isTrue();
    assertThat(holds("n < 9007199254740994.0", big)).isTrue();
    Column max = new Column("n", ColumnValue.fromLong(Long.MAX_VALUE));
    assertThat(holds("n < 9223372036854775808.0", max)).isTrue();
    assertThat(holds("n = 9223372036854775808.0", max)).isFalse();
    Column min = new Column("n", ColumnValue.fromDouble(-0x1p63));
    assertThat(holds("n = -9223372036854775808", min)).isTrue();
    Column half = new Column("n", ColumnValue.fromDouble(-0.5));
    assertThat(holds("n < 0 and n > -1", half)).isTrue();
    assertThat(holds("n = 0", new Column("n", ColumnValue.fromDouble(-0.0)))).isTrue();
    assertThat(
            holds(
                "n > 9223372036854775807 and n = infinity",
                new Column("n", ColumnValue.fromDouble(Double.POSITIVE_INFINITY))))
        .isTrue();
  }

  @Test
  void nan_is_found_as_what_does_not_equal_itself() {
    Column nan = new Column("n", ColumnValue.fromDouble(Double.NaN));
    assertThat(holds("exists n and n != n", nan)).isTrue();
    assertThat(holds("exists n and n != n", new Column("n", ColumnValue.fromDouble(1)))).isFalse();
    assertThat(holds("exists n and n != n")).isFalse();
  }

  @Test
  void texts_compare_by_utf_8_also_where_utf_16_has_another_order() {
    Column last = new Column("s", ColumnValue.fromString("\uffff"));
    assertThat(holds("s < \"\\u{10000}\"", last)).isTrue();
    assertThat(holds("s < \"é\"", last)).isFalse();
    assertThat(holds("s starts with \"\"", last)).isTrue();
  }

  @Test
  void columns_of_the_key_are_compared_in_spite_of_their_escapes() {
    assertThat(holds("id = 7 and name = \"a\\u{0}b\" and hash = x\"\"")).isTrue();
    assertThat(holds("name starts with \"a\\u{0}\"")).isTrue();
    assertThat(holds("name starts with \"a\\u{0}c\"")).isFalse();
    assertThat(holds("name < \"a\\u{1}\"")).isTrue();
    assertThat(holds("name = s", new Column("s", ColumnValue.fromString("a\0b")))).isTrue();
    assertThat(holds("id < 7.5")).isTrue();
  }

  @Test
  void a_judge_reads_the_names_of_each_batch() {
    Judge judge = new Judge(Condition.column("a").isEqualTo(1), ROWS);
    RandomConditions random = new RandomConditions(1, List.of(), false);
    Column a = new Column("a", ColumnValue.fromLong(1));
    Column b = new Column("b", ColumnValue.fromLong(2));
    for (List<Column> columns : List.of(List.of(a), List.of(b, a), List.of(b), List.of(a, b))) {
      RowCursor row = batch(List.of(new RowPutChange(key(random), columns))).rows();
      assertThat(row.next()).isTrue();
      assertThat(judge.holdsOf(row)).as("of %s", columns).isEqualTo(columns.contains(a));
    }
  }

  @Test
  void a_place_refuses_what_it_does_not_have() {
    assertThatThrownBy(() -> new Judge(Condition.before("x").exists(), ROWS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'before.x' is of a change, and here are rows without changes");
    assertThatThrownBy(() -> new Judge(Condition.changeIs(ChangeKind.PUT), ROWS))
        .hasMessageContaining("'change is put' is of a change");
    assertThatThrownBy(() -> new Judge(Condition.before("id").isEqualTo(1), CHANGES))
        .hasMessageContaining("no change alters a column of the key; write 'id'");
    assertThatThrownBy(() -> new Judge(Condition.column("id").isEqualTo("7"), ROWS))
        .hasMessageContaining(
            "the INTEGER id of the key with the STRING \"7\", which never compare")
        .hasMessageContaining("(id INTEGER, name STRING, hash BINARY)");
    assertThatThrownBy(() -> new Judge(Condition.column("id").startsWith("7"), ROWS))
        .hasMessageContaining("never compare by 'starts with'");
  }

  @Test
  void a_row_of_a_batch_is_judged_without_an_allocation() {
    List<RowPutChange> rows = new ArrayList<>();
    RandomConditions random = new RandomConditions(1, List.of(), false);
    for (int i = 0; i < 500; i++) {
      rows.add(new RowPutChange(key(random), columns(random)));
    }
    RowCursor cursor = batch(rows).rows();
    Judge judge =
        new Judge(
            Condition.parse(
                "id >= 0 and (name starts with \"a\" or hash != x\"00\" or a = 7 or not x < 0.5)"
                    + " or state = a or exists `two words` and naïve = true"
                        .replace("naïve", "`naïve`")),
            ROWS);
    cursor.next();
    int offset = cursor.rowOffset();
    // Twice: the first time also the virtual machine allocates, for what it had not loaded yet.
    long warm = allocatedBy(judge, cursor, offset, 20_000);
    long bytes = allocatedBy(judge, cursor, offset, 20_000);
    assertThat(warm).isNotNegative();
    assertThat(bytes).as("bytes for 20,000 rows").isLessThan(20_000);
  }

  private static long allocatedBy(Judge judge, RowCursor cursor, int first, int rows) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    int held = 0;
    int at = first;
    for (int i = 0; i < rows; i++) {
      cursor.moveTo(at);
      held += judge.holdsOf(cursor) ? 1 : 0;
      at = cursor.rowEnd() < cursor.batch().dictionaryOffset() ? cursor.rowEnd() : first;
    }
    long bytes = threads.getThreadAllocatedBytes(thread) - before;
    assertThat(held).isPositive();
    return bytes;
  }
}
