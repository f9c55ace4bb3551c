package io.tunnel.server;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;

/** Rows and batches of a table with one STRING key column. */
public final class TestRows {

  /** The key of every test's table. */
  public static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING));

  private TestRows() {}

  /** A key. */
  public static PrimaryKey key(String value) {
    return new PrimaryKey(List.of(new PrimaryKeyColumn("k", PrimaryKeyValue.fromString(value))));
  }

  /** A key as it is stored. */
  public static Bytes keyBytes(String value) {
    return KeyCodec.encode(key(value), SCHEMA);
  }

  /** A row that is replaced or created. */
  public static RowChange put(String key, Column... columns) {
    return new RowPutChange(key(key), List.of(columns));
  }

  /** A batch as a writer sends it. */
  public static ChangeBatch batch(int partition, RowChange... rows) {
    return batch(partition, List.of(rows));
  }

  /** A batch as a writer sends it. */
  public static ChangeBatch batch(int partition, List<RowChange> rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    for (RowChange row : rows) {
      if (!builder.add(row)) {
        throw new IllegalArgumentException("the batch is full at row " + builder.rowCount());
      }
    }
    byte[] array = builder.build(partition);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
