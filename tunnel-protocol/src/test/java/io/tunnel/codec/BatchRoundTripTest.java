package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tunnel.model.PrimaryKey;
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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchRoundTripTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void rows_of_every_kind_and_type_survive(long seed) {
    RandomRows random = new RandomRows(seed);
    for (int round = 0; round < 100; round++) {
      List<PrimaryKeySchema> schema = random.schema();
      List<RowChange> rows = random.rows(schema, round);
      BatchBuilder builder = new BatchBuilder(schema, 16);
      for (RowChange row : rows) {
        assertThat(builder.add(row)).isTrue();
      }
      assertThat(builder.rowCount()).isEqualTo(rows.size());
      byte[] bytes = builder.build(7, 1_000, 2_000);
      assertThat(builder.byteCount()).isEqualTo(bytes.length);

      ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
      assertThat(batch.partition()).isEqualTo(7);
      assertThat(batch.basePosition()).isEqualTo(1_000);
      assertThat(batch.lastPosition()).isEqualTo(999 + rows.size());
      assertThat(batch.commitMicros()).isEqualTo(2_000);
      assertThat(DecodedBatch.rows(batch, schema)).as("seed %d", seed).isEqualTo(rows);
    }
  }

  @Test
  void a_batch_is_read_from_amid_other_bytes() {
    RandomRows random = new RandomRows(6);
    List<PrimaryKeySchema> schema = random.schema();
    List<RowChange> rows = random.rows(schema, 50);
    byte[] bytes = build(schema, rows);
    byte[] amidOthers = new byte[bytes.length + 30];
    System.arraycopy(bytes, 0, amidOthers, 13, bytes.length);

    ChangeBatch batch = ChangeBatch.parse(amidOthers, 13, amidOthers.length);
    assertThat(batch.byteCount()).isEqualTo(bytes.length);
    assertThat(DecodedBatch.rows(batch, schema)).isEqualTo(rows);
    BatchBuilder.stamp(amidOthers, 13, 5, 6);
    assertThat(ChangeBatch.parse(amidOthers, 13, amidOthers.length).basePosition()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1_000, 1_000_000})
  void a_finished_batch_has_the_bytes_of_one_that_was_built(int guessedBytes) {
    RandomRows random = new RandomRows(8);
    List<PrimaryKeySchema> schema = random.schema();
    BatchBuilder builder = new BatchBuilder(schema, guessedBytes);
    random.rows(schema, 50).forEach(builder::add);
    byte[] built = builder.build(3);

    ByteBuffer finished = builder.finish(3);
    assertThat(finished).isEqualTo(ByteBuffer.wrap(built));
    assertThat(finished.capacity())
        .as("at most a quarter of the array lies idle")
        .isLessThanOrEqualTo(built.length * 4 / 3);
  }

  @Test
  void a_header_is_stamped_apart_from_its_batch() {
    RandomRows random = new RandomRows(9);
    List<PrimaryKeySchema> schema = random.schema();
    byte[] batch = build(schema, random.rows(schema, 50));
    byte[] header = Arrays.copyOf(batch, ChangeBatch.HEADER_BYTES_MIN);
    BatchBuilder.stampHeader(
        header, 5, 6, crc -> crc.update(batch, header.length, batch.length - header.length));
    BatchBuilder.stamp(batch, 0, 5, 6);
    assertThat(header).isEqualTo(Arrays.copyOf(batch, header.length));
  }

  @Test
  void a_row_is_found_again_by_its_offset() {
    RandomRows random = new RandomRows(7);
    List<PrimaryKeySchema> schema = random.schema();
    List<RowChange> rows = random.rows(schema, 50);
    byte[] bytes = build(schema, rows);
    RowCursor walk = ChangeBatch.parse(bytes, 0, bytes.length).rows();
    List<Integer> offsets = new ArrayList<>();
    while (walk.next()) {
      assertThat(walk.index()).isEqualTo(offsets.size());
      offsets.add(walk.rowOffset());
    }
    RowCursor jump = ChangeBatch.parse(bytes, 0, bytes.length).rows();
    for (int i = rows.size() - 1; i >= 0; i--) {
      jump.moveTo(offsets.get(i));
      assertThat(DecodedBatch.row(jump, schema)).isEqualTo(rows.get(i));
    }
  }

  @Test
  void a_builder_goes_on_after_a_build() {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 0);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RowChange row = put(i, "column" + i);
      rows.add(row);
      builder.add(row);
      byte[] bytes = builder.build(1);
      assertThat(DecodedBatch.rows(ChangeBatch.parse(bytes, 0, bytes.length), SCHEMA))
          .isEqualTo(rows);
    }
  }

  @Test
  void equal_rows_give_equal_bytes_whatever_the_builder_has_seen() {
    BatchBuilder fresh = new BatchBuilder(SCHEMA, 0);
    BatchBuilder seasoned = new BatchBuilder(SCHEMA, 1 << 20);
    RandomRows random = new RandomRows(8);
    for (RowChange row : random.rows(SCHEMA, 200)) {
      assertThat(fresh.add(row)).isTrue();
      assertThat(seasoned.add(row)).isTrue();
      seasoned.build(9);
    }
    assertThat(seasoned.build(1)).isEqualTo(fresh.build(1));
  }

  @Test
  void the_bytes_behind_a_columns_name_are_its_type_and_value() {
    // The table stores columns under names of its own dictionary and copies these bytes.
    BatchBuilder builder = new BatchBuilder(SCHEMA, 0);
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      columns.add(new Column("column" + i, ColumnValue.fromString("v" + i)));
    }
    builder.add(new RowPutChange(PrimaryKey.builder().add("id", 1).build(), columns));
    byte[] bytes = builder.build(1);
    RowCursor row = ChangeBatch.parse(bytes, 0, bytes.length).rows();
    row.next();
    assertThat(row.columnsOffset() + row.columnsBytes()).isEqualTo(row.rowEnd());
    ColumnCursor cursor = row.columns();
    for (int i = 0; i < 200; i++) {
      assertThat(cursor.left()).isEqualTo(200 - i);
      assertThat(cursor.next()).isTrue();
      Bytes value =
          Bytes.copyOf(bytes, cursor.typeOffset(), cursor.columnEnd() - cursor.typeOffset());
      assertThat(value.toString()).isEqualTo("040" + ("v" + i).length() + hex("v" + i));
    }
    assertThat(cursor.next()).isFalse();
  }

  @Test
  void a_removed_column_has_no_value() {
    PrimaryKey key = PrimaryKey.builder().add("id", 1).build();
    byte[] bytes =
        build(SCHEMA, List.of(new RowUpdateChange(key, List.of(new ColumnUpdate.Delete("gone")))));
    RowCursor row = ChangeBatch.parse(bytes, 0, bytes.length).rows();
    row.next();
    ColumnCursor columns = row.columns();
    columns.next();
    assertThat(columns.isDelete()).isTrue();
    assertThatIllegalStateException().isThrownBy(columns::value);
  }

  @Test
  void a_delete_is_as_small_as_its_key() {
    PrimaryKey key = PrimaryKey.builder().add("id", 1).build();
    byte[] bytes =
        build(SCHEMA, List.of(new RowDeleteChange(key, RowExistenceExpectation.EXPECT_EXIST)));
    assertThat(bytes).hasSize(ChangeBatch.HEADER_BYTES_MIN + 1 + 1 + 1 + 9 + 1);
  }

  private static String hex(String ascii) {
    return Bytes.copyOf(Utf8.encode(ascii)).toString();
  }

  private static RowChange put(long id, String column) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column(column, ColumnValue.fromLong(id))));
  }

  private static byte[] build(List<PrimaryKeySchema> schema, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(schema, 0);
    for (RowChange row : rows) {
      builder.add(row);
    }
    return builder.build(1);
  }
}
