package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.RowChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Event time of jobs, each partition with its own: a row's is in front of its value, so that a test
 * says how far a partition is.
 */
@Tag("proof-flink")
class WatermarkJobTest {

  private static final int AHEAD = 0;
  private static final int BEHIND = 1;
  private static final long FAR_MS = 1_000_000;
  private static final int BYTES_MAX = 64 << 10;
  private static final Duration DRIFT = Duration.ofSeconds(10);

  /** A batch is delivered whole, also if there is less credit. */
  private static final int BATCH_ROWS = 20;

  /** Until a split is paused some of its rows pass; by so many it must be. */
  private static final int ROUNDS_MAX = 2_000;

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
              .build());

  private static Served served;

  @TempDir private Path savepoints;
  private int writtenAhead;
  private int writtenBehind;

  @BeforeAll
  static void begin() throws IOException {
    served = new Served();
  }

  @AfterAll
  static void end() throws IOException {
    served.close();
  }

  @BeforeEach
  void forget() {
    Watched.reset();
  }

  private static WatermarkStrategy<String> rowTimes() {
    return WatermarkStrategy.<String>forMonotonousTimestamps()
        .withTimestampAssigner(
            (value, commitMs) -> Long.parseLong(value.substring(1, value.indexOf(' '))));
  }

  private static WatermarkStrategy<String> aligned() {
    return rowTimes().withWatermarkAlignment("test", DRIFT, Duration.ofMillis(20));
  }

  private static JobClient run(
      String table, int parallelism, WatermarkStrategy<String> times, Configuration configuration)
      throws Exception {
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(parallelism);
    env.getConfig().setAutoWatermarkInterval(10);
    TunnelSource<String> source =
        TunnelSource.builder(new ReadRow())
            .endpoint(served.endpoint())
            .table(table)
            .partitionBytesMax(BYTES_MAX)
            .build();
    env.fromSource(source, times, "table")
        .uid("table")
        .transform("watched", Types.STRING, new Watched())
        .uid("watched")
        .setParallelism(1)
        .sinkTo(new DiscardingSink<>())
        .setParallelism(1);
    return env.executeAsync();
  }

  private static JobClient run(String table, int parallelism, WatermarkStrategy<String> times)
      throws Exception {
    return run(table, parallelism, times, new Configuration());
  }

  private static RowChange row(int partition, String name, long eventMs) {
    return Served.put(partition, "row", (partition == AHEAD ? "a" : "b") + eventMs + " " + name);
  }

  private void writeAhead(String table, int rows, String with) {
    for (int left = rows; left > 0; left -= BATCH_ROWS) {
      List<RowChange> changes = new ArrayList<>();
      for (int i = 0; i < Math.min(left, BATCH_ROWS); i++) {
        changes.add(row(AHEAD, writtenAhead + with, FAR_MS + writtenAhead));
        writtenAhead++;
      }
      served.write(table, changes);
    }
  }

  private void writeBehind(String table, long eventMs) {
    served.write(table, List.of(row(BEHIND, Integer.toString(writtenBehind), eventMs)));
    writtenBehind++;
  }

  private static long seen(char of) {
    return Watched.seen().stream().filter(value -> value.charAt(0) == of).count();
  }

  private void awaitAll() {
    Poll.untilTrue(() -> seen('a') == writtenAhead && seen('b') == writtenBehind);
    assertThat(Watched.seen()).doesNotHaveDuplicates();
  }

  /**
   * Writes rows of both partitions in turns, until {@code missing} rows of the leading partition do
   * not arrive. One reader takes rows in the order of arrival, so without a pause all rows would
   * arrive.
   */
  private void awaitPause(String table, int missing) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      writeAhead(table, 1, "");
      writeBehind(table, round % 5);
      Poll.untilTrue(() -> seen('b') == writtenBehind);
      if (writtenAhead - seen('a') >= missing) {
        return;
      }
    }
    throw new AssertionError("nothing was paused");
  }

  @Test
  void a_split_that_is_ahead_is_paused_in_its_reader_and_goes_on_when_the_others_come_near()
      throws Exception {
    served.create("paused", 2);
    JobClient job = run("paused", 1, aligned());
    // One may be on its way; several behind each other are not.
    awaitPause("paused", 5);
    long seenAhead = seen('a');
    double deliveredBefore = served.metric("tunnel_delivered_bytes_total");
    writeAhead("paused", 600, "x".repeat(1_000));
    for (int i = 0; i < 20; i++) {
      writeBehind("paused", 5 + i);
      Poll.untilTrue(() -> seen('b') == writtenBehind);
    }
    assertThat(seen('a')).isEqualTo(seenAhead);
    assertThat(served.metric("tunnel_delivered_bytes_total") - deliveredBefore)
        .as("its credit is used up")
        .isLessThan(4.0 * BYTES_MAX);
    served.stop();
    served.restart();
    writeBehind("paused", 50);
    Poll.untilTrue(() -> seen('b') == writtenBehind);
    assertThat(seen('a')).as("also of a new connection").isEqualTo(seenAhead);
    assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    writeBehind("paused", FAR_MS);
    awaitAll();
    job.cancel().get();
  }

  @Test
  void readers_whose_split_is_ahead_wait_for_other_readers() throws Exception {
    served.create("apart", 2);
    JobClient job = run("apart", 2, aligned());
    awaitPause("apart", 20);
    writeBehind("apart", FAR_MS);
    awaitAll();
    job.cancel().get();
  }

  @Test
  void a_paused_split_is_in_a_savepoint_where_it_was_paused() throws Exception {
    served.create("saved", 2);
    JobClient job = run("saved", 1, aligned());
    // One may be on its way; several behind each other are not.
    awaitPause("saved", 5);
    writeAhead("saved", 300, "x".repeat(1_000));
    String savepoint =
        job.triggerSavepoint(savepoints.toUri().toString(), SavepointFormatType.CANONICAL).get();
    job.cancel().get();
    assertThat(seen('a')).isLessThanOrEqualTo(writtenAhead - 300);
    Configuration restored = new Configuration();
    restored.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    JobClient next = run("saved", 2, aligned(), restored);
    writeBehind("saved", FAR_MS);
    awaitAll();
    next.cancel().get();
  }

  @Test
  void a_slow_split_holds_back_the_watermark_of_its_reader() throws Exception {
    served.create("slow", 2);
    JobClient job = run("slow", 1, rowTimes());
    writeBehind("slow", 500);
    writeAhead("slow", 100, "");
    awaitAll();
    Poll.untilTrue(() -> Watched.watermark() == 499);
    writeAhead("slow", 100, "");
    writeBehind("slow", 600);
    awaitAll();
    Poll.untilTrue(() -> Watched.watermark() == 599);
    writeBehind("slow", 10 * FAR_MS);
    Poll.untilTrue(() -> Watched.watermark() == FAR_MS + 198);
    job.cancel().get();
  }

  @Test
  void a_partition_without_changes_holds_nothing_back_when_it_is_idle_and_comes_back()
      throws Exception {
    served.create("quiet", 2);
    JobClient job = run("quiet", 1, rowTimes().withIdleness(Duration.ofMillis(200)));
    writeAhead("quiet", 1, "");
    Poll.untilTrue(() -> Watched.watermark() == FAR_MS - 1);
    writeBehind("quiet", 3 * FAR_MS);
    Poll.untilTrue(() -> Watched.watermark() == 3 * FAR_MS - 1);
    assertThat(IntStream.of(writtenAhead, writtenBehind)).containsOnly(1);
    awaitAll();
    job.cancel().get();
  }
}
