package io.tunnel.sdk.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord.ColumnState;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StreamRecordTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING));

  /** Of the batch that was made last. */
  private static int rowsBytes;

  private static PrimaryKey key(String id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static List<StreamRecord> records(RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    for (RowChange row : rows) {
      assertThat(builder.add(row)).isTrue();
    }
    byte[] bytes = builder.build(3, 10, 1_000);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    rowsBytes = batch.rowsBytes();
    List<StreamRecord> records = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      records.add(new StreamRecord(batch, row.rowOffset(), 10L + row.index(), SCHEMA));
    }
    return records;
  }

  @Test
  void one_column_is_had_by_its_name() {
    Column name = new Column("name", ColumnValue.fromString("x".repeat(300)));
    Column age = new Column("age", ColumnValue.fromLong(36));
    ColumnUpdate noName = new ColumnUpdate.Delete("name");
    ColumnUpdate newAge = new ColumnUpdate.Put("age", ColumnValue.fromLong(37));
    List<StreamRecord> records =
        records(
            new RowPutChange(key("a"), List.of(name, age)),
            new RowUpdateChange(key("a"), List.of(noName, newAge)),
            new RowDeleteChange(key("a")));
    assertThat(records.get(0).value("age")).hasValue(ColumnValue.fromLong(36));
    assertThat(records.get(0).value("name")).hasValue(name.getValue());
    assertThat(records.get(1).value("age")).hasValue(ColumnValue.fromLong(37));
    assertThat(records.get(1).value("name")).as("removed").isEmpty();
    assertThat(records.get(2).value("age")).as("of a DELETE").isEmpty();
    assertThat(records.get(0).value("nobody")).isEmpty();
  }

  @Test
  void a_removed_column_differs_from_one_that_was_not_set() {
    Column name = new Column("name", ColumnValue.fromString("Ada"));
    ColumnUpdate noName = new ColumnUpdate.Delete("name");
    ColumnUpdate age = new ColumnUpdate.Put("age", ColumnValue.fromLong(37));
    List<StreamRecord> records =
        records(
            new RowPutChange(key("a"), List.of(name)),
            new RowUpdateChange(key("a"), List.of(noName, age)),
            new RowDeleteChange(key("a")));
    StreamRecord put = records.get(0);
    assertThat(put.columnState("name")).isEqualTo(ColumnState.SET);
    assertThat(put.columnState("age")).as("a PUT replaces").isEqualTo(ColumnState.REMOVED);
    StreamRecord update = records.get(1);
    assertThat(update.columnState("name")).isEqualTo(ColumnState.REMOVED);
    assertThat(update.columnState("age")).isEqualTo(ColumnState.SET);
    assertThat(update.columnState("city")).isEqualTo(ColumnState.UNTOUCHED);
    assertThat(update.getColumns())
        .extracting(RecordColumn::name, RecordColumn::getColumnType)
        .containsExactly(
            tuple("name", RecordColumn.ColumnType.DELETE_ALL_VERSION),
            tuple("age", RecordColumn.ColumnType.PUT));
    assertThat(records.get(2).columnState("name")).isEqualTo(ColumnState.REMOVED);
  }

  @Test
  void equal_keys_have_equal_hashes_and_others_hardly_ever() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      rows.add(new RowDeleteChange(key("key-" + i)));
    }
    Set<Long> hashes = new HashSet<>();
    records(rows.toArray(new RowChange[0])).forEach(r -> hashes.add(r.primaryKeyHash()));
    assertThat(hashes).hasSize(5_000);
    RowPutChange put = new RowPutChange(key("key-7"), List.of());
    assertThat(records(put).get(0).primaryKeyHash()).isIn(hashes);
  }

  @Test
  void the_hash_is_the_same_in_every_version() {
    assertThat(records(new RowDeleteChange(key("key-7"))).get(0).primaryKeyHash())
        .isEqualTo(-4_706_178_704_870_585_771L);
  }

  @Test
  void kind_and_size_are_known_whatever_the_lengths_before_them_take() {
    for (int keyChars : new int[] {1, 123, 124, 125, 126, 200}) {
      for (int textChars : new int[] {0, 1, 100, 16_000, 17_000}) {
        PrimaryKey key = key("k".repeat(keyChars));
        Column text = new Column("text", ColumnValue.fromString("t".repeat(textChars)));
        List<StreamRecord> records =
            records(
                new RowPutChange(key, List.of(text)),
                new RowUpdateChange(key, List.of(new ColumnUpdate.Delete("text"))),
                new RowDeleteChange(key));
        assertThat(records)
            .extracting(StreamRecord::getRecordType)
            .containsExactly(RecordType.PUT, RecordType.UPDATE, RecordType.DELETE);
        assertThat(records.stream().mapToInt(StreamRecord::byteCount).sum()).isEqualTo(rowsBytes);
      }
    }
  }
}
