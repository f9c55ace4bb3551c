package io.tunnel.flink.source;

import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;

/**
 * Converts a change or a row to the elements of a job. Called on the task's thread, one call at a
 * time.
 *
 * @param <T> the elements
 */
public interface TunnelDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {

  /** Called once, before all other methods. */
  default void open(DeserializationSchema.InitializationContext context) throws Exception {}

  /**
   * Collects any number of elements, whose event time is the record's commit time. The record is a
   * view of the delivered bytes: an element that keeps the record keeps the bytes.
   */
  void deserialize(StreamRecord record, Collector<T> out) throws IOException;

  /**
   * As {@link #deserialize(StreamRecord, Collector)}, for a schema that must know whether an unseen
   * row did not exist. By default the schema ignores this.
   *
   * @param isWhole whether the job sees the whole history of a row: rows before changes, or changes
   *     from the first on. False when the source starts behind older changes, or older changes were
   *     deleted: an UPDATE may then concern a row with further columns
   */
  default void deserialize(StreamRecord record, boolean isWhole, Collector<T> out)
      throws IOException {
    deserialize(record, out);
  }
}
