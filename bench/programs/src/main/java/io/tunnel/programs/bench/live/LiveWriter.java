package io.tunnel.programs.bench.live;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes until closed, at an even rate or at full speed. The integer attribute of a row is its
 * ordinal, which identifies the row independently of the key.
 */
public final class LiveWriter implements AutoCloseable {

  /** Sequences of a thread begin so far behind those of the thread before. */
  private static final long ROWS_APART = 1L << 40;

  private static final long STOP_SECONDS_MAX = 60;

  private final RowWriter writer;
  private final RowPlan plan;
  private final Journeys journeys;
  private final LoadClock clock;
  private final LongAdder applied = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile Optional<Load> load = Optional.empty();

  /** Writes nothing before its start; closes {@code writer}. */
  public LiveWriter(RowWriter writer, RowPlan plan, Journeys journeys, LoadClock clock) {
    this.writer = writer;
    this.plan = plan;
    this.journeys = journeys;
    this.clock = clock;
  }

  /**
   * Begins.
   *
   * @param rowsPerSecond of all threads together; 0 for as many as it takes
   */
  public void start(int threadCount, double rowsPerSecond) {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < threadCount; i++) {
      RowSource rows = new RowSource(i * ROWS_APART, plan);
      clients.add(turn -> write(rows, turn));
    }
    Plan even = rowsPerSecond == 0 ? Plan.CLOSED : Plan.CLOSED.at(rowsPerSecond);
    load = Optional.of(Load.begin(clock, even, clients, Load.threads("live-writer")));
  }

  private void write(RowSource rows, Turn turn) {
    long ordinal = turn.ordinal();
    journeys.start(ordinal, turn.dueNanos());
    writer.add(rows.next().withAmount(ordinal), (sequence, ok) -> completed(ordinal, ok));
    turn.done();
  }

  private void completed(long ordinal, boolean isApplied) {
    if (isApplied) {
      journeys.acked(ordinal);
      applied.increment();
    } else {
      refused.increment();
    }
  }

  /** Rows that were acknowledged. */
  public long rows() {
    return applied.sum();
  }

  /** The ordinal that the next row will have: all rows so far have lower ones. */
  public long nextOrdinal() {
    return load.map(Load::begun).orElse(0L);
  }

  /** What went wrong; empty while nothing did. */
  public Optional<String> trouble() {
    long count = refused.sum();
    return count > 0
        ? Optional.of(count + " rows were not applied")
        : load.flatMap(Load::failure).map(why -> "the writer stopped: " + why.getMessage());
  }

  /** Writes no more, and returns when all that was written has an outcome. */
  public void stop() {
    load.ifPresent(Load::stop);
    try {
      if (load.isPresent()) {
        var unused = load.get().awaitEnd(STOP_SECONDS_MAX);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.flush();
  }

  @Override
  public void close() {
    load.ifPresent(Load::stop);
    writer.close();
  }
}
