package io.tunnel.flink.sink;

import io.tunnel.condition.Condition;
import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Converts elements to rows and writes the rows with the SDK's {@link TableWriter}, which collects
 * rows per partition, keeps the order of each key and retries retriable refusals. Flink's own base
 * of asynchronous sinks would do the work twice, and puts failed rows before rows in flight, which
 * breaks the order.
 *
 * <p>The task's thread never waits inside the SDK: it waits in its mailbox for room, or for
 * outcomes. While uncertain rows are repeated, the writer takes no new rows, so the memory for
 * repetitions is bounded by the rows in flight.
 */
final class TunnelSinkWriter<T> implements SinkWriter<T> {

  private static final long PAUSE_FIRST_MS = 100;
  private static final long PAUSE_MS_MAX = 5_000;

  private final TunnelOptions table;
  private final TunnelSerializationSchema<T> schema;
  private final SinkSettings settings;
  private final ProcessingTimeService timers;
  private final TableClient client;
  private final TableWriter writer;
  private final Outcomes outcomes;
  private final Doorbell doorbell;

  /** How often the uncertain rows were repeated; 0 without uncertain rows. */
  private int attempts;

  private boolean isPausing;

  private TunnelSinkWriter(
      TunnelOptions table,
      TunnelSerializationSchema<T> schema,
      SinkSettings settings,
      WriterInitContext task,
      TableClient client) {
    this.table = table;
    this.schema = schema;
    this.settings = settings;
    this.timers = task.getProcessingTimeService();
    this.client = client;
    this.writer = client.openWriter(table.table(), settings.writerConfig());
    this.outcomes = new Outcomes(settings.rejected(), task.metricGroup());
    this.doorbell = new Doorbell(task.getMailboxExecutor(), this::isQuiet);
    outcomes.wakes(doorbell);
    task.metricGroup().gauge("inFlightBytes", writer::bufferedBytes);
  }

  /**
   * Connects to the service.
   *
   * @param schema opened already
   * @throws IOException when the service cannot be reached, or does not have the table
   */
  static <T> TunnelSinkWriter<T> open(
      TunnelOptions table,
      TunnelSerializationSchema<T> schema,
      SinkSettings settings,
      WriterInitContext task)
      throws IOException {
    TableClient client = null;
    try {
      // The sink repeats rows by itself, and a cancelled job must not wait long.
      ClientConfig config = table.clientConfig();
      client = TableClient.connect(config.withWriteRetryDeadline(config.retryDeadline()));
      return new TunnelSinkWriter<>(table, schema, settings, task, client);
    } catch (RuntimeException e) {
      if (client != null) {
        client.close();
      }
      throw new IOException(
          "the sink cannot write to table '"
              + table.table()
              + "' at "
              + table.endpoint()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  @Override
  public void write(T element, Context moment) throws IOException, InterruptedException {
    RowChange row = schema.serialize(element, moment);
    if (row == null) {
      return;
    }
    if (!settings.conditions() && row.isConditional()) {
      throw new IOException(
          "row "
              + row.primaryKey()
              + " has the condition "
              + row.columnCondition().map(Condition::text).orElse(row.condition().name())
              + ", which a restored job would ask again of a later row; see"
              + " TunnelSinkBuilder.withConditions()");
    }
    if (!settings.conditions() && row.isIncrement()) {
      throw new IOException(
          "row "
              + row.primaryKey()
              + " adds to a column, which a restored job would do again; see"
              + " TunnelSinkBuilder.withConditions()");
    }
    if (row.primaryKey().isToBeNumbered()) {
      throw new IOException(
          "row "
              + row.primaryKey()
              + " leaves its number to the server, and a restored job would write the row again"
              + " under another number; give the key a number of its own, such as the offset of"
              + " the element in its source");
    }
    if (!hasRoom()) {
      writer.hurry();
      doorbell.await(this::hasRoom);
    }
    submit(row);
  }

  private void submit(RowChange row) throws IOException {
    outcomes.expect();
    try {
      writer.add(row, outcomes);
    } catch (IllegalArgumentException e) {
      Optional<ErrorCode> code = Optional.of(ErrorCode.INVALID_REQUEST);
      outcomes.completed(
          row, new RowResult(Outcome.REJECTED, -1, -1, code, String.valueOf(e.getMessage())));
      requireWell();
    } catch (ConnectionException e) {
      throw new IOException(
          "table '" + table.table() + "' cannot be written: " + e.getMessage(), e);
    }
  }

  /** Returns when every added row is applied, or was skipped according to the settings. */
  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    writer.hurry();
    doorbell.await(() -> isQuiet() && outcomes.areAllSettled());
  }

  private boolean hasRoom() throws IOException {
    return isQuiet() && writer.bufferedBytes() < settings.bufferBytesMax();
  }

  /** Whether no row has to be repeated; starts a repetition if possible now. */
  private boolean isQuiet() throws IOException {
    requireWell();
    boolean areAllDecided = outcomes.undecided() == 0;
    if (outcomes.hasRepeats()) {
      if (areAllDecided && !isPausing) {
        pause();
      }
      return false;
    }
    if (areAllDecided && !isPausing) {
      attempts = 0;
    }
    return attempts == 0;
  }

  private void requireWell() throws IOException {
    if (outcomes.failure().isPresent()) {
      Outcomes.Told told = outcomes.failure().get();
      throw new WriteFailedException(table.table(), told.row(), told.result(), "was rejected");
    }
  }

  private void pause() throws IOException {
    if (attempts == settings.repeatAttemptsMax()) {
      Outcomes.Told told =
          outcomes
              .firstUncertain()
              .orElseThrow(() -> new IllegalStateException("repeats without a reason"));
      throw new WriteFailedException(
          table.table(),
          told.row(),
          told.result(),
          "is " + told.result().outcome() + " after " + attempts + " repetitions");
    }
    long pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_FIRST_MS << Math.min(attempts, 16));
    attempts++;
    isPausing = true;
    var unused =
        timers.registerTimer(timers.getCurrentProcessingTime() + pauseMs, time -> repeat());
  }

  private void repeat() throws IOException {
    isPausing = false;
    for (RowChange row : outcomes.takeRepeats()) {
      submit(row);
    }
    writer.hurry();
  }

  /**
   * Waits for the rows in flight, within the SDK's deadlines: a late row could undo a write of this
   * writer's successor. Unsent rows are left to the successor.
   */
  @Override
  public void close() {
    doorbell.close();
    writer.abandon();
    client.close();
  }
}
