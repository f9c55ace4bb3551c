package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every limit exactly reached and exceeded by one. */
class BatchLimitsTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private static final int MIB = 1024 * 1024;

  private final BatchBuilder builder = new BatchBuilder(SCHEMA, 1024);

  @Test
  void a_batch_takes_as_many_rows_as_the_limit_says_and_no_more() {
    RowChange row = new RowDeleteChange(key(1));
    for (int i = 0; i < Limits.BATCH_ROWS_MAX; i++) {
      assertThat(builder.add(row)).isTrue();
    }
    int bytes = builder.byteCount();
    assertThat(builder.add(row)).isFalse();
    assertThat(builder.rowCount()).isEqualTo(Limits.BATCH_ROWS_MAX);
    assertThat(builder.byteCount()).isEqualTo(bytes);
    assertAccepted(Limits.BATCH_ROWS_MAX);
  }

  @Test
  void a_batch_takes_as_many_names_as_the_limit_says_and_no_more() {
    for (int i = 0; i < Limits.BATCH_NAMES_MAX; i += Limits.ROW_COLUMNS_MAX) {
      assertThat(builder.add(put(i, Limits.ROW_COLUMNS_MAX))).isTrue();
    }
    byte[] full = builder.build(1);
    RowChange newName =
        new RowPutChange(key(1), List.of(column(0), column(Limits.BATCH_NAMES_MAX)));
    assertThat(builder.add(newName)).isFalse();
    assertThat(builder.build(1)).isEqualTo(full);

    RowChange knownNames =
        new RowPutChange(key(1), List.of(column(Limits.BATCH_NAMES_MAX - 1), column(0)));
    assertThat(builder.add(knownNames)).isTrue();
    assertAccepted(5);
  }

  @Test
  void a_batch_takes_as_many_bytes_as_the_limit_says_and_no_more() {
    builder.add(blob(2 * MIB));
    builder.add(blob(2 * MIB));
    int left = Limits.BATCH_BYTES_MAX - builder.byteCount();
    int value = left - overhead(blob(MIB), MIB);
    byte[] before = builder.build(1);

    assertThat(builder.add(blob(value + 1))).isFalse();
    assertThat(builder.build(1)).isEqualTo(before);
    assertThat(builder.add(blob(value))).isTrue();
    assertThat(builder.byteCount()).isEqualTo(Limits.BATCH_BYTES_MAX);
    assertThat(builder.build(1)).hasSize(Limits.BATCH_BYTES_MAX);
    assertThat(builder.add(new RowDeleteChange(key(1)))).isFalse();
    assertAccepted(3);
  }

  @Test
  void a_batch_within_fewer_bytes_takes_as_many_as_they_are_and_the_first_row_always() {
    assertThat(builder.addWithin(1, blob(MIB))).isTrue();
    int bytes = builder.byteCount();
    byte[] before = builder.build(1);
    assertThat(builder.addWithin(bytes, blob(1))).isFalse();
    int more = overhead(blob(100), 100) + 100;
    assertThat(builder.addWithin(bytes + more - 1, blob(100))).isFalse();
    assertThat(builder.build(1)).isEqualTo(before);
    assertThat(builder.addWithin(bytes + more, blob(100))).isTrue();
    assertThat(builder.byteCount()).isEqualTo(bytes + more);
    assertAccepted(2);
  }

  @Test
  void the_bytes_of_new_names_count_as_bytes_of_the_batch() {
    builder.add(blob(2 * MIB));
    builder.add(blob(2 * MIB));
    RowChange oldName = blob(MIB);
    int left = Limits.BATCH_BYTES_MAX - builder.byteCount();
    builder.add(blob(left - overhead(oldName, MIB) - 20));
    assertThat(Limits.BATCH_BYTES_MAX - builder.byteCount()).isEqualTo(20);

    PrimaryKey key = key(1);
    // 15 bytes of row, then the length and the letters of the name.
    assertThat(builder.add(update(key, "12345"))).isFalse();
    assertThat(builder.add(update(key, "1234"))).isTrue();
    assertThat(builder.byteCount()).isEqualTo(Limits.BATCH_BYTES_MAX);
    assertAccepted(4);
  }

  @Test
  void the_largest_row_is_taken_and_a_byte_more_refused() {
    int overhead = rowBytes(twoBlobs(2 * MIB, MIB)) - 3 * MIB;
    int second = Limits.ROW_BYTES_MAX - 2 * MIB - overhead;
    assertThat(builder.add(new RowDeleteChange(key(0)))).isTrue();
    byte[] before = builder.build(1);

    RowChange tooLong = twoBlobs(2 * MIB, second + 1);
    assertThat(builder.add(tooLong)).as("an empty batch says why").isFalse();
    assertThat(builder.build(1)).isEqualTo(before);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BatchBuilder(SCHEMA, 1024).add(tooLong))
        .withMessageContaining("row (id=1) has")
        .withMessageContaining("at most 4194304");

    assertThat(builder.add(twoBlobs(2 * MIB, second))).isTrue();
    assertAccepted(2);
  }

  @Test
  void the_largest_row_that_only_fits_an_empty_batch_finds_another_one_full() {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < 198; i++) {
      columns.add(column(1_000 + i));
    }
    columns.add(new Column("a", ColumnValue.fromBinary(new byte[2 * MIB])));
    columns.add(new Column("b", ColumnValue.fromBinary(new byte[MIB])));
    int left = Limits.ROW_BYTES_MAX - rowBytes(new RowPutChange(key(1), columns));
    columns.set(199, new Column("b", ColumnValue.fromBinary(new byte[MIB + left])));
    RowChange largest = new RowPutChange(key(1), columns);
    assertThat(rowBytes(largest)).isEqualTo(Limits.ROW_BYTES_MAX);
    assertThat(builder.add(put(0, 128))).isTrue();
    byte[] before = builder.build(1);

    assertThat(builder.add(largest)).as("its names take two bytes each here").isFalse();
    assertThat(builder.build(1)).isEqualTo(before);
    assertThat(new BatchBuilder(SCHEMA, 1024).add(largest)).isTrue();
  }

  @Test
  void the_largest_row_with_the_most_and_longest_names_fits_into_an_empty_batch() {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < Limits.ROW_COLUMNS_MAX; i++) {
      String name = "n".repeat(Limits.COLUMN_NAME_BYTES_MAX - 4) + String.format("%04d", i);
      columns.add(new Column(name, ColumnValue.fromBinary(new byte[4_080])));
    }
    RowChange row = new RowPutChange(key(1), columns);
    assertThat(rowBytes(row)).isBetween(Limits.ROW_BYTES_MAX - 20_000, Limits.ROW_BYTES_MAX);
    assertThat(builder.add(row)).isTrue();
    assertAccepted(1);
  }

  @Test
  void a_row_far_over_the_limit_is_refused_without_room_for_all_of_it() {
    // 2 GiB of values: more than the heap that tests have, and more than an array.
    ColumnValue value = ColumnValue.fromBinary(new byte[Limits.VALUE_BYTES_MAX]);
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < Limits.ROW_COLUMNS_MAX; i++) {
      columns.add(new Column("column" + i, value));
    }
    RowChange row = new RowPutChange(key(1), columns);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.add(row))
        .withMessageContaining("a row has at most 4194304");
    assertThat(builder.add(new RowDeleteChange(key(1)))).isTrue();
    assertAccepted(1);
  }

  @Test
  void the_largest_values_are_taken_and_a_byte_more_refused() {
    for (ColumnValue value :
        List.of(
            ColumnValue.fromBinary(new byte[Limits.VALUE_BYTES_MAX]),
            ColumnValue.fromString("a".repeat(Limits.VALUE_BYTES_MAX)),
            ColumnValue.fromString("é".repeat(Limits.VALUE_BYTES_MAX / 2)))) {
      BatchBuilder one = new BatchBuilder(SCHEMA, 0);
      assertThat(one.add(new RowPutChange(key(1), List.of(new Column("c", value))))).isTrue();
      assertAccepted(one, 1);
    }
    for (ColumnValue value :
        List.of(
            ColumnValue.fromBinary(new byte[Limits.VALUE_BYTES_MAX + 1]),
            ColumnValue.fromString("a".repeat(Limits.VALUE_BYTES_MAX + 1)),
            ColumnValue.fromString("a" + "é".repeat(Limits.VALUE_BYTES_MAX / 2)))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.add(new RowPutChange(key(1), List.of(new Column("c", value)))))
          .withMessageContaining("a value has at most 2097152");
    }
  }

  @Test
  void a_refused_row_leaves_no_names_behind() {
    builder.add(new RowPutChange(key(1), List.of(column(1))));
    byte[] before = builder.build(1);

    RowChange namedTwice = new RowPutChange(key(2), List.of(column(2), column(3), column(2)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.add(namedTwice))
        .withMessageContaining("column 'column2' is named twice");
    RowChange setAndRemoved =
        new RowUpdateChange(
            key(2),
            List.of(
                new ColumnUpdate.Put("x", ColumnValue.fromLong(1)), new ColumnUpdate.Delete("x")));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.add(setAndRemoved));
    RowChange badText =
        new RowPutChange(
            key(2), List.of(column(4), new Column("y", ColumnValue.fromString("\ud83d"))));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.add(badText));
    RowChange badName =
        new RowPutChange(key(2), List.of(new Column("\ud83d", ColumnValue.fromLong(1))));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.add(badName));
    RowChange otherKey = new RowDeleteChange(PrimaryKey.builder().add("id", "text").build());
    assertThatIllegalArgumentException().isThrownBy(() -> builder.add(otherKey));

    assertThat(builder.build(1)).isEqualTo(before);
    // The same names again, in another order: the dictionary must not remember the refused ones.
    assertThat(builder.add(new RowPutChange(key(2), List.of(column(3), column(2))))).isTrue();
    byte[] bytes = builder.build(1);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    assertThat(batch.nameCount()).isEqualTo(3);
    assertThat(List.of(batch.name(0), batch.name(1), batch.name(2)))
        .containsExactly("column1", "column3", "column2");
  }

  private void assertAccepted(int rows) {
    assertAccepted(builder, rows);
  }

  private static void assertAccepted(BatchBuilder builder, int rows) {
    byte[] bytes = builder.build(1);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    assertThat(batch.rowCount()).isEqualTo(rows);
    assertThatCode(() -> new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY))
        .doesNotThrowAnyException();
  }

  /** Bytes that a row adds to a batch that knows its names, without {@code valueBytes}. */
  private static int overhead(RowChange row, int valueBytes) {
    BatchBuilder scratch = new BatchBuilder(SCHEMA, 0);
    scratch.add(row);
    int once = scratch.byteCount();
    scratch.add(row);
    return scratch.byteCount() - once - valueBytes;
  }

  /** Bytes of a row as the limit counts them: behind its length. */
  private static int rowBytes(RowChange row) {
    BatchBuilder scratch = new BatchBuilder(SCHEMA, 0);
    scratch.add(row);
    byte[] bytes = scratch.build(1);
    return Binary.value(
        Binary.getVarint(bytes, ChangeBatch.HEADER_BYTES_MIN, ChangeBatch.HEADER_BYTES_MIN + 5));
  }

  private static RowChange put(int firstColumn, int columns) {
    List<Column> all = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      all.add(column(firstColumn + i));
    }
    Collections.reverse(all);
    return new RowPutChange(key(1), all);
  }

  private static RowChange blob(int bytes) {
    return new RowPutChange(
        key(1), List.of(new Column("blob", ColumnValue.fromBinary(new byte[bytes]))));
  }

  private static RowChange twoBlobs(int first, int second) {
    return new RowPutChange(
        key(1),
        List.of(
            new Column("first", ColumnValue.fromBinary(new byte[first])),
            new Column("second", ColumnValue.fromBinary(new byte[second]))));
  }

  private static RowChange update(PrimaryKey key, String name) {
    return new RowUpdateChange(key, List.of(new ColumnUpdate.Delete(name)));
  }

  private static Column column(int index) {
    return new Column("column" + index, ColumnValue.fromLong(index));
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }
}
