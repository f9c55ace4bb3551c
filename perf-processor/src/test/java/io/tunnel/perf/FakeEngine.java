package io.tunnel.perf;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** A job that gives the windows it was told, some of them only when it is asked to end. */
final class FakeEngine implements PerfEngine {

  static final long DELAY_MS = 200;

  final Deque<PerfWindow> windows = new ArrayDeque<>();
  final Deque<PerfWindow> rest = new ArrayDeque<>();
  final List<String> calls = new ArrayList<>();
  Optional<String> failure = Optional.empty();
  Optional<String> stopFailure = Optional.empty();
  boolean endsWhenAsked = true;
  int looksUntilReading;
  Task task;

  /** Of one second and one channel. */
  static PerfWindow window(long endMs, long rows, long late) {
    Histogram latencies = new Histogram(3);
    latencies.recordValueWithCount(2_000, Math.max(1, rows));
    return new PerfWindow(
        endMs,
        1_000,
        new PerfWindow.Rows(Map.of("1", rows), 10 * rows, late, 0),
        latencies,
        new PerfWindow.Cost(500_000_000, 64_000_000, endMs));
  }

  @Override
  public String name() {
    return "flink";
  }

  @Override
  public PerfJob start(Task asked) {
    task = asked;
    return new FakeJob();
  }

  private final class FakeJob implements PerfJob {
    private boolean isStopped;

    @Override
    public Optional<PerfWindow> next(long waitMs) {
      return Optional.ofNullable(windows.poll());
    }

    @Override
    public boolean isReading() {
      return --looksUntilReading < 0;
    }

    @Override
    public long delayMs() {
      return DELAY_MS;
    }

    @Override
    public boolean hasEnded() {
      return windows.isEmpty() && (failure.isPresent() || isStopped);
    }

    @Override
    public Optional<String> failure() {
      return failure;
    }

    @Override
    public Optional<String> stop() {
      calls.add("stop");
      isStopped = endsWhenAsked;
      windows.addAll(rest);
      return stopFailure;
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }
}
