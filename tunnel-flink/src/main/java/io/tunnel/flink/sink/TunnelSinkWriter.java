package io.tunnel.flink.sink;

import io.tunnel.model.RowChange;
import java.io.IOException;
import org.apache.flink.api.connector.sink2.SinkWriter;

/** Converts elements to rows and writes them, see {@link RowWrites}. On the task's thread. */
final class TunnelSinkWriter<T> implements SinkWriter<T> {

  private final RowWrites writes;
  private final TunnelSerializationSchema<T> schema;

  TunnelSinkWriter(RowWrites writes, TunnelSerializationSchema<T> schema) {
    this.writes = writes;
    this.schema = schema;
  }

  @Override
  public void write(T element, Context moment) throws IOException, InterruptedException {
    RowChange row = schema.serialize(element, moment);
    if (row != null) {
      writes.add(row);
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    writes.flush();
  }

  @Override
  public void close() {
    writes.close();
  }
}
