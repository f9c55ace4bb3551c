package io.tunnel.flink.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.LocalServer;
import io.tunnel.flink.ChangeRecord;
import io.tunnel.flink.source.ChangeRecordDeserializationSchema;
import io.tunnel.flink.source.EndAt;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.perf.PerfCommand;
import io.tunnel.perf.PerfEngine;
import io.tunnel.perf.PerfJob;
import io.tunnel.perf.PerfWindow;
import io.tunnel.perf.RecordWork;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The job on a real server's tables, in a cluster of Flink's in this process. */
@SuppressWarnings("try") // What collects may be interrupted when it closes.
@Tag("proof-flink")
class RateJobTest {

  private static final int PARTITIONS = 3;
  private static final long INTERVAL_MS = 100;

  private static LocalServer server;

  /** Of tasks of the job, which are in this process. */
  private static final AtomicInteger FAILURES = new AtomicInteger();

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    server = new LocalServer();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static void create(String table) {
    server.create(
        table,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        PrimaryKeyValue.fromLong(1_000),
        PrimaryKeyValue.fromLong(2_000));
  }

  /** Spread evenly over the partitions. */
  private static void write(String table, int from, int to) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = from; i < to; i++) {
      rows.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", i % PARTITIONS * 1_000L + i / PARTITIONS).build(),
              List.of(new Column("v", ColumnValue.fromString("v" + i)))));
    }
    server.write(table, rows);
  }

  private static PerfEngine.Task task(String table, StreamStart start, int parallelism) {
    return new PerfEngine.Task(
        new PerfEngine.Place(server.endpoint(), table, Optional.empty()),
        start,
        parallelism,
        INTERVAL_MS,
        new RecordWork.Cost(true, 0));
  }

  private int run(String arguments) {
    CommandLine command =
        new CommandLine(new PerfCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    String all = "--engine flink --server " + server.endpoint() + " " + arguments;
    return CommandRunner.run(command, Diagnosis.standard(), all.split(" "));
  }

  private List<JsonObject> lines() {
    return out.toString()
        .lines()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }

  private JsonObject summary() {
    List<JsonObject> lines = lines();
    assertThat(lines).as(err.toString()).isNotEmpty();
    return lines.get(lines.size() - 1);
  }

  /** What the windows must be, from the changes themselves. */
  private static Map<Long, Map<String, Long>> windowsOf(String table) throws Exception {
    Map<Long, Map<String, Long>> windows = new TreeMap<>();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    TunnelSource<ChangeRecord> source =
        TunnelSource.builder(new ChangeRecordDeserializationSchema())
            .endpoint(server.endpoint())
            .table(table)
            .endAt(EndAt.latest())
            .build();
    try (CloseableIterator<ChangeRecord> changes =
        env.fromSource(source, WatermarkStrategy.noWatermarks(), table).executeAndCollect()) {
      changes.forEachRemaining(
          change -> {
            long startMs = change.commitMicros() / 1_000 / INTERVAL_MS * INTERVAL_MS;
            windows
                .computeIfAbsent(startMs + INTERVAL_MS, end -> new TreeMap<>())
                .merge(Integer.toString(change.partition()), 1L, Long::sum);
          });
    }
    return windows;
  }

  @Test
  void windows_are_those_of_the_commit_times_for_each_channel() throws Exception {
    create("windows");
    for (int i = 0; i < 20; i++) {
      write("windows", 100 * i, 100 * i + 50 + i);
    }
    Map<Long, Map<String, Long>> windows = new TreeMap<>();
    long rows = 0;
    long late = 0;
    try (PerfJob job = new FlinkEngine().start(task("windows", StreamStart.EARLIEST, 1))) {
      while (rows < 1_190) {
        Optional<PerfWindow> next = job.next(1_000);
        if (next.isPresent()) {
          rows += next.get().latencies().getTotalCount();
          late += next.get().rows().late();
          if (!next.get().rows().byChannel().isEmpty()) {
            windows.put(next.get().endMs(), new TreeMap<>(next.get().rows().byChannel()));
          }
        }
        assertThat(job.hasEnded()).as(job.failure().orElse("")).isFalse();
      }
      assertThat(job.stop()).isEmpty();
    }
    assertThat(rows).isEqualTo(1_190);
    assertThat(late).isZero();
    assertThat(windows).isEqualTo(windowsOf("windows"));
  }

  @Test
  void a_job_that_is_restored_counts_each_row_once() throws Exception {
    create("restored");
    FAILURES.set(0);
    Configuration settings = new Configuration();
    settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(settings);
    env.enableCheckpointing(50);
    long rows = 0;
    try (CloseableIterator<WindowCounts> windows =
        RateJob.windows(env, task("restored", StreamStart.EARLIEST, 2))
            .map(RateJobTest::failTwice)
            .returns(WindowCounts.class)
            .executeAndCollect()) {
      // Windows of before, between and after the failures.
      for (int batch = 1; batch <= 3; batch++) {
        write("restored", 500 * (batch - 1), 500 * batch);
        while (rows < 500L * batch) {
          rows += windows.next().rows();
        }
      }
    }
    assertThat(rows).isEqualTo(1_500);
    assertThat(FAILURES).hasValue(2);
  }

  private static WindowCounts failTwice(WindowCounts window) {
    if (window.rows() > 0 && FAILURES.get() < 2) {
      FAILURES.incrementAndGet();
      throw new IllegalStateException("a failure that is meant");
    }
    return window;
  }

  @Test
  void all_rows_are_counted_by_several_readers_and_the_summary_says_so() {
    create("summary");
    write("summary", 0, 3_000);
    assertThat(
            run(
                "--table summary --start EARLIEST --workers 2 --rows 3000 --interval 100ms"
                    + " --per-channel --touch"))
        .isZero();
    JsonObject summary = summary();
    assertThat(summary.get("kind").getAsString()).isEqualTo("summary");
    assertThat(summary.get("rows").getAsLong()).isEqualTo(3_000);
    assertThat(summary.get("stoppedBy").getAsString()).isEqualTo("rows");
    assertThat(summary.get("cpuSecondsPerMillionRows").getAsDouble()).isPositive();
    assertThat(summary.get("latencyP99Ms").getAsDouble()).isPositive();
    assertThat(summary.getAsJsonObject("rowsPerSecondByChannel").size()).isEqualTo(PARTITIONS);
    assertThat(lines()).anyMatch(line -> line.get("kind").getAsString().equals("interval"));
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void windows_that_are_not_complete_when_a_run_ends_are_counted() {
    create("cut");
    write("cut", 0, 300);
    assertThat(run("--table cut --start EARLIEST --interval 1h --duration 4s")).isZero();
    assertThat(summary().get("rows").getAsLong()).isEqualTo(300);
    assertThat(summary().get("stoppedBy").getAsString()).isEqualTo("duration");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void a_table_without_changes_is_idle() {
    create("idle");
    assertThat(run("--table idle --start EARLIEST --interval 100ms --until-idle 100ms")).isZero();
    assertThat(summary().get("stoppedBy").getAsString()).isEqualTo("idle");
    assertThat(summary().get("rows").getAsLong()).isZero();
  }

  @Test
  void a_job_with_a_tunnel_moves_its_checkpoints_and_goes_on_behind_them() {
    create("tunnelled");
    try (TunnelClient tunnels = new TunnelClient(server.endpoint())) {
      String id =
          tunnels
              .createTunnel(
                  new CreateTunnelRequest(
                      "tunnelled", "rates", TunnelType.Stream, StreamStart.EARLIEST))
              .getTunnelId();
      write("tunnelled", 0, 300);
      assertThat(run("--table tunnelled --tunnel rates --interval 100ms --rows 300")).isZero();
      assertThat(summary().get("rows").getAsLong()).isEqualTo(300);
      write("tunnelled", 300, 400);
      assertThat(run("--table tunnelled --tunnel rates --interval 100ms --rows 100")).isZero();
      assertThat(summary().get("rows").getAsLong()).isEqualTo(100);
      assertThat(
              tunnels
                  .describeTunnel(new DescribeTunnelRequest("tunnelled", "rates"))
                  .getChannelInfos())
          .hasSize(PARTITIONS);
      assertThat(id).isNotEmpty();
    }
  }

  @Test
  void a_table_that_does_not_exist_is_named() {
    assertThat(run("--table nowhere --rows 1")).isEqualTo(1);
    assertThat(err.toString()).contains("there is no table 'nowhere'");
  }
}
