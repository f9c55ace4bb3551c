package io.tunnel.flink.source;

import io.tunnel.sdk.StreamRecord;
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
}
