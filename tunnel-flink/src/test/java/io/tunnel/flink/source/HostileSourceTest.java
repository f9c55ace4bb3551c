package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.RowChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources that are large, misused or cut off, and what is left of them. */
@Tag("proof-flink")
class HostileSourceTest {

  private static final InMemoryReporter FIGURES = InMemoryReporter.createWithRetainedMetrics();

  /** A job that is cancelled does not wait longer. */
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Connecting is given up after 5 s; the rest is for a busy machine. */
  private static final Duration CONNECTING_MAX = Duration.ofSeconds(60);

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(FIGURES.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(8)
              .build());

  private static Served served;

  private final List<JobClient> started = new ArrayList<>();

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

  /** What a test that failed left would be seen by the next. */
  @AfterEach
  void cancelAll() throws Exception {
    for (JobClient job : started) {
      if (!job.getJobStatus().get().isGloballyTerminalState()) {
        job.cancel().get();
      }
    }
  }

  private static TunnelSourceBuilder<String> source(String table) {
    return TunnelSource.builder(new ReadRow()).endpoint(served.endpoint()).table(table);
  }

  private JobClient start(TunnelSource<String> source, int parallelism) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(parallelism);
    env.enableCheckpointing(100);
    env.getConfig().setAutoWatermarkInterval(10);
    env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "hostile")
        .transform("watched", Types.STRING, new Watched())
        .setParallelism(1)
        .sinkTo(new DiscardingSink<>())
        .setParallelism(1);
    JobClient job = env.executeAsync();
    started.add(job);
    return job;
  }

  private void finish(TunnelSource<String> source, int parallelism) throws Exception {
    start(source, parallelism).getJobExecutionResult().get();
  }

  @Test
  void hundreds_of_partitions_are_read_by_one_reader_and_by_many() throws Exception {
    int partitions = 512;
    served.create("wide", partitions);
    List<RowChange> rows = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 3 * partitions; i++) {
      rows.add(Served.put(i % partitions, "k" + i, "v" + i));
      values.add("v" + i);
    }
    served.write("wide", rows);
    for (int parallelism : new int[] {1, 8}) {
      Watched.reset();
      finish(source("wide").endAt(EndAt.latest()).build(), parallelism);
      assertThat(Watched.seen()).containsExactlyInAnyOrderElementsOf(values);
      Watched.reset();
      finish(source("wide").type(TunnelType.BaseData).build(), parallelism);
      assertThat(Watched.seen()).containsExactlyInAnyOrderElementsOf(values);
    }
    Poll.untilTrue(() -> served.metric("tunnel_readings") == 0);
  }

  @Test
  void rows_of_the_largest_size_pass_the_smallest_credit() throws Exception {
    served.create("large", 2);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String value = Character.toString('a' + i).repeat(2 << 20);
      served.write("large", List.of(Served.put(i % 2, "k" + i, value)));
      values.add(value);
    }
    for (TunnelType type : List.of(TunnelType.Stream, TunnelType.BaseData)) {
      Watched.reset();
      TunnelSourceBuilder<String> source = source("large").type(type).partitionBytesMax(64 << 10);
      finish(type == TunnelType.Stream ? source.endAt(EndAt.latest()).build() : source.build(), 1);
      // Not as a comparison of lists, whose failure would print 12 MiB.
      assertThat(Watched.seen().stream().sorted().toList().equals(values)).isTrue();
    }
  }

  @Test
  void an_empty_table_ends_at_once_in_each_type() throws Exception {
    served.create("empty", 3);
    finish(source("empty").type(TunnelType.BaseData).build(), 2);
    finish(source("empty").type(TunnelType.BaseAndStream).endAt(EndAt.latest()).build(), 2);
    assertThat(Watched.seen()).isEmpty();
  }

  /** Makes nothing of anything. */
  private static final class Nothing implements TunnelDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(StreamRecord record, Collector<String> out) {}

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }

  @Test
  void a_job_that_ends_has_reported_all_of_it_even_if_its_schema_makes_nothing_of_it()
      throws Exception {
    served.create("silent", 2);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      rows.add(Served.put(i % 2, "k" + i, "v" + i));
    }
    served.write("silent", rows);
    try (TunnelClient tunnels = new TunnelClient(served.endpoint())) {
      tunnels.createTunnel(
          new CreateTunnelRequest("silent", "watch", TunnelType.Stream, StreamStart.EARLIEST));
      finish(
          TunnelSource.builder(new Nothing())
              .endpoint(served.endpoint())
              .table("silent")
              .endAt(EndAt.latest())
              .reportTo("watch")
              .build(),
          2);
      assertThat(Watched.seen()).isEmpty();
      assertThat(
              tunnels
                  .describeTunnel(new DescribeTunnelRequest("silent", "watch"))
                  .getChannelInfos())
          .allMatch(channel -> channel.checkpointed() == 20);
    }
  }

  @Test
  void moments_that_cannot_be_are_refused() {
    served.create("moments", 1);
    served.write("moments", List.of(Served.put(0, "k", "v")));
    assertThatThrownBy(
            () -> source("moments").startAt(StartAt.timestamp(9)).endAt(EndAt.timestamp(8)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("changes end before they start");
    assertThatThrownBy(
            () ->
                finish(
                    source("moments").startAt(StartAt.timestamp(Long.MAX_VALUE / 1_000)).build(),
                    1))
        .hasStackTraceContaining("cannot find the partitions of table moments")
        .hasStackTraceContaining("a time to go to is from 1970 to now");
  }

  @Test
  void one_endpoint_that_answers_is_enough() throws Exception {
    served.create("listed", 2);
    served.write("listed", List.of(Served.put(0, "k", "v0"), Served.put(1, "k", "v1")));
    String endpoints = "127.0.0.1:" + deadPort() + "," + served.endpoint();
    finish(source("listed").endpoint(endpoints).endAt(EndAt.latest()).build(), 1);
    assertThat(Watched.seen()).containsExactlyInAnyOrder("v0", "v1");
  }

  private static int deadPort() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return taken.getLocalPort();
    }
  }

  /** A port that accepts connections, and sends nothing, or bytes of another protocol. */
  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"})
  void a_port_of_something_else_is_named_and_not_waited_for(String answer) throws Exception {
    Thread talking;
    try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      talking = new Thread(() -> talk(other, answer));
      talking.start();
      String endpoint = "127.0.0.1:" + other.getLocalPort();
      long begunNanos = System.nanoTime();
      assertThatThrownBy(() -> finish(source("any").endpoint(endpoint).build(), 1))
          .hasStackTraceContaining(
              "cannot find the partitions of table any at 127.0.0.1:" + other.getLocalPort());
      assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(CONNECTING_MAX);
    }
    talking.join();
  }

  /** Sends the answer to all clients, until the socket is closed. */
  private static void talk(ServerSocket other, String answer) {
    List<Socket> accepted = new ArrayList<>();
    try {
      while (!other.isClosed()) {
        Socket socket = other.accept();
        accepted.add(socket);
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException closed) {
      accepted.forEach(IOUtils::closeQuietly);
    }
  }

  private static void cancelSoon(JobClient job) throws Exception {
    long begunNanos = System.nanoTime();
    job.cancel().get();
    Poll.untilTrue(() -> job.getJobStatus().get() == JobStatus.CANCELED);
    assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(SOON);
  }

  @Test
  void a_job_whose_server_is_away_is_cancelled_soon() throws Exception {
    try (Served other = new Served()) {
      other.create("away", 2);
      other.write("away", List.of(Served.put(0, "k", "v0"), Served.put(1, "k", "v1")));
      JobClient job =
          start(
              source("away").endpoint(other.endpoint()).discovery(Duration.ofMillis(50)).build(),
              2);
      Poll.untilTrue(() -> Watched.seen().size() == 2);
      other.stop();
      cancelSoon(job);
      other.restart();
    }
  }

  @Test
  void nothing_is_left_at_the_server_of_a_job_that_is_cancelled_while_it_reads_rows()
      throws Exception {
    served.create("scanned", 4);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      rows.add(Served.put(i % 4, "k" + i, "x".repeat(10_000)));
    }
    served.write("scanned", rows);
    Watched.shutGate();
    JobClient job =
        start(
            source("scanned").type(TunnelType.BaseAndStream).partitionBytesMax(64 << 10).build(),
            2);
    Poll.untilTrue(() -> served.metric("tunnel_readings") == 4);
    cancelSoon(job);
    Poll.untilTrue(() -> served.metric("tunnel_readings") == 0);
  }

  private static Metric figure(JobID job, String name) {
    return FIGURES.getMetricsByIdentifiers(job).entrySet().stream()
        .filter(figure -> figure.getKey().endsWith("hostile.0." + name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  private static long gauge(JobID job, String name) {
    return (Long) ((Gauge<?>) figure(job, name)).getValue();
  }

  private static long counter(JobID job, String name) {
    return ((Counter) figure(job, name)).getCount();
  }

  @Test
  void figures_of_a_source_are_what_they_say() throws Exception {
    int partition = served.create("figures", 1).partitions().get(0).id();
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.add(Served.put(0, "k" + i, "x".repeat(1_000)));
    }
    served.write("figures", rows);
    Watched.shutGate();
    JobClient client = start(source("figures").build(), 1);
    JobID job = client.getJobID();
    String channel = "channel." + partition + ".";
    Poll.untilTrue(() -> gauge(job, "pendingRecords") == 100);
    assertThat(gauge(job, channel + "lag")).isEqualTo(100);
    assertThat(gauge(job, channel + "position")).isZero();
    Watched.openGate();
    Poll.untilTrue(() -> Watched.seen().size() == 100);
    Poll.untilTrue(() -> gauge(job, "pendingRecords") == 0);
    assertThat(gauge(job, channel + "lag")).isZero();
    assertThat(gauge(job, channel + "position")).isEqualTo(100);
    assertThat(counter(job, "numRecordsIn")).isEqualTo(100);
    assertThat(counter(job, "numBytesIn")).isBetween(100_000L, 120_000L);
    assertThat(counter(job, "numRecordsInErrors")).isZero();
    Poll.untilTrue(() -> gauge(job, "sourceIdleTime") > 0);
    for (String lag : List.of("currentEmitEventTimeLag", "currentFetchEventTimeLag")) {
      assertThat(gauge(job, lag)).as(lag).isBetween(0L, 120_000L);
    }
    Poll.untilTrue(() -> gauge(job, "watermarkLag") < 120_000);
    assertThat(gauge(job, "currentEmitEventTimeLag"))
        .as("it came before the job took it")
        .isGreaterThanOrEqualTo(gauge(job, "currentFetchEventTimeLag"));
    client.cancel().get();
  }
}
