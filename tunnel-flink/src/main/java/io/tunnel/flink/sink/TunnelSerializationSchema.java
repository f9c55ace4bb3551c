package io.tunnel.flink.sink;

import io.tunnel.model.RowChange;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * Makes of an element of a job the change to write. It is shipped with the job, so everything that
 * it holds must be serialisable or be made in {@link #open}.
 *
 * @param <T> the elements
 */
@FunctionalInterface
public interface TunnelSerializationSchema<T> extends Serializable {

  /** Called once in each task before the first element. */
  default void open(SerializationSchema.InitializationContext opening) throws Exception {}

  /**
   * The change to write for an element; null to write nothing for it.
   *
   * @param moment the element's timestamp and the watermark
   */
  RowChange serialize(T element, SinkWriter.Context moment);
}
