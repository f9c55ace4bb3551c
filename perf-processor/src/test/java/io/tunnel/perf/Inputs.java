package io.tunnel.perf;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;

/** What a worker would give to a processor. */
final class Inputs {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private Inputs() {}

  /** {@code rows} puts that were committed between two times, the first and the last at these. */
  static ProcessRecordsInput of(String channel, int rows, long firstMicros, long lastMicros) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 1024);
    for (int i = 0; i < rows; i++) {
      builder.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", i).build(),
              List.of(new Column("a", ColumnValue.fromLong(i)))));
    }
    byte[] bytes = builder.build(1, 1, firstMicros);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    List<StreamRecord> records = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      records.add(new StreamRecord(batch, row.rowOffset(), row.index() + 1, SCHEMA));
    }
    return new ProcessRecordsInput(
        records,
        "token",
        "trace",
        channel,
        new ProcessRecordsInput.Extent(firstMicros, lastMicros, batch.rowsBytes()));
  }
}
