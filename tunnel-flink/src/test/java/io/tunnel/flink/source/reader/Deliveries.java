package io.tunnel.flink.source.reader;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;

/** Records as the SDK delivers them. */
public final class Deliveries {

  static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private Deliveries() {}

  /** A put of a row, committed at 0. */
  static StreamRecord change(int partition, long position, long key) {
    return records(partition, position, key, 1, 0).get(0);
  }

  /** Puts of rows whose key is their position, committed at {@code commitMicros}. */
  public static List<StreamRecord> records(
      int partition, long first, int count, long commitMicros) {
    return records(partition, first, first, count, commitMicros);
  }

  private static List<StreamRecord> records(
      int partition, long first, long firstKey, int count, long commitMicros) {
    BatchBuilder rows = new BatchBuilder(SCHEMA, 1_024);
    for (long id = firstKey; id < firstKey + count; id++) {
      PrimaryKey key = PrimaryKey.builder().add("id", id).build();
      if (!rows.add(
          new RowPutChange(key, List.of(new Column("value", ColumnValue.fromString("v" + id)))))) {
        throw new AssertionError("no room");
      }
    }
    byte[] bytes = rows.build(partition, first, commitMicros);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    List<StreamRecord> records = new ArrayList<>();
    RowCursor row = batch.rows();
    for (long position = first; row.next(); position++) {
      records.add(new StreamRecord(batch, row.rowOffset(), position, SCHEMA));
    }
    return records;
  }
}
