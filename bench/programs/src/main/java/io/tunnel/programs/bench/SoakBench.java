package io.tunnel.programs.bench;

import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.programs.bench.live.BacklogProcessor;
import io.tunnel.programs.bench.live.Journeys;
import io.tunnel.programs.bench.live.LiveProcessor;
import io.tunnel.programs.bench.live.LiveWriter;
import io.tunnel.programs.bench.live.ServerProbe;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.bench.peer.TunnelReader;
import io.tunnel.programs.bench.peer.TunnelReader.From;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Writes at an even rate while a tunnel follows, and looks at the server. When half of the time is
 * over another tunnel begins in the past and drains the backlog; the run ends when the time is over
 * and the backlog is drained.
 */
final class SoakBench {

  /** So many looks at least, unless they would come more than once a second. */
  private static final long SAMPLES_MIN = 120;

  /** So many looks at most, whose report a browser still draws. */
  private static final long SAMPLES_MAX = 10_000;

  private static final long SAMPLE_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);
  private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * This share of the time is not in the p99 before the drain: code is compiled, files are made.
   */
  private static final int WARM_PARTS = 8;

  private static final long RETENTION_BYTES_MIN = 256L << 20;
  private static final double PERCENTILE = 99;

  private final Ground ground;
  private final Plan plan;
  private final LoadClock clock;
  private final RowPlan rows;
  private final TunnelPeer peer;

  /** What is asked for. */
  record Plan(long nanos, int partitions, long keys, long backlogRows) {}

  /** The time from one look to the next. */
  static long everyNanos(long nanos) {
    long usual = Math.max(SAMPLE_NANOS_MIN, Math.min(SAMPLE_NANOS, nanos / SAMPLES_MIN));
    return Math.max(usual, nanos / SAMPLES_MAX);
  }

  /** When the drain was, and how much. */
  record Drain(double fromSeconds, double toSeconds, long rows) {}

  /** The writers' p99, due to acknowledged, before the drain, meanwhile and afterwards. */
  record WriteP99(double beforeMs, double duringMs, double afterMs) {}

  /** What was seen. */
  record Result(List<SoakSample> samples, Drain drain, WriteP99 writeP99) {}

  SoakBench(Ground ground, Plan plan) {
    this.ground = ground;
    this.plan = plan;
    this.clock = ground.clock();
    this.rows = RowPlan.DEFAULT.overKeys(plan.keys());
    long kept = Math.max(RETENTION_BYTES_MIN, 2 * plan.backlogRows() * rows.rowBytes());
    this.peer = ground.peer(new TableOptions(Durability.OS).withRetentionBytes(kept));
  }

  /**
   * Rows a second that are both written and read, over the second half of that time: the lower of
   * the two rates.
   */
  double peak(int seconds) throws Exception {
    ground.progress().step("peak");
    String table = ground.nextTable();
    peer.create(table, plan.partitions());
    Journeys journeys = new Journeys(clock);
    LiveProcessor processor = new LiveProcessor(journeys);
    double peak;
    long halfNanos = TimeUnit.SECONDS.toNanos(seconds) / 2;
    try (TunnelReader reader = follow(table, processor);
        LiveWriter writer = writer(table, journeys)) {
      reader.start();
      writer.start(ground.options().writers(), 0);
      waitFor(halfNanos, writer, reader);
      awaitMore(0, 0, processor, writer, reader);
      long startNanos = clock.nanos();
      long written = writer.rows();
      long read = processor.rows();
      waitFor(halfNanos, writer, reader);
      awaitMore(written, read, processor, writer, reader);
      double nanos = clock.nanos() - startNanos;
      peak = Math.min(writer.rows() - written, processor.rows() - read) * 1e9 / nanos;
      writer.stop();
    }
    peer.drop(table);
    ground.settle();
    return peak;
  }

  private TunnelReader follow(String table, LiveProcessor processor) {
    return new TunnelReader(peer.endpoint(), From.earliest(table, "follow"), 1, processor);
  }

  private LiveWriter writer(String table, Journeys journeys) {
    return new LiveWriter(peer.openWriter(table), rows, journeys, clock);
  }

  private void waitFor(long nanos, LiveWriter writer, TunnelReader reader) {
    long endNanos = clock.nanos() + nanos;
    while (clock.nanos() - endNanos < 0) {
      clock.waitUntil(Math.min(endNanos, clock.nanos() + LOOK_NANOS), () -> false);
      requireWell(writer, reader);
    }
  }

  /** Of a machine that is that busy, half of the time may see no row at all. */
  private void awaitMore(
      long written, long read, LiveProcessor processor, LiveWriter writer, TunnelReader reader) {
    long secondsMax = ground.options().stepSecondsMax();
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(secondsMax);
    while (writer.rows() == written || processor.rows() == read) {
      if (clock.nanos() - deadlineNanos >= 0) {
        throw CommandFailure.failed("no row was written and read within " + secondsMax + " s");
      }
      waitFor(LOOK_NANOS, writer, reader);
    }
  }

  private void requireWell(LiveWriter writer, TunnelReader... readers) {
    Optional<String> trouble = writer.trouble();
    for (TunnelReader reader : readers) {
      trouble = trouble.or(() -> reader.trouble().map(text -> "a worker stopped: " + text));
    }
    if (trouble.isEmpty() && !ground.server().isAlive()) {
      trouble = Optional.of("the server ended");
    }
    if (trouble.isPresent()) {
      throw CommandFailure.failed(trouble.get());
    }
  }

  /** Runs at that rate. */
  Result run(double rowsPerSecond) throws Exception {
    ground.progress().step("soak");
    String table = ground.nextTable();
    peer.create(table, plan.partitions());
    long createdMs = clock.epochMs();
    Journeys journeys = new Journeys(clock);
    LiveProcessor processor = new LiveProcessor(journeys);
    long total = (long) (rowsPerSecond * plan.nanos() / 1e9);
    Progress.Watch watch = ground.progress().watch("seen", total, processor::rows);
    try (watch;
        TunnelReader reader = follow(table, processor);
        LiveWriter writer = writer(table, journeys)) {
      reader.start();
      ServerProbe probe = new ServerProbe(ground.server(), ground.directory(), ground.gcLog());
      Looks looks = new Looks(writer, processor, journeys, probe);
      writer.start(ground.options().writers(), rowsPerSecond);
      look(looks, plan.nanos() / WARM_PARTS, writer, reader);
      Histogram unused = looks.phase();
      look(looks, plan.nanos() / 2 - plan.nanos() / WARM_PARTS, writer, reader);
      Histogram before = looks.phase();
      long backlogMs = (long) (plan.backlogRows() * 1e3 / rowsPerSecond);
      long fromMs = clock.epochMs() - backlogMs;
      StreamTunnelConfig start =
          fromMs <= createdMs ? StreamTunnelConfig.EARLIEST : StreamTunnelConfig.fromTime(fromMs);
      Drain drain = drain(looks, new From(table, "backlog", start), writer, reader);
      Histogram during = looks.phase();
      look(looks, plan.nanos() - looks.nanos(), writer, reader);
      Histogram after = looks.phase();
      writer.stop();
      return new Result(
          looks.samples(), drain, new WriteP99(p99Ms(before), p99Ms(during), p99Ms(after)));
    }
  }

  private void look(Looks looks, long nanos, LiveWriter writer, TunnelReader reader)
      throws IOException {
    long endNanos = clock.nanos() + nanos;
    while (clock.nanos() - endNanos < 0) {
      long next = Math.min(endNanos, looks.nextNanos());
      waitFor(next - clock.nanos(), writer, reader);
      looks.lookWhenDue();
    }
  }

  private Drain drain(Looks looks, From from, LiveWriter writer, TunnelReader follower)
      throws IOException {
    ground.progress().step("backlog");
    double fromSeconds = looks.nanos() / 1e9;
    BacklogProcessor backlog = new BacklogProcessor(writer.nextOrdinal(), plan.partitions());
    long deadlineNanos =
        clock.nanos() + TimeUnit.SECONDS.toNanos(ground.options().stepSecondsMax());
    try (TunnelReader reader = new TunnelReader(peer.endpoint(), from, 1, backlog)) {
      looks.drains(backlog);
      reader.start();
      while (!backlog.isDrained()) {
        clock.waitUntil(clock.nanos() + LOOK_NANOS, backlog::isDrained);
        requireWell(writer, follower, reader);
        looks.lookWhenDue();
        if (clock.nanos() - deadlineNanos > 0) {
          throw CommandFailure.failed(
              "the backlog was not drained within " + ground.options().stepSecondsMax() + " s");
        }
      }
      return new Drain(fromSeconds, looks.nanos() / 1e9, backlog.rows());
    }
  }

  private static double p99Ms(Histogram histogram) {
    return histogram.getTotalCount() == 0
        ? Double.NaN
        : histogram.getValueAtPercentile(PERCENTILE) / 1e6;
  }

  /** The looks so far. */
  private final class Looks {
    private final LiveWriter writer;
    private final LiveProcessor processor;
    private final Journeys journeys;
    private final ServerProbe probe;
    private final List<SoakSample> samples = new ArrayList<>();
    private final long startNanos = clock.nanos();
    private final long everyNanos = everyNanos(plan.nanos());
    private Histogram phase = new Histogram(3);
    private Optional<BacklogProcessor> backlog = Optional.empty();
    private long lastNanos = startNanos;
    private long lastWritten;
    private long lastRead;
    private long lastBacklog;
    private ServerProbe.Used lastUsed;

    Looks(LiveWriter writer, LiveProcessor processor, Journeys journeys, ServerProbe probe) {
      this.writer = writer;
      this.processor = processor;
      this.journeys = journeys;
      this.probe = probe;
      this.lastUsed = probe.used();
    }

    long nanos() {
      return clock.nanos() - startNanos;
    }

    /** A drain may be over in seconds, so it is looked at more often. */
    long nextNanos() {
      boolean isDraining = backlog.isPresent() && !backlog.get().isDrained();
      return lastNanos + (isDraining ? SAMPLE_NANOS_MIN : everyNanos);
    }

    /**
     * From now on, and when that is over too: what came since the last look belongs to the next.
     */
    void drains(BacklogProcessor begun) throws IOException {
      if (clock.nanos() - lastNanos >= SAMPLE_NANOS_MIN) {
        look();
      }
      backlog = Optional.of(begun);
    }

    void lookWhenDue() throws IOException {
      if (clock.nanos() - nextNanos() >= 0) {
        look();
      }
    }

    private void look() throws IOException {
      long now = clock.nanos();
      double seconds = (now - lastNanos) / 1e9;
      long written = writer.rows();
      long read = processor.rows();
      long drained = backlog.map(BacklogProcessor::rows).orElse(0L);
      Histogram writes = journeys.written();
      phase.add(writes);
      ServerProbe.Used used = probe.used();
      samples.add(
          new SoakSample(
              (now - startNanos) / 1e9,
              (written - lastWritten) / seconds,
              (read - lastRead) / seconds,
              (drained - lastBacklog) / seconds,
              p99Ms(writes),
              p99Ms(journeys.delivered()),
              (used.cpuNanos() - lastUsed.cpuNanos()) / 1e9 / seconds * 100,
              (used.networkBytes() - lastUsed.networkBytes()) / seconds,
              probe.look()));
      lastNanos = now;
      lastWritten = written;
      lastRead = read;
      lastBacklog = drained;
      lastUsed = used;
    }

    /** The times of writes since this was asked before. */
    Histogram phase() {
      phase.add(journeys.written());
      Histogram ended = phase;
      phase = new Histogram(3);
      return ended;
    }

    List<SoakSample> samples() {
      return List.copyOf(samples);
    }
  }
}
