package io.tunnel.programs.demo;

import io.tunnel.perf.ProcessUsage;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.WriteTally;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;

/** Watches a running demo: live rates on standard error, and what is only known while it runs. */
final class DemoProgress implements AutoCloseable {

  private static final long LINE_NANOS = 1_000_000_000L;

  private final DemoLedger ledger;
  private final LoadClock clock;
  private final PrintWriter err;
  private final ProgressBar bar;
  private final Histogram allLatencies = new Histogram(3);
  private final long startNanos;
  private long lastNanos;
  private long lastWritten;
  private long lastArrived;
  private long heapUsedMaxBytes;

  DemoProgress(DemoLedger ledger, OptionalLong rows, LoadClock clock, PrintWriter err) {
    this.ledger = ledger;
    this.clock = clock;
    this.err = err;
    this.startNanos = clock.nanos();
    this.lastNanos = startNanos;
    Screen screen = Screen.standardError(err, System.getenv());
    this.bar = new ProgressBar("consumed", "rows", rows, screen, clock::nanos);
  }

  /** Looks at everything; call it several times a second. */
  void look(LoadRun run, ThreadCpu... sides) {
    for (ThreadCpu side : sides) {
      side.sample();
    }
    heapUsedMaxBytes = Math.max(heapUsedMaxBytes, ProcessUsage.heapUsedBytes());
    bar.advanceTo(ledger.arrivedRows());
    if (clock.nanos() - lastNanos >= LINE_NANOS) {
      line(run.tally().counts());
    }
  }

  private void line(WriteTally.Counts counts) {
    long now = clock.nanos();
    long arrived = ledger.arrivedRows();
    double seconds = (now - lastNanos) / 1e9;
    Histogram latencies = ledger.intervalLatencies();
    allLatencies.add(latencies);
    String text =
        String.format(
            Locale.ROOT,
            "%4.0f s  written %,d (%s/s)  consumed %,d (%s/s)  p99 %.1f ms",
            (now - startNanos) / 1e9,
            counts.applied(),
            Human.shortCount((counts.applied() - lastWritten) / seconds),
            arrived,
            Human.shortCount((arrived - lastArrived) / seconds),
            latencies.getValueAtPercentile(99) / 1e3);
    bar.above(
        () -> {
          err.println(text);
          err.flush();
        });
    lastNanos = now;
    lastWritten = counts.applied();
    lastArrived = arrived;
  }

  /** Latencies in microseconds from acknowledgement to callback, of all rows so far. */
  Histogram latencies() {
    allLatencies.add(ledger.intervalLatencies());
    return allLatencies;
  }

  long heapUsedMaxBytes() {
    return heapUsedMaxBytes;
  }

  @Override
  public void close() {
    bar.advanceTo(ledger.arrivedRows());
    bar.close();
  }
}
