package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.stress.rows.ChangeMix;
import io.tunnel.stress.rows.GeneratedRows;
import io.tunnel.stress.rows.RowShape;
import io.tunnel.stress.rows.StressTable;
import io.tunnel.stress.rows.UniformKeys;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FingerprintTest {

  private static final PrimaryKey KEY = GeneratedRows.key(1);

  /** The rows as a worker would deliver them. */
  static List<StreamRecord> delivered(List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(StressTable.PRIMARY_KEY, 1 << 20);
    rows.forEach(row -> assertThat(builder.add(row)).isTrue());
    byte[] bytes = builder.build(1, 1, 1);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    List<StreamRecord> records = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      records.add(
          new StreamRecord(batch, row.rowOffset(), 1 + row.index(), StressTable.PRIMARY_KEY));
    }
    return records;
  }

  private static long of(RowChange row) {
    return Fingerprint.of(row, Fingerprint.ofKey(row.primaryKey()));
  }

  private static long of(StreamRecord record) {
    return Fingerprint.of(record, Fingerprint.ofKey(record.getPrimaryKey()));
  }

  private static Column column(String name, ColumnValue value) {
    return new Column(name, value);
  }

  @Test
  void a_change_and_its_delivery_have_the_same() {
    GeneratedRows source =
        new GeneratedRows(new UniformKeys(500), RowShape.WHITEPAPER, new ChangeMix(40, 40, 20), 5);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      rows.add(source.next());
    }
    rows.add(
        new RowPutChange(
            KEY,
            List.of(
                column("i", ColumnValue.fromLong(-1)),
                column("d", ColumnValue.fromDouble(Double.NaN)),
                column("b", ColumnValue.fromBoolean(true)),
                column("s", ColumnValue.fromString("é中😀")),
                column("x", ColumnValue.fromBinary(new byte[] {0, -1})))));
    rows.add(new RowPutChange(KEY, List.of()));
    List<StreamRecord> records = delivered(rows);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(of(records.get(i))).as("%s", rows.get(i)).isEqualTo(of(rows.get(i)));
    }
  }

  @Test
  void every_difference_gives_another() {
    ColumnValue one = ColumnValue.fromLong(1);
    List<RowChange> rows =
        List.of(
            new RowPutChange(KEY, List.of()),
            new RowPutChange(GeneratedRows.key(2), List.of()),
            new RowDeleteChange(KEY),
            new RowPutChange(KEY, List.of(column("a", one))),
            new RowPutChange(KEY, List.of(column("b", one))),
            new RowPutChange(KEY, List.of(column("a", ColumnValue.fromLong(2)))),
            new RowPutChange(KEY, List.of(column("a", ColumnValue.fromString("1")))),
            new RowPutChange(KEY, List.of(column("a", one), column("b", one))),
            new RowPutChange(KEY, List.of(column("b", one), column("a", one))),
            new RowUpdateChange(KEY, List.of(new ColumnUpdate.Put("a", one))),
            new RowUpdateChange(KEY, List.of(new ColumnUpdate.Delete("a"))));
    assertThat(rows.stream().map(FingerprintTest::of)).doesNotHaveDuplicates();
  }
}
