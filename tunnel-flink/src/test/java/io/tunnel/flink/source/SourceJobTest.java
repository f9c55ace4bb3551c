package io.tunnel.flink.source;

import static io.tunnel.flink.source.Jobs.KEYS;
import static io.tunnel.flink.source.Jobs.env;
import static io.tunnel.flink.source.Jobs.expected;
import static io.tunnel.flink.source.Jobs.readAll;
import static io.tunnel.flink.source.Jobs.requireOrderInPartitions;
import static io.tunnel.flink.source.Jobs.stream;
import static io.tunnel.flink.source.Jobs.value;
import static io.tunnel.flink.source.Jobs.values;
import static io.tunnel.flink.source.Jobs.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.Poll;
import io.tunnel.flink.ChangeRecord;
import io.tunnel.model.ChannelType;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that read a real server's tables, in a cluster of Flink's in this process. */
@SuppressWarnings("try") // What collects may be interrupted when it closes.
class SourceJobTest {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(2)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static Served served;

  @TempDir private Path savepoints;

  @BeforeAll
  static void begin() throws IOException {
    served = new Served();
  }

  @AfterAll
  static void end() throws IOException {
    served.close();
  }

  private static TunnelSourceBuilder<ChangeRecord> source(String table) {
    return TunnelSource.builder(new ChangeRecordDeserializationSchema())
        .endpoint(served.endpoint())
        .table(table);
  }

  @Test
  void bounded_changes_end_where_they_were_when_the_job_started() throws Exception {
    served.create("bounded", 3);
    write(served, "bounded", 3, 0, 100);
    List<ChangeRecord> read = readAll(source("bounded").endAt(EndAt.latest()));
    assertThat(values(read)).isEqualTo(expected(0, 100));
    Map<Integer, Long> positions = new HashMap<>();
    for (ChangeRecord record : read) {
      assertThat(record.position()).isEqualTo(positions.getOrDefault(record.partition(), 0L) + 1);
      positions.put(record.partition(), record.position());
    }
    served.create("void", 2);
    assertThat(readAll(source("void").endAt(EndAt.latest()))).isEmpty();
  }

  @Test
  void changes_start_at_a_moment_and_end_before_one_that_is_to_come() throws Exception {
    served.create("timed", 2);
    write(served, "timed", 2, 0, 10);
    long startMs = lastCommitMs("timed") + 1;
    awaitPast(startMs);
    write(served, "timed", 2, 10, 20);
    long endMs = lastCommitMs("timed") + 1_500;
    CompletableFuture<List<ChangeRecord>> reading =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return readAll(
                    source("timed")
                        .startAt(StartAt.timestamp(startMs))
                        .endAt(EndAt.timestamp(endMs)));
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    awaitPast(endMs);
    write(served, "timed", 2, 20, 30);
    List<ChangeRecord> read = reading.get();
    assertThat(values(read)).isEqualTo(expected(10, 20));
    assertThat(read)
        .allSatisfy(
            record ->
                assertThat(TimeUnit.MICROSECONDS.toMillis(record.commitMicros()))
                    .isBetween(startMs, endMs - 1));
  }

  private static long lastCommitMs(String table) throws Exception {
    return readAll(source(table).endAt(EndAt.latest())).stream()
        .mapToLong(record -> TimeUnit.MICROSECONDS.toMillis(record.commitMicros()))
        .max()
        .orElseThrow();
  }

  /** The server says whether a moment has passed for it. */
  private static void awaitPast(long ms) {
    Poll.untilTrue(
        () -> {
          served.client().findPositions("timed", Optional.of(ms + 1));
          return true;
        });
  }

  @Test
  void rows_alone_are_those_there_are() throws Exception {
    served.create("rows", 2);
    write(served, "rows", 2, 0, 200);
    List<ChangeRecord> read = readAll(source("rows").type(TunnelType.BaseData));
    assertThat(values(read)).isEqualTo(expected(180, 200));
  }

  /**
   * The last change of each key is written when the job has begun to read, so it comes as a change;
   * whether the row that came before it was newer than the changes in between is left open.
   */
  @Test
  void rows_and_then_changes_have_no_gap_while_others_write() throws Exception {
    served.create("both", 4);
    write(served, "both", 4, 0, 400);
    int last = 2_400;
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 400; i < last; i += 50) {
                write(served, "both", 4, i, i + 50);
              }
            });
    TunnelSource<ChangeRecord> source =
        source("both").type(TunnelType.BaseAndStream).partitionBytesMax(64 << 10).build();
    Map<String, String> rows = new TreeMap<>();
    Map<Integer, Integer> seenByPartition = new TreeMap<>();
    try (CloseableIterator<ChangeRecord> records =
        stream(env(new Configuration(), 2), source).executeAndCollect()) {
      int lastSeen = 0;
      while (lastSeen < KEYS) {
        ChangeRecord record = records.next();
        if (rows.isEmpty()) {
          writing = writing.thenRun(() -> write(served, "both", 4, last, last + KEYS));
        }
        rows.put(record.key().toString(), value(record));
        int seen = seenByPartition.merge(record.partition(), 1, Integer::sum);
        boolean isChange = seen > KEYS / 4;
        lastSeen += isChange && Integer.parseInt(value(record).substring(1)) >= last ? 1 : 0;
      }
    }
    writing.get();
    assertThat(seenByPartition).hasSize(4);
    assertThat(rows.values().stream().sorted().toList()).isEqualTo(expected(last, last + KEYS));
  }

  @Test
  void a_tunnels_checkpoint_is_where_a_job_begins_and_what_it_reports() throws Exception {
    TableInfo table = served.create("resumed", 2);
    write(served, "resumed", 2, 0, 40);
    try (TunnelClient tunnels = new TunnelClient(served.endpoint())) {
      for (String name : List.of("from", "to")) {
        tunnels.createTunnel(
            new CreateTunnelRequest("resumed", name, TunnelType.Stream, StreamStart.EARLIEST));
      }
      seek(tunnels, table, "from", 15);
      TunnelSource<ChangeRecord> source =
          source("resumed").startAt(StartAt.checkpointOf("from")).reportTo("to").build();
      JobClient job;
      List<ChangeRecord> read = new ArrayList<>();
      StreamExecutionEnvironment env = env(new Configuration(), 2);
      DataStreamSource<ChangeRecord> stream = stream(env, source);
      try (CloseableIterator<ChangeRecord> records = stream.collectAsync()) {
        job = env.executeAsync();
        while (read.size() < 10) {
          read.add(records.next());
        }
        assertThat(values(read)).isEqualTo(expected(30, 40));
        Poll.untilTrue(
            () ->
                tunnels
                    .describeTunnel(new DescribeTunnelRequest("resumed", "to"))
                    .getChannelInfos()
                    .stream()
                    .allMatch(channel -> channel.checkpointed() == 20));
      }
      job.cancel().get();
    }
  }

  private static void seek(TunnelClient tunnels, TableInfo table, String name, long to) {
    List<ChannelPosition> positions =
        table.partitions().stream()
            .map(
                partition ->
                    new ChannelPosition(partition.id(), ChannelType.Stream, to, Bytes.EMPTY, false))
            .toList();
    var unused =
        tunnels.seekTunnel(
            SeekTunnelRequest.toCheckpoints(
                table.meta().name(),
                name,
                new CheckpointSet(table.tableId(), table.meta().name(), name, positions)));
  }

  @Test
  void a_job_goes_on_from_savepoints_with_more_and_with_fewer_readers() throws Exception {
    served.create("rescaled", 6);
    List<ChangeRecord> read = new ArrayList<>();
    Optional<String> savepoint = Optional.empty();
    int[] parallelisms = {2, 4, 2};
    for (int round = 0; round < parallelisms.length; round++) {
      write(served, "rescaled", 6, round * 600, (round + 1) * 600);
      Configuration configuration = new Configuration();
      savepoint.ifPresent(path -> configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
      // The collecting sink has no name that lasts.
      configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
      StreamExecutionEnvironment env = env(configuration, parallelisms[round]);
      DataStreamSource<ChangeRecord> stream = stream(env, source("rescaled").build());
      stream.uid("table");
      try (CloseableIterator<ChangeRecord> records = stream.collectAsync()) {
        JobClient job = env.executeAsync();
        while (read.size() < (round + 1) * 600) {
          read.add(records.next());
        }
        savepoint =
            Optional.of(
                job.triggerSavepoint(savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                    .get());
        job.cancel().get();
      }
    }
    assertThat(values(read)).isEqualTo(expected(0, 1_800));
    requireOrderInPartitions(read);
  }

  @Test
  void a_server_that_is_started_anew_under_a_job_costs_it_nothing() throws Exception {
    try (Served other = new Served()) {
      other.create("restarted", 3);
      write(other, "restarted", 3, 0, 300);
      StreamExecutionEnvironment env = env(new Configuration(), 2);
      TunnelSource<ChangeRecord> source =
          TunnelSource.builder(new ChangeRecordDeserializationSchema())
              .endpoint(other.endpoint())
              .table("restarted")
              .discovery(Duration.ofMillis(200))
              .build();
      DataStreamSource<ChangeRecord> stream = stream(env, source);
      List<ChangeRecord> read = new ArrayList<>();
      try (CloseableIterator<ChangeRecord> records = stream.collectAsync()) {
        JobClient job = env.executeAsync();
        while (read.size() < 100) {
          read.add(records.next());
        }
        other.stop();
        other.restart();
        write(other, "restarted", 3, 300, 600);
        while (read.size() < 600) {
          read.add(records.next());
        }
        assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
        job.cancel().get();
      }
      assertThat(values(read)).isEqualTo(expected(0, 600));
      requireOrderInPartitions(read);
    }
  }

  @Test
  void a_table_that_is_not_there_fails_the_job_by_its_name() {
    assertThatThrownBy(() -> readAll(source("nowhere").endAt(EndAt.latest())))
        .hasStackTraceContaining("cannot find the partitions of table nowhere")
        .hasStackTraceContaining("no table");
  }

  @Test
  void a_table_that_is_dropped_under_a_job_fails_it_and_the_job_says_so() throws Exception {
    served.create("dropped", 2);
    write(served, "dropped", 2, 0, 10);
    StreamExecutionEnvironment env = env(new Configuration(), 2);
    DataStreamSource<ChangeRecord> stream = stream(env, source("dropped").build());
    try (CloseableIterator<ChangeRecord> records = stream.collectAsync()) {
      JobClient job = env.executeAsync();
      for (int i = 0; i < 10; i++) {
        assertThat(value(records.next())).isNotEmpty();
      }
      served.client().dropTable("dropped");
      assertThatThrownBy(() -> job.getJobExecutionResult().get())
          .hasStackTraceContaining("table dropped was dropped");
    }
  }
}
