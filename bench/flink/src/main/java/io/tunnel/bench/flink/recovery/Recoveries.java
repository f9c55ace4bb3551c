package io.tunnel.bench.flink.recovery;

import io.tunnel.bench.flink.LocalFlink;
import io.tunnel.bench.flink.Reader;
import io.tunnel.bench.flink.Sources;
import io.tunnel.stress.LoadClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** One job after the other on the same live table, each interrupted again and again. */
final class Recoveries {

  private static final int STEP_SECONDS_MAX = 60;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final double NANOS_PER_MS = 1e6;

  private final RecoveryOrder order;
  private final LocalFlink flink;
  private final RecoveryWatch watch;
  private final PacedRows rows;
  private final LoadClock clock;

  Recoveries(
      RecoveryOrder order, LocalFlink flink, RecoveryWatch watch, PacedRows rows, LoadClock clock) {
    this.order = order;
    this.flink = flink;
    this.watch = watch;
    this.rows = rows;
    this.clock = clock;
  }

  /**
   * The job begins behind a table that is filled already for a moment, so the first time is cold.
   */
  RecoveryTimes run() throws Exception {
    JobID job = start(Optional.empty());
    awaitFresh();
    List<Map<String, Double>> failures = new ArrayList<>();
    for (int i = 0; i < order.times().failures(); i++) {
      pause(i, order.times().failures());
      watch.failNext();
      await("a task fails", () -> !watch.isFailureDue());
      awaitFresh();
      failures.add(watch.figures());
    }
    List<Map<String, Double>> savepoints = new ArrayList<>();
    for (int i = 0; i < order.times().savepoints(); i++) {
      pause(i, order.times().savepoints());
      long stopNanos = clock.nanos();
      String savepoint = flink.stopWithSavepoint(job, order.directory());
      double stopMs = (clock.nanos() - stopNanos) / NANOS_PER_MS;
      job = start(Optional.of(savepoint));
      awaitFresh();
      Map<String, Double> figures = new LinkedHashMap<>(watch.figures());
      figures.put("stop ms", stopMs);
      savepoints.add(figures);
    }
    long written = rows.stop();
    await("the job sees all " + written + " rows", () -> watch.rows() >= written);
    flink.cancel(job);
    watch.require();
    if (watch.rows() != written) {
      throw new IllegalStateException(watch.rows() + " rows were seen, written " + written);
    }
    return new RecoveryTimes(failures, savepoints, written);
  }

  private JobID start(Optional<String> savepoint) throws Exception {
    StreamExecutionEnvironment job =
        order.reader() == Reader.KAFKA
            ? job(Sources.kafka(order.endpoint(), order.table(), new LiveLooks.OfKafka()).build())
            : job(
                Sources.tunnel(order.endpoint(), order.table(), new LiveLooks.OfTunnel()).build());
    watch.begin();
    return flink.submit(job, savepoint);
  }

  private StreamExecutionEnvironment job(Source<SeenRow, ?, ?> source) {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    // At once, so that no pause of a setting is measured.
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
    StreamExecutionEnvironment job =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    job.setParallelism(order.shape().parallelism());
    job.enableCheckpointing(order.shape().checkpointMs());
    job.fromSource(source, WatermarkStrategy.noWatermarks(), "rows")
        .uid("rows")
        .map(new WatchedRows())
        .uid("watched")
        .sinkTo(new DiscardingSink<>())
        .uid("nothing");
    return job;
  }

  /** Long enough for checkpoints, and each time ending at another moment between two of them. */
  private void pause(int time, int times) {
    long checkpointNanos = TimeUnit.MILLISECONDS.toNanos(order.shape().checkpointMs());
    clock.waitUntil(
        clock.nanos() + 2 * checkpointNanos + checkpointNanos * time / times, () -> false);
  }

  private void awaitFresh() {
    await("all partitions are fresh", watch::isFresh);
  }

  private void await(String what, BooleanSupplier condition) {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(STEP_SECONDS_MAX);
    while (!condition.getAsBoolean()) {
      watch.require();
      if (clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("not within " + STEP_SECONDS_MAX + " s: " + what);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
  }
}
