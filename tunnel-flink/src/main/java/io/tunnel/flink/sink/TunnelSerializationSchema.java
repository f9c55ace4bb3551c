package io.tunnel.flink.sink;

import io.tunnel.model.RowChange;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * Converts an element of a job to the change to write. Flink ships the schema with the job, so its
 * fields must be serialisable or be created in {@link #open}.
 *
 * @param <T> the elements
 */
@FunctionalInterface
public interface TunnelSerializationSchema<T> extends Serializable {

  /** Called once in each task before the first element. */
  default void open(SerializationSchema.InitializationContext opening) throws Exception {}

  /**
   * The change to write for an element; null to skip the element.
   *
   * @param moment the element's timestamp and the watermark
   */
  RowChange serialize(T element, SinkWriter.Context moment);
}
