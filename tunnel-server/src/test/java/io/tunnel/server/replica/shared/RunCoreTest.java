package io.tunnel.server.replica.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rows that a leader takes from its writers' batches; those of records are RecordCodecTest's. */
class RunCoreTest {

  private static final int BYTES_MAX = 1 << 20;

  private final RunCore runs = new RunCore(1, BYTES_MAX);

  private static RowChange put(String key, String... names) {
    Column[] columns = new Column[names.length];
    for (int i = 0; i < names.length; i++) {
      columns[i] = new Column(names[i], ColumnValue.fromString(key + names[i]));
    }
    return TestRows.put(key, columns);
  }

  private static RowChange delete(String key) {
    return new RowDeleteChange(TestRows.key(key));
  }

  private static List<BatchRow> rows(RowChange... changes) {
    RowCursor row = TestRows.batch(1, changes).rows();
    List<BatchRow> rows = new ArrayList<>();
    while (row.next()) {
      rows.add(new BatchRow(row.batch(), row.rowOffset(), row.rowEnd()));
    }
    return rows;
  }

  private long add(long offset, List<BatchRow> rows) {
    long next = offset;
    for (BatchRow row : rows) {
      runs.add(next++, 7, false, row);
    }
    return next;
  }

  private static RunCore.Row record(Bytes key, Bytes value) {
    return new RunCore.Row(key, Optional.of(RecordCodec.decode(key, value)), Bytes.EMPTY);
  }

  /** Position and number of rows of each run. */
  private static List<String> shapes(List<RunCore.Run> runs) {
    return runs.stream()
        .map(run -> run.rows().basePosition() + "+" + run.rows().rowCount())
        .toList();
  }

  /** Position, kind, key and columns of each row. */
  private static List<String> decoded(ChangeBatch batch) {
    List<String> decoded = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      StringBuilder one = new StringBuilder();
      one.append(batch.basePosition() + row.index()).append(' ').append(row.kind()).append(' ');
      one.append(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
      var columns = row.columns();
      while (columns.next()) {
        one.append(' ').append(batch.name(columns.nameIndex())).append('=').append(columns.value());
      }
      decoded.add(one.toString());
    }
    return decoded;
  }

  @Test
  void rows_of_a_batch_are_those_that_their_records_say() {
    List<BatchRow> rows = rows(put("a", "x", "y"), delete("b"), put("c", "x", "y"));
    add(5, rows);
    RunCore.Run kept = runs.take().get(0);
    RecordCodec codec = new RecordCodec();
    RowCursor row = rows.get(0).batch().rows();
    for (int offset = 5; row.next(); offset++) {
      Bytes key = Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
      Optional<RecordValue> value =
          row.kind() == ChangeKind.DELETE
              ? Optional.empty()
              : Optional.of(RecordCodec.decode(key, codec.put(row)));
      runs.add(offset, 7, false, new RunCore.Row(key, value, Bytes.EMPTY));
    }
    RunCore.Run read = runs.take().get(0);
    assertThat(decoded(kept.rows())).hasSize(3).isEqualTo(decoded(read.rows()));
    assertThat(kept.rows()).isSameAs(kept.changes().orElseThrow());
    assertThat(kept.rows().commitMicros()).isEqualTo(7);
    assertThat(kept.rows().partition()).isEqualTo(1);
  }

  /** Of a put, an update with its row behind it, and a delete. */
  @Test
  void attributes_of_a_row_come_back_byte_by_byte() {
    Bytes attributes = Bytes.fromHex("e807020a0b");
    RowCursor row = rows(put("a", "x")).get(0).batch().rows();
    row.next();
    Bytes key = TestRows.keyBytes("a");
    RecordCodec codec = new RecordCodec();
    Bytes put = codec.put(row);
    Bytes update = codec.update(row, new TreeMap<>(Map.of("x", Bytes.fromHex("0301"))));
    runs.add(1, 7, false, new RunCore.Row(key, Optional.of(decode(key, put)), attributes));
    runs.add(2, 7, false, new RunCore.Row(key, Optional.of(decode(key, update)), attributes));
    runs.add(3, 7, false, new RunCore.Row(key, Optional.empty(), attributes));
    int count = 0;
    for (RunCore.Run run : runs.take()) {
      for (ChangeBatch batch : List.of(run.changes().orElseThrow(), run.rows())) {
        RowCursor read = batch.rows();
        while (read.next()) {
          assertThat(read.attributes()).isEqualTo(attributes);
          count++;
        }
      }
      assertThat(decoded(run.rows())).isNotEmpty();
    }
    assertThat(count).isEqualTo(6);
  }

  private static RecordValue decode(Bytes key, Bytes value) {
    return RecordCodec.decode(key, value);
  }

  @Test
  void batches_that_name_the_same_become_one_and_deletes_fit_to_any() {
    long next = add(1, rows(delete("a")));
    next = add(next, rows(put("b", "x")));
    next = add(next, rows(put("c", "x")));
    next = add(next, rows(delete("d")));
    add(next, rows(put("e", "y")));
    List<RunCore.Run> taken = runs.take();
    assertThat(shapes(taken)).containsExactly("1+4", "5+1");
    assertThat(decoded(taken.get(0).rows())).hasSize(4);
    assertThat(decoded(taken.get(1).rows()).get(0)).contains("y=");
  }

  @Test
  void rows_of_batches_and_records_become_one() {
    List<BatchRow> rows = rows(put("a", "x"), put("b", "x"));
    RowCursor row = rows.get(0).batch().rows();
    row.next();
    Bytes key = TestRows.keyBytes("a");
    Bytes value = new RecordCodec().put(row);
    runs.add(1, 7, false, record(key, value));
    long next = add(2, rows);
    runs.add(next, 7, false, record(key, value));
    List<RunCore.Run> taken = runs.take();
    assertThat(shapes(taken)).containsExactly("1+4");
    assertThat(decoded(taken.get(0).rows())).hasSize(4);
  }

  @Test
  void rows_are_cut_where_positions_have_holes_and_where_time_or_purpose_change() {
    List<BatchRow> rows = rows(put("a", "x"), put("b", "x"), put("c", "x"), put("d", "x"));
    runs.add(1, 7, false, rows.get(0));
    runs.add(3, 7, false, rows.get(1));
    runs.add(4, 8, false, rows.get(2));
    runs.add(5, 8, true, rows.get(3));
    List<RunCore.Run> taken = runs.take();
    assertThat(shapes(taken)).containsExactly("1+1", "3+1", "4+1", "5+1");
    assertThat(taken.get(3).changes()).isEmpty();
  }

  @Test
  void a_run_is_as_large_as_it_may_be_and_no_larger() {
    int bytesMax = 4_096;
    RunCore small = new RunCore(1, bytesMax);
    BatchRow row = rows(put("a", "x")).get(0);
    for (int i = 0; i < 1_000; i++) {
      small.add(i + 1, 7, false, row);
    }
    List<RunCore.Run> taken = small.take();
    assertThat(taken).hasSizeGreaterThan(2);
    for (RunCore.Run run : taken.subList(0, taken.size() - 1)) {
      assertThat(run.rows().byteCount()).isBetween(bytesMax - 64, bytesMax);
    }
    assertThat(taken.stream().mapToInt(run -> run.rows().rowCount()).sum()).isEqualTo(1_000);
  }
}
