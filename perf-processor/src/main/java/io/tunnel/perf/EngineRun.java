package io.tunnel.perf;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Reports what the job of an engine counts, until that is enough. */
final class EngineRun {

  /** How long the job may take to give what it has read when it was asked to end. */
  private static final long PATIENCE_MS = 30_000;

  /** How often the run looks whether it should end. */
  private static final long LOOK_MS = 20;

  private final RunClock clock;
  private final PerfRun.Report report;
  private final Histogram allLatencies = new Histogram(3);
  private final Map<String, Long> rowsByChannel = new TreeMap<>();
  private long rows;
  private long bytes;
  private long late;
  private long aheadOfClock;
  private long cpuNanos;
  private long heapUsedBytes;
  private long firstReadMs = Long.MAX_VALUE;

  /** When the last window with rows came, in milliseconds since 1970. */
  private long lastReadMs;

  /** A run that has nothing counted. */
  EngineRun(RunClock clock, PerfRun.Report report) {
    this.clock = clock;
    this.report = report;
  }

  /** How a run ended: in a word or more, and what it could not count. */
  record Ended(String reason, Optional<String> incomplete) {}

  /** When the run has counted enough, from the start of its readers on. */
  interface Stops {
    /** See {@link StopOptions#core}. */
    StopCore core(long startNanos, long delayNanos);
  }

  /** Prints a line for each window of commit times, and a summary; then the job has ended. */
  Ended consume(PerfJob job, Stops stops) throws InterruptedException {
    String reason = reportUntilEnough(job, stops);
    long readMs = reason.equals(StopCore.IDLE) ? lastReadMs : clock.epochMs();
    Optional<String> incomplete = Optional.empty();
    if (!job.hasEnded()) {
      Optional<String> lost = job.stop();
      Optional<String> unfinished = reportRest(job);
      incomplete = lost.isPresent() ? lost : unfinished;
    }
    print("summary", sinceFirst(readMs), allLatencies, clock.epochMs(), reason);
    return new Ended(reason, incomplete);
  }

  private String reportUntilEnough(PerfJob job, Stops stops) throws InterruptedException {
    Optional<StopCore> stop = Optional.empty();
    while (true) {
      if (stop.isEmpty() && job.isReading()) {
        stop = Optional.of(stops.core(clock.nanos(), job.delayMs() * 1_000_000));
      }
      Optional<String> reason = stop.flatMap(core -> core.reason(clock.nanos(), rows));
      if (reason.isPresent()) {
        return reason.get();
      }
      if (job.hasEnded()) {
        return PerfRun.HALTED + job.failure().orElse("the job was ended by somebody else");
      }
      if (clock.pause(0)) {
        return "signal";
      }
      job.next(LOOK_MS).ifPresent(this::window);
    }
  }

  private Optional<String> reportRest(PerfJob job) {
    long end = clock.nanos() + PATIENCE_MS * 1_000_000;
    try {
      while (!job.hasEnded()) {
        if (clock.nanos() - end >= 0) {
          return Optional.of("the job did not end within " + PATIENCE_MS + " ms");
        }
        job.next(LOOK_MS).ifPresent(this::window);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
    return job.failure();
  }

  private void window(PerfWindow window) {
    window
        .rows()
        .byChannel()
        .forEach((channel, count) -> rowsByChannel.merge(channel, count, Long::sum));
    rows += window.rows().count();
    bytes += window.rows().bytes();
    late += window.rows().late();
    aheadOfClock += window.rows().aheadOfClock();
    cpuNanos += window.cost().cpuNanos();
    heapUsedBytes = window.cost().heapUsedBytes();
    firstReadMs = Math.min(firstReadMs, window.cost().firstReadMs());
    lastReadMs = window.rows().count() > 0 ? clock.epochMs() : lastReadMs;
    allLatencies.add(window.latencies());
    RateCore.Rates rates =
        RateCore.rates(
            RateCore.Totals.NONE,
            new RateCore.Totals(
                window.rows().count(), window.rows().bytes(), window.rows().byChannel()),
            window.ms() * 1_000_000,
            window.cost().cpuNanos());
    print("interval", rates, window.latencies(), window.endMs(), null);
  }

  /** How long a job takes to start, is idle and takes to end says nothing of its rate. */
  private RateCore.Rates sinceFirst(long untilMs) {
    long readMs = firstReadMs == Long.MAX_VALUE ? 0 : untilMs - firstReadMs;
    return RateCore.rates(
        RateCore.Totals.NONE,
        new RateCore.Totals(rows, bytes, rowsByChannel),
        readMs * 1_000_000,
        cpuNanos);
  }

  private void print(
      String kind, RateCore.Rates rates, Histogram latencies, long timestamp, String reason) {
    PerfLine.Frame frame =
        new PerfLine.Frame(
            kind,
            timestamp,
            new PerfLine.Counts(rows, bytes, aheadOfClock, late),
            heapUsedBytes,
            report.isPerChannel(),
            reason);
    report.lines().accept(PerfLine.of(frame, rates, latencies));
  }
}
