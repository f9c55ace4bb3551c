package io.tunnel.flink.sink;

import io.tunnel.flink.TunnelOptions;
import java.io.IOException;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * A table as a sink: what a job computes becomes puts, updates and deletes.
 *
 * <p>At least once: a checkpoint of Flink's completes only when every row before it is
 * acknowledged, so nothing is left that a state would have to keep, and the sink has none. A job
 * that is restored writes what came after its checkpoint again. Puts, updates and deletes say what
 * a row is to be and not how it is to grow, so a writer that repeats all of them in order comes to
 * the same table; in between an older state of a row may be seen again.
 *
 * <p>The order of the writes to a key is kept inside a writer, not among writers: give all elements
 * of a key to one of them ({@code keyBy} before {@code sinkTo}). SQL does so by itself.
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

  /** Begins to describe a sink. */
  public static <T> TunnelSinkBuilder<T> builder(TunnelSerializationSchema<T> schema) {
    return new TunnelSinkBuilder<>(schema);
  }

  /**
   * Connects a writer to the service.
   *
   * @throws IOException when the schema cannot be opened, when the service cannot be reached, or
   *     when it has no such table
   * @throws SuppressRestartsException when Flink has started the task again, and {@link
   *     TunnelSinkBuilder#withoutRestarts} was asked for; the job ends then
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
    return new TunnelSinkWriter<>(RowWrites.open(table, settings, task), schema);
  }

  private void requireFirstAttempt(TaskInfo task) {
    if (task.getAttemptNumber() > 0) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "this job may have written some rows of table '"
                  + table.table()
                  + "' already: Flink has started its writer again after a failure (attempt "
                  + task.getAttemptNumber()
                  + "). It computes what it writes from rows of that table, as an UPDATE does, and"
                  + " would change these rows twice, so it ends here. Look which rows are changed,"
                  + " and run it again for the others alone; why it failed first is among the"
                  + " job's exceptions"));
    }
  }
}
