package io.tunnel.bench.flink.recovery;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.stress.LoadClock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Writes rows at an even rate until it is closed. */
final class PacedRows implements AutoCloseable {

  private static final long END_SECONDS_MAX = 60;

  private final RowWriter writer;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong applied = new AtomicLong();
  private final Load load;

  /** Begins to write. */
  PacedRows(RowWriter writer, long rowsPerSecond, LoadClock clock) {
    this.writer = writer;
    RowSource source = new RowSource(0);
    Client client =
        turn -> {
          written.incrementAndGet();
          writer.add(source.next(), (sequence, isApplied) -> applied.addAndGet(isApplied ? 1 : 0));
          turn.done();
        };
    this.load =
        Load.begin(
            clock,
            Plan.CLOSED.at((double) rowsPerSecond),
            List.of(client),
            Load.threads("paced-rows"));
  }

  /** Stops writing, and returns the number of rows. */
  long stop() throws InterruptedException {
    load.stop();
    if (!load.awaitEnd(END_SECONDS_MAX)) {
      throw new IllegalStateException("the writer is held up for " + END_SECONDS_MAX + " s");
    }
    writer.flush();
    if (applied.get() != written.get()) {
      throw new IllegalStateException(applied + " of " + written + " rows were applied");
    }
    return written.get();
  }

  @Override
  public void close() {
    load.stop();
    writer.close();
  }
}
