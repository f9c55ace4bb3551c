package io.tunnel.programs.bench.peer;

import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * How long after its acknowledgement, and after the moment at which it was due to be written, a
 * reader in this process sees a change. One thread writes at an even rate; a row that is written
 * late counts from when it was due. A row that is seen before its writer was told counts as 0.
 */
public final class LatencyRound {

  private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final int partitions;
  private final long secondsMax;
  private final Progress progress;
  private final LoadClock clock;

  /** Rounds of at most {@code secondsMax} seconds, with tables of {@code partitions} partitions. */
  public LatencyRound(int partitions, long secondsMax, Progress progress, LoadClock clock) {
    this.progress = progress;
    this.partitions = partitions;
    this.secondsMax = secondsMax;
    this.clock = clock;
  }

  /**
   * How many rows, and how often.
   *
   * @param rowsPerSecond at least 1
   * @param warmRows written before those that count
   * @param rows those that count
   */
  public record Pace(double rowsPerSecond, int warmRows, int rows) {}

  /** RowTimes by sequence; each element has one writing thread, and is read after all have come. */
  private static final class RowTimes extends ArrivalCount {
    private final long[] dueNanos;
    private final long[] ackedNanos;
    private final long[] seenNanos;
    private final LoadClock clock;

    RowTimes(int rows, LoadClock clock) {
      super(rows, clock);
      this.clock = clock;
      dueNanos = new long[rows];
      ackedNanos = new long[rows];
      seenNanos = new long[rows];
    }

    @Override
    public void saw(long sequence) {
      seenNanos[(int) sequence] = clock.nanos();
    }
  }

  /** Makes a table, writes and reads it at that pace, and drops it. */
  public Figures run(Peer peer, String table, Pace pace) throws Exception {
    int rows = pace.warmRows() + pace.rows();
    RowTimes times = new RowTimes(rows, clock);
    peer.create(table, partitions);
    CpuTimes.settle(List.of(peer), clock); // a new topic has no leaders for a moment
    Figures figures = new Figures();
    Progress.Watch watch = progress.watch("seen", rows, times::rows);
    try (watch;
        RowReader reader = peer.openReader(table, Look.SEQUENCE, times);
        RowWriter writer = peer.openWriter(table)) {
      reader.start();
      CpuTimes cpu = new CpuTimes(peer);
      long startNanos = clock.nanos();
      write(writer, times, pace);
      figures.put("rows/s", rows * 1e9 / (clock.nanos() - startNanos));
      var unused = times.awaitNanos(reader, secondsMax);
      report(times, pace, figures);
      figures.put("client CPU us/row", cpu.clientMicrosPer(rows));
      figures.put("server CPU us/row", cpu.serverMicrosPer(rows));
    }
    peer.drop(table);
    CpuTimes.settle(List.of(peer), clock);
    return figures;
  }

  private void write(RowWriter writer, RowTimes times, Pace pace) throws Exception {
    int rows = times.dueNanos.length;
    RowSource source = new RowSource(0);
    LongAdder applied = new LongAdder();
    RowWriter.Acknowledged acknowledged =
        (sequence, isApplied) -> {
          times.ackedNanos[(int) sequence] = clock.nanos();
          applied.add(isApplied ? 1 : 0);
        };
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(secondsMax);
    Client client =
        turn -> {
          times.dueNanos[(int) turn.number()] = turn.dueNanos();
          writer.add(source.next(), acknowledged);
          if (clock.nanos() - deadlineNanos > 0) {
            throw CommandFailure.failed(
                "the rate was not held: " + turn.number() + " of " + rows + " rows");
          }
          turn.done();
        };
    Plan even = Plan.CLOSED.at(pace.rowsPerSecond()).operations(rows);
    Load.begin(clock, even, List.of(client)).requireNoFailure();
    writer.flush();
    if (applied.sum() != rows) {
      throw CommandFailure.failed(applied.sum() + " of " + rows + " rows were applied");
    }
  }

  private static void report(RowTimes times, Pace pace, Figures figures) {
    Histogram acked = new Histogram(HIGHEST_NANOS, 3);
    Histogram due = new Histogram(HIGHEST_NANOS, 3);
    for (int i = pace.warmRows(); i < times.dueNanos.length; i++) {
      acked.recordValue(Math.max(0, times.seenNanos[i] - times.ackedNanos[i]));
      due.recordValue(Math.max(0, times.seenNanos[i] - times.dueNanos[i]));
    }
    put(figures, "acked-seen", acked);
    put(figures, "due-seen", due);
  }

  private static void put(Figures figures, String name, Histogram histogram) {
    figures.put(name + " p50 ms", histogram.getValueAtPercentile(50) / 1e6);
    figures.put(name + " p90 ms", histogram.getValueAtPercentile(90) / 1e6);
    figures.put(name + " p99 ms", histogram.getValueAtPercentile(99) / 1e6);
    figures.put(name + " p99.9 ms", histogram.getValueAtPercentile(99.9) / 1e6);
    figures.put(name + " max ms", histogram.getMaxValue() / 1e6);
  }
}
