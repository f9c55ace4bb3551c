package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.util.Collector;

/**
 * Passes records through the schema to the job, with their event time. Leaves out changes that an
 * emitted row contains already.
 */
final class TunnelRecordEmitter<T> implements RecordEmitter<FetchedRecord, T, SplitProgress> {

  private final TunnelDeserializationSchema<T> schema;
  private final ChannelFigures figures;
  private final Stamped<T> out = new Stamped<>();

  TunnelRecordEmitter(TunnelDeserializationSchema<T> schema, ChannelFigures figures) {
    this.schema = schema;
    this.figures = figures;
  }

  @Override
  public void emitRecord(FetchedRecord fetched, SourceOutput<T> output, SplitProgress progress)
      throws IOException {
    if (fetched.isRowsEnd()) {
      progress.state().rowsEnded(fetched.seenIn());
      return;
    }
    StreamRecord record = fetched.record();
    if (fetched.type() == ChannelType.Stream && progress.state().has(record)) {
      progress.emitted(fetched);
      return;
    }
    out.output = output;
    out.isEmitting = false;
    out.eventMs = eventMs(fetched, progress);
    try {
      schema.deserialize(record, progress.state().isWhole(), out);
    } catch (IOException | RuntimeException e) {
      if (out.isEmitting) {
        // Not a failure of the schema: an operator behind the source failed, or the task is
        // cancelled.
        throw e;
      }
      figures.failed();
      throw new IOException(
          "the schema failed at position "
              + record.position()
              + " of partition "
              + record.partition()
              + ", "
              + record.getRecordType()
              + " of row "
              + record.getPrimaryKey()
              + ": "
              + e.getMessage(),
          e);
    }
    progress.emitted(fetched);
  }

  /**
   * The event time of a record. The commit time of a row is its read time, and the following
   * changes may be older, which would make all of them late. So rows before changes get the oldest
   * event time.
   */
  private static long eventMs(FetchedRecord fetched, SplitProgress progress) {
    boolean isInFront =
        fetched.type() == ChannelType.BaseData && progress.state().isBeforeChanges();
    return isInFront ? 0 : TimeUnit.MICROSECONDS.toMillis(fetched.record().commitMicros());
  }

  private static final class Stamped<T> implements Collector<T> {
    private SourceOutput<T> output;
    private long eventMs;
    private boolean isEmitting;

    @Override
    public void collect(T value) {
      isEmitting = true;
      output.collect(value, eventMs);
      isEmitting = false;
    }

    @Override
    public void close() {
      // Flink closes the output.
    }
  }
}
