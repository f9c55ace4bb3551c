package io.tunnel.programs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * {@code bench peers} with as little as can be measured: with a broker of its own, and beside it
 * with one that was there. They run at once: most of their time they wait for servers to settle.
 */
@Tag("proof-programs")
class PeersRunsTest {

  private static final String SOMEBODYS = "somebodys-topic";

  private static final List<CompletableFuture<Run>> RUNS = new ArrayList<>();

  @TempDir static Path directory;
  private static KafkaBroker broker;
  private static CompletableFuture<Run> withOwn;
  private static CompletableFuture<Run> withGiven;
  private static CompletableFuture<Run> withNone;
  private static CompletableFuture<Run> withoutStreams;

  private record Run(int exitCode, String out, String err, Path report, Path work) {

    JsonObject json() throws IOException {
      assertThat(exitCode).as(err).isZero();
      String last = out.lines().reduce((one, next) -> next).orElseThrow();
      assertThat(Files.readString(report.resolve("report.json"))).isEqualTo(last + "\n");
      return JsonParser.parseString(last).getAsJsonObject();
    }

    JsonObject only() throws IOException {
      assertThat(json().getAsJsonArray("byPartitions")).hasSize(1);
      return json().getAsJsonArray("byPartitions").get(0).getAsJsonObject();
    }

    void assertLeftNothing() throws IOException {
      try (Stream<Path> left = Files.list(work)) {
        assertThat(left).as("what the benchmark left").isEmpty();
      }
    }

    void assertCharts(String... names) throws IOException {
      String page = Files.readString(report.resolve("index.html"));
      for (String name : names) {
        assertThat(page).contains("src=\"" + name + ".png\"");
        assertThat(report.resolve(name + ".png")).isNotEmptyFile();
      }
    }
  }

  @BeforeAll
  static void all_start() throws Exception {
    withOwn = start("own", "--partitions 2 --rows 2000 --only write");
    broker = KafkaBroker.start(directory.resolve("kafka"), Map.of());
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(SOMEBODYS, 1, (short) 1))).all().get();
    }
    withGiven =
        start(
            "given",
            "--partitions 1 --rows 1000 --only read,latency --look touch --latency-rate 500"
                + " --latency-seconds 1 --idle-rows 10 --kafka "
                + broker.bootstrap());
    withNone = start("none", "--kafka 127.0.0.1:1");
    withoutStreams = start("no-streams", "--only write,table");
  }

  @AfterAll
  static void all_have_ended() {
    RUNS.forEach(CompletableFuture::join);
    RUNS.clear();
    Optional.ofNullable(broker).ifPresent(KafkaBroker::close);
  }

  private static Admin admin() {
    return Admin.create(
        Map.<String, Object>of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap()));
  }

  private static CompletableFuture<Run> start(String name, String options) throws IOException {
    Path report = directory.resolve(name);
    Path work = Files.createDirectory(directory.resolve(name + "-work"));
    String line = "peers --rounds 1 " + options + " --out " + report + " --work " + work;
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    CompletableFuture<Run> run = new CompletableFuture<>();
    RUNS.add(run);
    new Thread(
            () -> {
              int exitCode = CommandRunner.run(command, Diagnosis.standard(), line.split(" "));
              run.complete(new Run(exitCode, out.toString(), err.toString(), report, work));
            },
            "bench-" + name)
        .start();
    return run;
  }

  private static JsonElement at(JsonObject object, String path) {
    JsonElement at = object;
    for (String name : path.split("/", -1)) {
      at = at.getAsJsonObject().get(name);
      assertThat(at).as(path + " of " + object).isNotNull();
    }
    return at;
  }

  private static void assertPositive(JsonObject object, String... paths) {
    for (String path : paths) {
      assertThat(at(object, path).getAsDouble()).as(path).isPositive();
    }
  }

  @Test
  void a_broker_of_its_own_is_written_beside_our_server() throws IOException {
    Run run = withOwn.join();
    JsonObject only = run.only();
    assertPositive(only, "writeRatio", "writeRatioFsync", "writeRowsPerSecond/tunnelFsync");
    // Known to 10 ms, so of few rows it can be 0.
    assertThat(at(only, "cpuPerMillionRows/write/kafka/server").getAsDouble()).isNotNegative();
    assertThat(at(only, "cpuPerMillionRows/write/tunnel/client").getAsDouble()).isNotNegative();
    assertThat(only.get("partitions").getAsInt()).isEqualTo(2);
    assertThat(run.out()).contains("ours over Kafka's: above 1 is better", "acks=1");
    assertThat(run.err()).contains("starting a Kafka broker", "2 partitions: write, kafka");
    run.assertCharts("ratios", "write", "cpu-write");
    run.assertLeftNothing();
  }

  @Test
  void a_broker_that_is_there_keeps_its_topics_and_its_cpu_time_to_itself() throws Exception {
    Run run = withGiven.join();
    JsonObject only = run.only();
    assertPositive(
        only,
        "readRatio/touch",
        "readStartUpMs/touch/kafka",
        "readStartUpMs/touch/tunnel",
        "rawCeilingRowsPerSecond",
        "latencyP99Ms/loaded/dueToCallback/kafka",
        "latencyP99Ratio/loaded/dueToCallback",
        "latencyP99Ratio/idle/dueToCallback");
    assertThat(at(only, "cpuPerMillionRows/readTouch/kafka/server").isJsonNull()).isTrue();
    assertThat(run.out()).contains("is not known here", "raw ceiling");
    run.assertCharts("ratios", "latency-ratios", "read", "latency", "cpu-read-touch");
    run.assertLeftNothing();
    try (Admin admin = admin()) {
      assertThat(admin.listTopics().names().get()).containsExactly(SOMEBODYS);
    }
  }

  @Test
  void where_no_broker_is_the_code_says_that_it_cannot_be_reached() throws IOException {
    Run run = withNone.join();
    assertThat(run.exitCode()).isEqualTo(69);
    assertThat(run.err()).contains("no Kafka broker at 127.0.0.1:1 can be used");
    assertThat(run.out()).isEmpty();
    run.assertLeftNothing();
  }

  /** How they are measured where it is, says {@code io.tunnel.it.programs.PeersTableTest}. */
  @Test
  void tables_are_not_measured_where_kafka_streams_is_not() throws IOException {
    Run run = withoutStreams.join();
    assertThat(run.exitCode()).isEqualTo(69);
    assertThat(run.err()).contains("Kafka Streams is not beside this program");
    assertThat(run.out()).isEmpty();
    run.assertLeftNothing();
  }
}
