package io.tunnel.flink.sink;

import io.tunnel.flink.TunnelOptions;
import java.io.IOException;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * A table as a sink: the results of a job become puts, updates and deletes.
 *
 * <p>At least once: a Flink checkpoint completes only when every row before it is acknowledged, so
 * the sink needs no state. A restored job writes the rows after its checkpoint again. Puts, updates
 * and deletes set a row's state and do not add to it, so repeating all of them in order gives an
 * equal table; in between, readers may see an older state of a row again.
 *
 * <p>A writer keeps the order of writes to a key; several writers do not: send all elements of a
 * key to one writer ({@code keyBy} before {@code sinkTo}). SQL does so by itself.
 *
 * <pre>{@code
 * TunnelSink<Order> sink =
 *     TunnelSink.<Order>builder((order, moment) -> new RowPutChange(order.key(), order.columns()))
 *         .endpoint("localhost:7650")
 *         .table("orders")
 *         .build();
 * orders.keyBy(Order::id).sinkTo(sink);
 * }</pre>
 *
 * @param <T> the elements
 */
public final class TunnelSink<T> implements Sink<T> {

  private static final long serialVersionUID = 1L;

  private final TunnelOptions table;
  private final TunnelSerializationSchema<T> schema;
  private final SinkSettings settings;

  TunnelSink(TunnelOptions table, TunnelSerializationSchema<T> schema, SinkSettings settings) {
    this.table = table;
    this.schema = schema;
    this.settings = settings;
  }

  /** Starts to describe a sink. */
  public static <T> TunnelSinkBuilder<T> builder(TunnelSerializationSchema<T> schema) {
    return new TunnelSinkBuilder<>(schema);
  }

  /**
   * Connects a writer to the service.
   *
   * @throws IOException when the schema cannot be opened, the service cannot be reached, or the
   *     table does not exist
   * @throws SuppressRestartsException when Flink has restarted the task in spite of {@link
   *     TunnelSinkBuilder#withoutRestarts}; the job then ends
   */
  @Override
  public SinkWriter<T> createWriter(WriterInitContext task) throws IOException {
    if (!settings.restarts()) {
      requireFirstAttempt(task.getTaskInfo());
    }
    try {
      schema.open(task.asSerializationSchemaInitializationContext());
    } catch (Exception e) {
      throw new IOException("the schema of the sink to " + table + " cannot be opened", e);
    }
    return TunnelSinkWriter.open(table, schema, settings, task);
  }

  private void requireFirstAttempt(TaskInfo task) {
    if (task.getAttemptNumber() > 0) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "this job may have written some rows of table '"
                  + table.table()
                  + "' already: Flink has started its writer again after a failure (attempt "
                  + task.getAttemptNumber()
                  + "). Like an UPDATE, the job computes its results from rows of this table, and would"
                  + " change the rows twice, so it ends here. Look which rows are changed,"
                  + " and run the job again for the remaining rows; the first failure is among the"
                  + " job's exceptions"));
    }
  }
}
