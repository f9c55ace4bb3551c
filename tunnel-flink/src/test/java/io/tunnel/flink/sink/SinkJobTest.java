package io.tunnel.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.flink.ChangeRecord;
import io.tunnel.flink.source.ChangeRecordDeserializationSchema;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.processor.RecordColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that copy a table from one service to another one, which stops during the job. */
class SinkJobTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
              .build());

  private static LocalServer from;
  private static LocalServer to;

  @TempDir private Path savepoints;

  @BeforeAll
  static void begin() throws IOException {
    from = new LocalServer();
    to = new LocalServer();
  }

  @AfterAll
  static void end() throws IOException {
    from.close();
    to.close();
  }

  private static void create(String table) {
    for (LocalServer server : List.of(from, to)) {
      server.create(
          table,
          List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
          PrimaryKeyValue.fromLong(500));
    }
  }

  private static void write(String table, int first, int count) {
    List<RowChange> rows = new ArrayList<>();
    for (long id = first; id < first + count; id++) {
      rows.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", id).build(),
              List.of(new Column("value", ColumnValue.fromString("v".repeat(100))))));
    }
    from.write(table, rows);
  }

  private static RowChange row(ChangeRecord record) {
    return new RowPutChange(
        record.key(), record.columns().stream().map(RecordColumn::getColumn).toList());
  }

  private static JobClient copy(String table, int parallelism, long bufferBytes, Configuration with)
      throws Exception {
    with.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    with.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 1_000);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(with);
    env.setParallelism(parallelism);
    env.enableCheckpointing(100);
    env.getCheckpointConfig().setCheckpointTimeout(300);
    TunnelSource<ChangeRecord> source =
        TunnelSource.builder(new ChangeRecordDeserializationSchema())
            .endpoint(from.endpoint())
            .table(table)
            .build();
    env.fromSource(source, WatermarkStrategy.noWatermarks(), "from")
        .uid("from")
        .sinkTo(
            TunnelSink.<ChangeRecord>builder((record, moment) -> row(record))
                .endpoint(to.endpoint())
                .table(table)
                .bufferBytesMax(bufferBytes)
                .build())
        .uid("to");
    return env.executeAsync();
  }

  private static JobClient copy(String table, int parallelism, long bufferBytes) throws Exception {
    return copy(table, parallelism, bufferBytes, new Configuration());
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long begunNanos = System.nanoTime();
    while (!condition.call()) {
      assertThat(System.nanoTime() - begunNanos).isLessThan(LOOK_NANOS_MAX);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static void awaitRows(String table, int count) throws Exception {
    await(() -> to.rows(table).size() == count);
  }

  @Test
  void a_table_that_is_dropped_under_a_job_fails_it_by_its_name() throws Exception {
    create("dropped");
    JobClient job = copy("dropped", 2, 8 << 20);
    write("dropped", 0, 100);
    awaitRows("dropped", 100);
    to.client().dropTable("dropped");
    write("dropped", 100, 100);
    assertThatThrownBy(() -> job.getJobExecutionResult().get())
        .hasStackTraceContaining("table 'dropped'")
        .hasStackTraceContaining("TABLE_NOT_FOUND");
  }

  @Test
  void a_server_that_is_away_for_longer_than_checkpoints_may_take_costs_no_rows(
      @InjectMiniCluster MiniCluster cluster) throws Exception {
    create("away");
    JobClient job = copy("away", 2, 8 << 20);
    write("away", 0, 100);
    awaitRows("away", 100);
    to.stop();
    write("away", 100, 800);
    await(
        () ->
            cluster
                    .getExecutionGraph(job.getJobID())
                    .get()
                    .getCheckpointStatsSnapshot()
                    .getCounts()
                    .getNumberOfFailedCheckpoints()
                > 2);
    to.start();
    awaitRows("away", 900);
    assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    job.cancel().get();
  }

  @Test
  void a_job_that_its_sink_makes_wait_is_cancelled_soon() throws Exception {
    create("blocked");
    JobClient job = copy("blocked", 2, 1);
    write("blocked", 0, 100);
    awaitRows("blocked", 100);
    to.stop();
    write("blocked", 100, 800);
    // The service delivers until the buffers in between are full.
    awaitUnchanged(() -> from.metric("tunnel_delivered_bytes_total"));
    long begunNanos = System.nanoTime();
    job.cancel().get();
    await(() -> job.getJobStatus().get() == JobStatus.CANCELED);
    assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(SOON);
    to.start();
  }

  private static void awaitUnchanged(Callable<Double> figure) throws Exception {
    double[] last = {figure.call(), 0};
    await(
        () -> {
          double now = figure.call();
          last[1] = now == last[0] ? last[1] + 1 : 0;
          last[0] = now;
          return last[1] > 5;
        });
  }

  @Test
  void a_job_goes_on_from_a_savepoint_with_other_writers() throws Exception {
    create("rescaled");
    int[] parallelisms = {2, 4, 1};
    Configuration configuration = new Configuration();
    for (int round = 0; round < parallelisms.length; round++) {
      JobClient job = copy("rescaled", parallelisms[round], 8 << 20, configuration);
      write("rescaled", round * 300, 300);
      awaitRows("rescaled", (round + 1) * 300);
      String savepoint =
          job.triggerSavepoint(savepoints.toUri().toString(), SavepointFormatType.CANONICAL).get();
      job.cancel().get();
      configuration = new Configuration();
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
  }
}
