package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.flink.table.ChangeRows.Style;
import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.FieldKind;
import io.tunnel.flink.table.row.KeyText;
import io.tunnel.flink.table.row.RowDataChanges;
import io.tunnel.flink.table.row.RowDataChanges.Upserts;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowConversionTest {

  /** The key's columns are not the first, and not in the order of the row. */
  private static final TableLayout LAYOUT =
      layout(
          DataTypes.ROW(
              DataTypes.FIELD("flag", DataTypes.BOOLEAN()),
              DataTypes.FIELD("k2", DataTypes.STRING().notNull()),
              DataTypes.FIELD("amount", DataTypes.DOUBLE()),
              DataTypes.FIELD("k1", DataTypes.BIGINT().notNull()),
              DataTypes.FIELD("text", DataTypes.STRING()),
              DataTypes.FIELD("k3", DataTypes.BYTES().notNull()),
              DataTypes.FIELD("raw", DataTypes.BYTES()),
              DataTypes.FIELD("n", DataTypes.BIGINT())),
          3,
          1,
          5);

  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("k1", PrimaryKeyType.INTEGER),
          new PrimaryKeySchema("k2", PrimaryKeyType.STRING),
          new PrimaryKeySchema("k3", PrimaryKeyType.BINARY));

  private static TableLayout layout(DataType row, int... key) {
    return TableLayout.of((RowType) row.getLogicalType(), key);
  }

  private static GenericRowData random(Random random) {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return GenericRowData.of(
        maybe(random, random.nextBoolean()),
        text(random),
        maybe(random, random.nextInt(5) == 0 ? Double.NaN : random.nextGaussian()),
        random.nextLong(),
        maybe(random, text(random)),
        bytes,
        maybe(random, bytes.clone()),
        maybe(random, random.nextInt(5) == 0 ? Long.MIN_VALUE : random.nextLong()));
  }

  private static Object maybe(Random random, Object value) {
    return random.nextInt(3) == 0 ? null : value;
  }

  private static StringData text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.appendCodePoint(new int[] {'a', 0, 0x20AC, 0x1F600, '\n', '\''}[random.nextInt(6)]);
    }
    return StringData.fromString(text.toString());
  }

  private static StreamRecord record(RowChange change) {
    BatchBuilder builder = new BatchBuilder(KEY, 256);
    builder.add(change);
    byte[] bytes = builder.build(0);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    RowCursor row = batch.rows();
    assertThat(row.next()).isTrue();
    return new StreamRecord(batch, row.rowOffset(), 7, KEY);
  }

  private static RowData read(RowChange change, TableLayout layout, Style style) {
    List<RowData> out = new ArrayList<>();
    ChangeRows rows =
        new ChangeRows(
            "t",
            LAYOUT.project(LAYOUT.keyIndexes()),
            layout,
            List.of(),
            style,
            TypeInformation.of(RowData.class));
    rows.open(null);
    rows.deserialize(record(change), new ListCollector<>(out));
    assertThat(out).hasSize(1);
    return out.get(0);
  }

  private static RowDataChanges changes(Upserts upserts) {
    return new RowDataChanges(LAYOUT, upserts, LAYOUT.attributeIndexes());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void a_row_that_is_written_is_read_as_it_was(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      GenericRowData row = random(random);
      RowPutChange put = (RowPutChange) changes(Upserts.PUT).serialize(row, null);
      assertThat(read(put, LAYOUT, Style.APPEND)).as("seed %d, row %d", seed, i).isEqualTo(row);
      assertThat(LAYOUT.toSql(new Row(put.primaryKey(), put.columns()))).isEqualTo(row);
      RowData upsert = read(put, LAYOUT, Style.UPSERT);
      assertThat(upsert.getRowKind()).isEqualTo(RowKind.UPDATE_AFTER);
      row.setRowKind(RowKind.DELETE);
      RowChange delete = changes(Upserts.PUT).serialize(row, null);
      assertThat(delete).isEqualTo(new RowDeleteChange(put.primaryKey()));
      RowData deleted = read(delete, LAYOUT, Style.UPSERT);
      assertThat(deleted.getRowKind()).isEqualTo(RowKind.DELETE);
      assertThat(deleted.getLong(3)).isEqualTo(row.getLong(3));
      assertThat(deleted.getBinary(5)).isEqualTo(row.getBinary(5));
      for (int attribute : LAYOUT.attributeIndexes()) {
        assertThat(deleted.isNullAt(attribute)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void what_is_projected_is_what_the_whole_row_has(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      GenericRowData row = random(random);
      RowChange put = changes(Upserts.PUT).serialize(row, null);
      List<Integer> some = new ArrayList<>();
      for (int field = 0; field < row.getArity(); field++) {
        if (random.nextBoolean()) {
          some.add(random.nextInt(some.size() + 1), field);
        }
      }
      GenericRowData wanted = GenericRowData.of(some.stream().map(row::getField).toArray());
      assertThat(read(put, LAYOUT.project(some), Style.APPEND)).isEqualTo(wanted);
    }
  }

  /** Of a text, which has 1,024 bytes in a key at most. */
  @Test
  void a_row_that_cannot_be_need_not_be_deleted() {
    TableLayout named =
        new TableLayout(List.of(new Field("name", FieldKind.STRING, false)), List.of(0));
    RowDataChanges changes = new RowDataChanges(named, Upserts.PUT, List.of());
    GenericRowData row =
        GenericRowData.ofKind(RowKind.DELETE, StringData.fromString("x".repeat(1_025)));
    assertThat(changes.serialize(row, null)).isNull();
    row.setField(0, StringData.fromString("half of a pair: \ud83d"));
    assertThat(changes.serialize(row, null)).isNull();
    row.setField(0, StringData.fromString("x".repeat(1_024)));
    assertThat(changes.serialize(row, null)).isInstanceOf(RowDeleteChange.class);
  }

  @Test
  void an_update_says_which_columns_it_touches() {
    GenericRowData row = random(new Random(1));
    row.setField(4, StringData.fromString("new"));
    row.setField(7, null);
    RowUpdateChange update =
        (RowUpdateChange)
            new RowDataChanges(LAYOUT, Upserts.UPDATE, List.of(4, 7)).serialize(row, null);
    assertThat(update.updates()).hasSize(2);
    RowData read = read(update, LAYOUT, Style.FOLD);
    assertThat(read.getRowKind()).isEqualTo(RowKind.UPDATE_AFTER);
    Touched touched = new Touched(LAYOUT.fields().size(), read.getBinary(0));
    assertThat(IntStream.range(0, LAYOUT.fields().size()).filter(touched::has))
        .containsExactly(4, 7);
    assertThat(touched.isWhole()).as("unless the source says so").isFalse();
    assertThat(read.getString(5)).isEqualTo(StringData.fromString("new"));
    assertThat(read.isNullAt(8)).isTrue();
  }

  @Test
  void before_images_are_not_written() {
    GenericRowData row = random(new Random(1));
    row.setRowKind(RowKind.UPDATE_BEFORE);
    assertThat(changes(Upserts.PUT).serialize(row, null)).isNull();
  }

  @Test
  void many_columns_are_read_as_few_are() {
    DataTypes.Field[] fields = new DataTypes.Field[20];
    fields[0] = DataTypes.FIELD("k1", DataTypes.BIGINT().notNull());
    List<Column> columns = new ArrayList<>();
    for (int i = 1; i < fields.length; i++) {
      fields[i] = DataTypes.FIELD("c" + i, DataTypes.BIGINT());
      if (i % 3 != 0) {
        columns.add(new Column("c" + i, ColumnValue.fromLong(i)));
      }
    }
    TableLayout wide = layout(DataTypes.ROW(fields));
    RowPutChange key = (RowPutChange) changes(Upserts.PUT).serialize(random(new Random(1)), null);
    RowData read = read(new RowPutChange(key.primaryKey(), columns), wide, Style.APPEND);
    for (int i = 1; i < fields.length; i++) {
      assertThat(read.isNullAt(i)).isEqualTo(i % 3 == 0);
      assertThat(read.isNullAt(i) || read.getLong(i) == i).isTrue();
    }
  }

  @Test
  void a_row_without_a_column_that_must_be_there_is_named() {
    TableLayout strict =
        layout(
            DataTypes.ROW(
                DataTypes.FIELD("k1", DataTypes.BIGINT().notNull()),
                DataTypes.FIELD("c", DataTypes.STRING().notNull())));
    RowPutChange put = (RowPutChange) changes(Upserts.PUT).serialize(random(new Random(1)), null);
    assertThatThrownBy(
            () -> read(new RowPutChange(put.primaryKey(), List.of()), strict, Style.APPEND))
        .isInstanceOf(RowMismatchException.class)
        .hasMessageContaining(put.primaryKey().toString())
        .hasMessageContaining("'c', which is declared NOT NULL");
  }

  @Test
  void an_appended_change_without_a_column_that_must_be_there_is_named() {
    RowPutChange put = (RowPutChange) changes(Upserts.PUT).serialize(random(new Random(1)), null);
    TableLayout strict = withColumns(DataTypes.STRING().notNull());
    ColumnUpdate.Put c = new ColumnUpdate.Put("c", ColumnValue.fromString("new"));
    ColumnUpdate.Put d = new ColumnUpdate.Put("d", ColumnValue.fromLong(1));
    RowUpdateChange ofAnother = new RowUpdateChange(put.primaryKey(), List.of(d));
    RowDeleteChange delete = new RowDeleteChange(put.primaryKey());
    for (RowChange change : List.of(ofAnother, delete)) {
      assertThatThrownBy(() -> read(change, strict, Style.APPEND))
          .isInstanceOf(RowMismatchException.class)
          .hasMessageContaining(change.kind() + " of row " + put.primaryKey())
          .hasMessageContaining("'c', which is declared NOT NULL: declare it nullable");
      assertThat(read(change, withColumns(DataTypes.STRING()), Style.APPEND).isNullAt(1)).isTrue();
    }
    RowUpdateChange ofIt = new RowUpdateChange(put.primaryKey(), List.of(c));
    assertThat(read(ofIt, strict, Style.APPEND).getString(1).toString()).isEqualTo("new");
    assertThat(read(ofAnother, strict, Style.FOLD).isNullAt(2)).as("the fold knows it").isTrue();
    assertThat(read(delete, strict, Style.UPSERT).isNullAt(1)).as("a key alone").isTrue();
  }

  /** One that is stored in the key, and c of that type. */
  private static TableLayout withColumns(DataType c) {
    return layout(
        DataTypes.ROW(
            DataTypes.FIELD("k1", DataTypes.BIGINT().notNull()), DataTypes.FIELD("c", c)));
  }

  @Test
  void types_that_the_service_does_not_have_are_named_with_those_that_it_has() {
    for (DataType type :
        List.of(
            DataTypes.INT(), DataTypes.DECIMAL(10, 2), DataTypes.VARCHAR(10), DataTypes.DATE())) {
      assertThatThrownBy(() -> layout(DataTypes.ROW(DataTypes.FIELD("c", type))))
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("column 'c' is " + type.getLogicalType().asSummaryString())
          .hasMessageContaining("BIGINT, DOUBLE, BOOLEAN, STRING and BYTES");
    }
    assertThatThrownBy(() -> layout(DataTypes.ROW(DataTypes.FIELD("c", DataTypes.DOUBLE())), 0))
        .hasMessageContaining("PRIMARY KEY column 'c' is DOUBLE");
  }

  @Test
  void keys_of_two_texts_are_told_apart_wherever_one_ends() {
    TableLayout two =
        layout(
            DataTypes.ROW(
                DataTypes.FIELD("a", DataTypes.STRING().notNull()),
                DataTypes.FIELD("b", DataTypes.STRING().notNull())),
            0,
            1);
    KeyText text = new KeyText(two, 0);
    String first =
        text.getKey(
            GenericRowData.of(StringData.fromString("x, b=1:y"), StringData.fromString("z")));
    String second =
        text.getKey(
            GenericRowData.of(StringData.fromString("x"), StringData.fromString("y, b=1:z")));
    assertThat(first).isNotEqualTo(second);
  }
}
