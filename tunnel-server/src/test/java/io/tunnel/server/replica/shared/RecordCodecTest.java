package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RecordCodecTest {

  private static final Bytes KEY = TestRows.keyBytes("k");

  private static Column column(String name, long value) {
    return new Column(name, ColumnValue.fromLong(value));
  }

  private static RowCursor row(RowChange... rows) {
    RowCursor row = TestRows.batch(1, rows).rows();
    for (int i = 0; i < rows.length; i++) {
      row.next();
    }
    return row;
  }

  /** Type and value of a column, as they are encoded. */
  private static Bytes encoded(long value) {
    RowCursor row = row(TestRows.put("k", column("c", value)));
    ColumnCursor columns = row.columns();
    columns.next();
    return Bytes.copyOf(
        row.batch().array(), columns.typeOffset(), columns.columnEnd() - columns.typeOffset());
  }

  private static Map<String, Object> columns(ChangeBatch batch) {
    RowCursor row = batch.rows();
    row.next();
    Map<String, Object> columns = new TreeMap<>();
    ColumnCursor at = row.columns();
    while (at.next()) {
      columns.put(batch.name(at.nameIndex()), at.isDelete() ? "deleted" : at.value());
    }
    return columns;
  }

  private static RunCore.Row row(Optional<RecordValue> value) {
    return new RunCore.Row(KEY, value, Bytes.EMPTY);
  }

  private static RunCore.Run run(Bytes value) {
    RunCore runs = new RunCore(1, 1 << 20);
    runs.add(5, 7, false, row(Optional.of(RecordCodec.decode(KEY, value))));
    return runs.take().get(0);
  }

  @Test
  void a_put_comes_back_with_its_own_names_only() {
    Bytes alone = new RecordCodec().put(row(TestRows.put("k", column("b", 1), column("c", 2))));
    Bytes amongOthers =
        new RecordCodec()
            .put(
                row(
                    TestRows.put("x", column("a", 9), column("b", 9), column("c", 9)),
                    TestRows.put("k", column("b", 1), column("c", 2))));
    assertThat(amongOthers).isEqualTo(alone);
    RunCore.Run run = run(alone);
    assertThat(run.rows()).isSameAs(run.changes().orElseThrow());
    assertThat(columns(run.rows()))
        .isEqualTo(Map.of("b", ColumnValue.fromLong(1), "c", ColumnValue.fromLong(2)));
    assertThat(run.rows().nameCount()).isEqualTo(2);
  }

  @Test
  void names_used_in_another_order_keep_their_values() {
    Bytes value =
        new RecordCodec()
            .put(
                row(
                    TestRows.put("x", column("a", 9), column("b", 9), column("c", 9)),
                    TestRows.put("k", column("c", 1), column("a", 2))));
    assertThat(columns(run(value).rows()))
        .isEqualTo(Map.of("c", ColumnValue.fromLong(1), "a", ColumnValue.fromLong(2)));
  }

  @Test
  void an_update_comes_back_as_what_was_changed_and_as_the_row_after_it() {
    RowCursor update =
        row(
            new RowUpdateChange(
                TestRows.key("k"),
                List.of(
                    new ColumnUpdate.Put("a", ColumnValue.fromLong(3)),
                    new ColumnUpdate.Delete("b"))));
    TreeMap<String, Bytes> after = new TreeMap<>(Map.of("a", encoded(3), "z", encoded(4)));
    RunCore.Run run = run(new RecordCodec().update(update, after));
    ChangeBatch changes = run.changes().orElseThrow();
    assertThat(columns(changes)).isEqualTo(Map.of("a", ColumnValue.fromLong(3), "b", "deleted"));
    assertThat(columns(run.rows()))
        .isEqualTo(Map.of("a", ColumnValue.fromLong(3), "z", ColumnValue.fromLong(4)));
    RowCursor row = changes.rows();
    row.next();
    assertThat(row.kind()).isEqualTo(ChangeKind.UPDATE);
    RowCursor rowAfter = run.rows().rows();
    rowAfter.next();
    assertThat(rowAfter.kind()).isEqualTo(ChangeKind.PUT);
    assertThat(changes.basePosition()).isEqualTo(5);
    assertThat(changes.commitMicros()).isEqualTo(7);
  }

  @Test
  void a_row_without_columns_is_not_a_deleted_row() {
    Bytes value = new RecordCodec().row(KEY, new TreeMap<>());
    RunCore.Run run = run(value);
    RowCursor row = run.rows().rows();
    row.next();
    assertThat(row.kind()).isEqualTo(ChangeKind.PUT);
    assertThat(columns(run.rows())).isEmpty();
  }

  @Test
  void format_1_is_what_it_was() {
    RowCursor put = row(TestRows.put("k", column("n", 258)));
    assertThat(new RecordCodec().put(put).toString())
        .isEqualTo("0101" + "0102016e" + "0b" + "0100010000000000000102" + "56c47886");
  }

  @Test
  void every_truncation_and_every_bit_that_turns_over_is_found() {
    byte[] value =
        new RecordCodec()
            .update(
                row(
                    new RowUpdateChange(
                        TestRows.key("k"),
                        List.of(new ColumnUpdate.Put("a", ColumnValue.fromLong(3))))),
                new TreeMap<>(Map.of("a", encoded(3))))
            .toByteArray();
    for (int length = 0; length < value.length; length++) {
      requireRefused(KEY, Bytes.copyOf(value, 0, length));
    }
    for (int bit = 0; bit < value.length * 8; bit++) {
      byte[] flipped = value.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      requireRefused(KEY, Bytes.copyOf(flipped));
    }
    requireRefused(TestRows.keyBytes("other"), Bytes.copyOf(value));
  }

  private static void requireRefused(Bytes key, Bytes value) {
    assertThatThrownBy(() -> RecordCodec.decode(key, value)).isInstanceOf(MalformedException.class);
  }

  @Test
  void runs_are_cut_where_positions_have_holes_and_where_time_names_or_purpose_change() {
    RecordCodec codec = new RecordCodec();
    RunCore runs = new RunCore(1, 1 << 20);
    Optional<RecordValue> a = value(codec, "a");
    Optional<RecordValue> b = value(codec, "b");
    runs.add(1, 7, false, row(a));
    runs.add(2, 7, false, row(Optional.empty()));
    runs.add(3, 7, false, row(a));
    runs.add(5, 7, false, row(a));
    runs.add(6, 8, false, row(a));
    runs.add(7, 8, false, row(b));
    runs.add(8, 8, true, row(b));
    runs.add(9, 8, false, row(b));
    List<String> found = new ArrayList<>();
    for (RunCore.Run run : runs.take()) {
      found.add(
          run.rows().basePosition()
              + "+"
              + run.rows().rowCount()
              + (run.changes().isEmpty() ? " repairs" : ""));
    }
    assertThat(found).containsExactly("1+3", "5+1", "6+1", "7+1", "8+1 repairs", "9+1");
    assertThat(runs.take()).isEmpty();
  }

  private static Optional<RecordValue> value(RecordCodec codec, String name) {
    Bytes value = codec.put(row(TestRows.put("k", column(name, 1))));
    return Optional.of(RecordCodec.decode(KEY, value));
  }

  @Test
  void a_batch_is_as_large_as_it_may_be_and_no_larger() {
    RecordCodec codec = new RecordCodec();
    int bytesMax = 4_096;
    RunCore runs = new RunCore(1, bytesMax);
    for (int i = 0; i < 1_000; i++) {
      runs.add(i + 1, 7, false, row(value(codec, "n")));
    }
    List<RunCore.Run> cut = runs.take();
    assertThat(cut).hasSizeGreaterThan(3);
    for (RunCore.Run run : cut.subList(0, cut.size() - 1)) {
      assertThat(run.rows().byteCount()).isBetween(bytesMax - 64, bytesMax);
    }
    assertThat(cut.stream().mapToInt(run -> run.rows().rowCount()).sum()).isEqualTo(1_000);
  }
}
