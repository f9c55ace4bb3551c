package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.DeletionCause;
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
import java.util.List;
import org.junit.jupiter.api.Test;

final class SingleRowTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static ChangeBatch batch(List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    rows.forEach(row -> assertThat(builder.add(row)).isTrue());
    byte[] array = builder.build(7, 100, 4_711);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static ChangeBatch parse(byte[] array) {
    return ChangeBatch.parse(array, 0, array.length);
  }

  /** Names and values of the columns of a batch's only row, and its kind. */
  private static List<String> texts(RowCursor row) {
    List<String> texts = new ArrayList<>();
    texts.add(row.kind().toString());
    texts.add(Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes()).toString());
    ColumnCursor columns = row.columns();
    while (columns.next()) {
      texts.add(
          row.batch().name(columns.nameIndex())
              + Bytes.copyOf(
                  row.batch().array(),
                  columns.typeOffset(),
                  columns.columnEnd() - columns.typeOffset()));
    }
    texts.add(row.attributes().toString());
    return texts;
  }

  @Test
  void each_row_is_what_it_was_at_its_position_and_with_its_names() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      rows.add(
          new RowPutChange(
              key(i),
              List.of(
                  new Column("name" + i, ColumnValue.fromString("v".repeat(i))),
                  new Column("all", ColumnValue.fromLong(i)))));
      rows.add(
          new RowUpdateChange(
              key(i),
              List.of(
                  new ColumnUpdate.Delete("name" + i),
                  new ColumnUpdate.Put("x", ColumnValue.fromBoolean(true)))));
      rows.add(new RowDeleteChange(key(i)));
    }
    ChangeBatch batch = batch(rows);
    RowCursor row = batch.rows();
    while (row.next()) {
      ChangeBatch single = parse(SingleRow.of(row, false));
      assertThat(single.rowCount()).isEqualTo(1);
      assertThat(single.partition()).isEqualTo(7);
      assertThat(single.basePosition()).isEqualTo(100 + row.index());
      assertThat(single.commitMicros()).isEqualTo(4_711);
      assertThat(single.hasAttributes()).isFalse();
      RowCursor only = single.rows();
      assertThat(only.next()).isTrue();
      assertThat(texts(only)).isEqualTo(texts(row));
      assertThat(only.next()).isFalse();
    }
  }

  @Test
  void of_a_key_alone_no_column_and_no_attribute_is_left() {
    ChangeBatch batch =
        batch(
            List.of(
                new RowPutChange(key(1), List.of(new Column("c", ColumnValue.fromLong(1)))),
                new RowDeleteChange(key(2))));
    RowCursor row = batch.rows();
    while (row.next()) {
      ChangeBatch single = parse(SingleRow.of(row, true));
      RowCursor only = single.rows();
      assertThat(only.next()).isTrue();
      assertThat(only.kind()).isEqualTo(row.kind());
      assertThat(only.columns().left()).isZero();
      assertThat(single.nameCount()).isZero();
      assertThat(only.hasAttributes()).isFalse();
    }
  }

  @Test
  void what_an_increment_added_stays_with_its_row() {
    Bytes delta =
        Increments.of(new RowUpdateChange(key(1), List.of(new ColumnUpdate.Increment("n", 5))))
            .orElseThrow()
            .encode();
    Bytes attributes = Attributes.with(FormatFeature.DELTA.number(), delta, Bytes.EMPTY);
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    assertThat(
            builder.addWithin(
                1 << 20,
                new RowUpdateChange(
                    key(1), List.of(new ColumnUpdate.Put("n", ColumnValue.fromLong(9)))),
                attributes))
        .isTrue();
    ChangeBatch batch = parse(builder.build(7, 1, 2));
    RowCursor row = batch.rows();
    assertThat(row.next()).isTrue();
    RowCursor only = parse(SingleRow.of(row, false)).rows();
    assertThat(only.next()).isTrue();
    assertThat(only.attributes()).isEqualTo(row.attributes());
    assertThat(only.deltas()).isPresent();
    RowCursor key = parse(SingleRow.of(row, true)).rows();
    assertThat(key.next()).isTrue();
    assertThat(key.hasAttributes()).as("what was added to a column that is left out").isFalse();
  }

  @Test
  void why_a_row_was_deleted_stays_with_its_key() {
    Bytes key = KeyCodec.encode(key(1), SCHEMA);
    RowCursor row = ExpiredRows.of(7, List.of(key)).rows();
    assertThat(row.next()).isTrue();
    for (boolean isKeyOnly : new boolean[] {false, true}) {
      RowCursor only = parse(SingleRow.of(row, isKeyOnly)).rows();
      assertThat(only.next()).isTrue();
      assertThat(only.attributes()).isEqualTo(ExpiredRows.attributes(DeletionCause.EXPIRED));
    }
  }
}
