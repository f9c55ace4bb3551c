package io.tunnel.server;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;

/** Batches and rows with attributes, as a newer build would write them. */
public final class NewerBatches {

  private NewerBatches() {}

  /** A batch with these attributes. */
  public static ChangeBatch batch(int partition, Bytes attributes, RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.setAttributes(attributes);
    for (RowChange row : rows) {
      builder.add(row);
    }
    return parsed(builder.build(partition));
  }

  /** A batch whose rows have these attributes. */
  public static ChangeBatch rows(int partition, Bytes attributes, RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    for (RowChange row : rows) {
      builder.addWithin(Limits.BATCH_BYTES_MAX, row, attributes);
    }
    return parsed(builder.build(partition));
  }

  private static ChangeBatch parsed(byte[] bytes) {
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }
}
