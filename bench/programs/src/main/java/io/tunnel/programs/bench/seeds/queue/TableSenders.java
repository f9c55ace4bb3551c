package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.stress.LoadClock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** How senders of each kind wait. */
final class TableSenders {

  private TableSenders() {}

  /** Writes a message, and waits for the answer. */
  record Waiting(TableClient client, String table, MessageRows rows, LoadClock clock)
      implements Messages.Sender {

    @Override
    public void send(long first, int count) {
      var unused = client.write(table, rows.of(first, count, clock.nanos()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Writes a transaction as an atomic batch, and waits for the answer. */
  record Transacted(TableClient client, String table, MessageRows rows, LoadClock clock)
      implements Messages.Sender {

    @Override
    public void send(long first, int count) {
      var unused = client.writeAtomically(table, rows.of(first, count, clock.nanos()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Adds messages to a writer, and waits only while the writer's buffer is full. */
  static final class Buffered implements Messages.Sender {

    private final TableWriter writer;
    private final MessageRows rows;
    private final LoadClock clock;
    private final AtomicReference<Optional<RowResult>> refused =
        new AtomicReference<>(Optional.empty());

    Buffered(TableWriter writer, MessageRows rows, LoadClock clock) {
      this.writer = writer;
      this.rows = rows;
      this.clock = clock;
    }

    @Override
    public void send(long first, int count) {
      for (RowChange row : rows.of(first, count, clock.nanos())) {
        writer.add(row, this::answered);
      }
      requireApplied();
    }

    private void answered(RowChange row, RowResult result) {
      if (!result.isApplied()) {
        refused.set(Optional.of(result));
      }
    }

    private void requireApplied() {
      refused
          .get()
          .ifPresent(
              result -> {
                throw new IllegalStateException(
                    "a message was not written (" + result.outcome() + "): " + result.message());
              });
    }

    @Override
    public void flush() {
      writer.flush();
      requireApplied();
    }

    @Override
    public void close() {}
  }
}
