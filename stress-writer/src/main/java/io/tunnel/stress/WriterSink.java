package io.tunnel.stress;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.TableWriter;

/** The SDK's buffered writer as the end of a load. */
public record WriterSink(TableWriter writer) implements RowSink {

  @Override
  public void add(RowChange row, RowCallback callback) {
    writer.add(row, callback);
  }

  @Override
  public void flush() {
    writer.flush();
  }
}
