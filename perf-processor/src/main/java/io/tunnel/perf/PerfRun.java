package io.tunnel.perf;

import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Reports on a running consumer until it has consumed enough. */
final class PerfRun {

  /** Opens the reason of a run whose workers have all stopped by themselves. */
  static final String HALTED = "halted: ";

  /** Opens the reason of a run that was idle because no worker had a session. */
  static final String DISCONNECTED = "disconnected: ";

  /** Why a run ended that was idle because a tunnel or its channels are paused or stopped. */
  static final String STANDSTILL = "standstill";

  /** How often the run looks whether it should end. */
  private static final long LOOK_MS = 20;

  private final PerfMeter meter;
  private final RunClock clock;
  private final Report report;
  private final Standstills standstills;
  private final RateCore rates;
  private final Histogram allLatencies = new Histogram(3);
  private final long startNanos;
  private String remark = "";

  /** The last moment at which the run had progressed, or at which it was asked to end. */
  private Progress last;

  /** What the rates of the summary reach up to. */
  private record Progress(long nanos, long rows, RateCore.Usage usage) {}

  /**
   * How the report is given.
   *
   * @param intervalNanos from line to line
   * @param isPerChannel whether lines say the rate of each channel
   * @param lines takes the lines
   * @param remarks takes what people should know meanwhile
   */
  record Report(
      long intervalNanos,
      boolean isPerChannel,
      Consumer<PerfLine> lines,
      Consumer<String> remarks) {}

  /** What keeps the tunnel from going on, if anything does. */
  interface Standstills {

    /** Nothing is known. */
    Standstills NONE =
        new Standstills() {
          @Override
          public Optional<Standstill> seen() {
            return Optional.empty();
          }

          @Override
          public Optional<Standstill> now() {
            return Optional.empty();
          }
        };

    /** As it was seen last, which was not long ago if nothing comes. */
    Optional<Standstill> seen();

    /** As it is now. */
    Optional<Standstill> now() throws InterruptedException;
  }

  /** The workers of the run. */
  interface Workers {

    /** Starts them all. */
    void start();

    /** Ends them all gracefully: what they processed is checkpointed then. */
    void shutdown();

    /** How each is. */
    List<TunnelWorkerStatus> status();
  }

  /** A run that starts now. */
  PerfRun(PerfMeter meter, RunClock clock, Report report, Standstills standstills) {
    this.meter = meter;
    this.clock = clock;
    this.report = report;
    this.standstills = standstills;
    this.startNanos = clock.nanos();
    RateCore.Usage startUsage = usage();
    this.last = new Progress(startNanos, 0, startUsage);
    this.rates = new RateCore(startNanos, startUsage);
  }

  /**
   * Consumes until it is enough, and prints a line per interval and a summary. The rates of the
   * summary reach from the start to the end of consuming: without the wait that ended an idle run,
   * and without the shutdown of the workers.
   *
   * @return why it ended: {@code rows}, {@code duration}, {@code idle}, {@code signal}, {@code
   *     standstill} when it was idle because something waits for an operator, {@code disconnected:
   *     …} when it was idle because no worker had a session, or {@code halted: …} when no worker
   *     works any more
   */
  String consume(Workers workers, StopCore stop) throws InterruptedException {
    String reason;
    try {
      workers.start();
      reason = reportUntilEnough(workers, stop);
    } finally {
      workers.shutdown();
    }
    summary(reason);
    return reason;
  }

  private String reportUntilEnough(Workers workers, StopCore stop) throws InterruptedException {
    long nextNanos = startNanos + report.intervalNanos();
    while (true) {
      long now = clock.nanos();
      long rows = meter.rows();
      Optional<String> reason = stop.reason(now, rows).or(() -> halted(workers));
      boolean isIdle = reason.filter(StopCore.IDLE::equals).isPresent();
      if (rows > last.rows() || (reason.isPresent() && !isIdle)) {
        last = new Progress(now, rows, usage());
      }
      if (reason.isPresent()) {
        return isIdle ? idle(workers) : reason.get();
      }
      standstills.seen().ifPresent(this::say);
      if (now - nextNanos >= 0) {
        interval(now);
        // A line that comes late does not make the next ones late.
        nextNanos +=
            Math.max(1, (now - nextNanos) / report.intervalNanos() + 1) * report.intervalNanos();
      }
      long untilNextMs = Math.max(1, (nextNanos - now) / 1_000_000);
      if (clock.pause(Math.min(LOOK_MS, untilNextMs))) {
        last = new Progress(clock.nanos(), meter.rows(), usage());
        return "signal";
      }
    }
  }

  private String idle(Workers workers) throws InterruptedException {
    Optional<String> cutOff = disconnected(workers.status());
    if (cutOff.isPresent()) {
      return cutOff.get();
    }
    Optional<Standstill> why = standstills.now();
    why.ifPresent(this::say);
    return why.isPresent() && !why.get().isOver() ? STANDSTILL : StopCore.IDLE;
  }

  /** Once, until it is another. */
  private void say(Standstill standstill) {
    if (!standstill.sentence().equals(remark)) {
      remark = standstill.sentence();
      report.remarks().accept(remark);
    }
  }

  /** Workers that search for their server get no rows, and cannot tell whether any are left. */
  private static Optional<String> disconnected(List<TunnelWorkerStatus> all) {
    boolean hasNoSession =
        !all.isEmpty()
            && all.stream()
                .map(worker -> worker.activity().phase())
                .allMatch(phase -> phase == Phase.CONNECTING || phase == Phase.PAUSING);
    return hasNoSession
        ? Optional.of(DISCONNECTED + all.get(0).lastError().orElse("no answer yet"))
        : Optional.empty();
  }

  /** Workers stop for good when the tunnel is deleted, for example. */
  private static Optional<String> halted(Workers workers) {
    List<TunnelWorkerStatus> all = workers.status();
    for (TunnelWorkerStatus worker : all) {
      if (worker.state() != TunnelWorkerStatus.State.WORKER_HALT) {
        return Optional.empty();
      }
    }
    return Optional.of(HALTED + all.get(0).lastError().orElse("no reason known"));
  }

  private void interval(long now) {
    Histogram latencies = meter.intervalLatencies();
    allLatencies.add(latencies);
    RateCore.Totals totals = meter.totals();
    print("interval", totals, rates.sinceLast(now, totals, usage()), latencies, null);
  }

  private void summary(String reason) {
    allLatencies.add(meter.intervalLatencies());
    RateCore.Totals totals = meter.totals();
    print(
        "summary",
        totals,
        rates.sinceStart(last.nanos(), totals, last.usage()),
        allLatencies,
        reason);
  }

  private void print(
      String kind,
      RateCore.Totals totals,
      RateCore.Rates lineRates,
      Histogram latencies,
      String reason) {
    PerfLine.Frame frame =
        new PerfLine.Frame(
            kind,
            clock.epochMs(),
            new PerfLine.Counts(totals.rows(), totals.bytes(), meter.aheadOfClock(), 0),
            clock.heapUsedBytes(),
            report.isPerChannel(),
            reason);
    report.lines().accept(PerfLine.of(frame, lineRates, latencies));
  }

  private RateCore.Usage usage() {
    return new RateCore.Usage(clock.cpuNanos());
  }
}
