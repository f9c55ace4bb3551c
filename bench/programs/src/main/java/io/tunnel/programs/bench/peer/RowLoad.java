package io.tunnel.programs.bench.peer;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Writes rows as fast as a writer takes them, from several threads. */
public final class RowLoad {

  /** Rows of an operation, so that the load costs next to nothing of a row. */
  private static final int TOGETHER = 1_000;

  private final int threads;
  private final long secondsMax;
  private final RowPlan plan;
  private final Progress progress;
  private final LoadClock clock;

  /**
   * Writes rows of that plan from {@code threads} threads, for at most {@code secondsMax} seconds,
   * and tells {@code progress} how far it is.
   */
  public RowLoad(int threads, long secondsMax, RowPlan plan, Progress progress, LoadClock clock) {
    this.threads = threads;
    this.secondsMax = secondsMax;
    this.plan = plan;
    this.progress = progress;
    this.clock = clock;
  }

  /**
   * Returns when all rows are acknowledged.
   *
   * @return the sum of their amounts
   * @throws CommandFailure when a row was not applied, or the time was over
   */
  public long write(RowWriter writer, long rows) throws Exception {
    LongAdder applied = new LongAdder();
    RowWriter.Acknowledged acknowledged = (sequence, isApplied) -> applied.add(isApplied ? 1 : 0);
    long amounts;
    Progress.Watch watch = progress.watch("written", rows, applied::sum);
    try (watch) {
      amounts = inParallel(rows, row -> writer.add(row, acknowledged));
      writer.flush();
    }
    if (applied.sum() != rows) {
      throw CommandFailure.failed(applied.sum() + " of " + rows + " rows were applied");
    }
    return amounts;
  }

  /** Makes the rows and throws them away: the share of a writer's cost that is ours. */
  public long generate(long rows) throws Exception {
    return inParallel(rows, row -> {});
  }

  private long inParallel(long rows, Consumer<SourceRow> sink) throws Exception {
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      parts.add(new Part(rows * i / threads, rows * (i + 1) / threads, sink));
    }
    Load load = Load.begin(clock, Plan.CLOSED, parts, Load.threads("writer"));
    if (!load.awaitOver(secondsMax)) {
      load.stop();
      throw CommandFailure.failed(rows + " rows were not written within " + secondsMax + " s");
    }
    load.requireNoFailure();
    return parts.stream().mapToLong(part -> part.amounts).sum();
  }

  /** The rows of one thread. */
  private final class Part implements Client {
    private final RowSource source;
    private final Consumer<SourceRow> sink;
    private long left;
    private long amounts;

    Part(long from, long to, Consumer<SourceRow> sink) {
      this.source = new RowSource(from, plan);
      this.sink = sink;
      this.left = to - from;
    }

    @Override
    public void operate(Turn turn) {
      for (int i = 0; i < TOGETHER && left > 0; i++) {
        SourceRow row = source.next();
        amounts += row.amount();
        sink.accept(row);
        left--;
      }
      if (left == 0) {
        turn.leave();
      } else {
        turn.done();
      }
    }
  }
}
