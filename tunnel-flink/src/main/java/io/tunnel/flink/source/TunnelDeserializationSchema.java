package io.tunnel.flink.source;

import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;

/**
 * Makes what a job computes with of a change or a row. Called on the task's thread, one at a time.
 *
 * @param <T> what the job computes with
 */
public interface TunnelDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {

  /** Is called once before anything else. */
  default void open(DeserializationSchema.InitializationContext context) throws Exception {}

  /**
   * Gives any number of values to {@code out}; their event time is the record's commit time. The
   * record is a view of the bytes that were delivered: a value that keeps it keeps them.
   */
  void deserialize(StreamRecord record, Collector<T> out) throws IOException;

  /**
   * Deserializes for a schema that has to know whether a row of which nothing was given before did
   * not exist. By default a schema does not.
   *
   * @param isWhole whether the job is given all that the row ever was: rows before changes, or the
   *     changes from the first that there was. Not when the source starts behind older changes, or
   *     when some are not kept any more: then an UPDATE may be of a row with other columns
   */
  default void deserialize(StreamRecord record, boolean isWhole, Collector<T> out)
      throws IOException {
    deserialize(record, out);
  }
}
