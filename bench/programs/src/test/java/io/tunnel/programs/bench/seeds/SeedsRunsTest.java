package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.programs.bench.BenchCommand;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Each kind of workload once, with as little as can be measured, on real processes. */
@Tag("proof-programs")
class SeedsRunsTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  private JsonObject run(String workload) throws IOException {
    Path file = Files.writeString(directory.resolve("workload.json"), workload);
    Path work = Files.createDirectory(directory.resolve("work"));
    Path report = directory.resolve("report");
    CommandLine command =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exitCode =
        CommandRunner.run(
            command,
            Diagnosis.standard(),
            "seeds",
            "--workload",
            file.toString(),
            "--out",
            report.toString(),
            "--work",
            work.toString(),
            "--scale",
            "0.5");
    assertThat(exitCode).as(err.toString()).isZero();
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left).as("what the benchmark left").isEmpty();
    }
    List<String> lines = out.toString().lines().toList();
    String last = lines.get(lines.size() - 1);
    assertThat(Files.readString(report.resolve("report.json"))).isEqualTo(last + "\n");
    assertThat(Files.readString(report.resolve("index.html"))).contains("Scale 0.5");
    return JsonParser.parseString(last).getAsJsonObject();
  }

  private static void assertAnswers(JsonObject figures) {
    assertThat(figures.get("perSecond").getAsDouble()).isPositive();
    assertThat(figures.get("averageMs").getAsDouble()).isPositive();
    assertThat(figures.get("residentKiB").getAsDouble()).isPositive();
  }

  @Test
  void echo_is_measured_beside_a_bare_echo() throws IOException {
    JsonObject json =
        run(
            "{\"seed\": \"e\", \"kind\": \"echo\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"acknowledge\", \"repeat\"], \"threads\": [1],"
                + " \"warmUpSeconds\": 0, \"seconds\": 1,"
                + " \"loads\": [{\"clients\": 8, \"bytes\": 100}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"p99Ms\", \"residentKiB\"]}");
    for (String operation : List.of("seedeAcknowledge", "seedeRepeat")) {
      JsonObject row = json.getAsJsonArray(operation).get(0).getAsJsonObject();
      assertThat(row.get("clients").getAsInt()).isEqualTo(4);
      assertAnswers(row);
      assertAnswers(row.getAsJsonObject("peer"));
    }
    assertThat(directory.resolve("report/seede-repeat-rate.png")).isNotEmptyFile();
  }

  @Test
  void a_mix_is_measured_on_the_rows_from_before() throws IOException {
    JsonObject json =
        run(
            "{\"seed\": \"x\", \"kind\": \"mix\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"flow\"], \"warmUpSeconds\": 0, \"seconds\": 1,"
                + " \"steps\": {\"flow\": [\"get\", \"query\", \"put\", \"update\", \"delete\"]},"
                + " \"loads\": [{\"clients\": 4, \"bytes\": 64, \"rowsBefore\": 100}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"],"
                + " \"published\": [{\"operation\": \"flow\", \"clients\": 4, \"perSecond\": 7}]}");
    JsonObject row = json.getAsJsonArray("seedxFlow").get(0).getAsJsonObject();
    assertThat(row.get("clients").getAsInt()).isEqualTo(2);
    assertThat(row.get("rowsBefore").getAsInt()).isEqualTo(50);
    assertAnswers(row);
    assertThat(row.has("peer")).isFalse();
    assertThat(row.getAsJsonObject("published").get("perSecond").getAsInt()).isEqualTo(7);
  }

  @Test
  void sessions_are_measured_on_each_path() throws IOException {
    JsonObject json =
        run(
            "{\"seed\": \"a\", \"kind\": \"access\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"inProcess\", \"tcp\", \"tls\"], \"warmUpSeconds\": 0,"
                + " \"seconds\": 1, \"loads\": [{\"clients\": 6, \"bytes\": 50}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"],"
                + " \"published\": [{\"operation\": \"tls\", \"clients\": 6, \"perSecond\": 7}]}");
    for (String path : List.of("InProcess", "Tcp", "Tls")) {
      JsonObject row = json.getAsJsonArray("seeda" + path).get(0).getAsJsonObject();
      assertThat(row.get("clients").getAsInt()).isEqualTo(3);
      assertThat(row.has("requests")).isFalse();
      assertAnswers(row);
    }
    assertThat(directory.resolve("report/seeda-paths-rate.png")).isNotEmptyFile();
    assertThat(directory.resolve("report/seeda-paths-time.png")).isNotEmptyFile();
  }

  @Test
  void a_registry_of_three_servers_is_a_cluster_here_and_an_ensemble_there() throws IOException {
    JsonObject json =
        run(
            "{\"seed\": \"c\", \"kind\": \"registry\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"register\", \"lookUp\"], \"warmUpSeconds\": 0,"
                + " \"loads\": [{\"clients\": 10, \"bytes\": 64, \"requests\": 100,"
                + " \"namesOfClient\": 5, \"servers\": 3}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"]}");
    for (String operation : List.of("seedcRegister", "seedcLookUp")) {
      JsonObject row = json.getAsJsonArray(operation).get(0).getAsJsonObject();
      assertThat(row.get("servers").getAsInt()).isEqualTo(3);
      assertAnswers(row);
      if (isEtcdInstalled()) {
        assertAnswers(row.getAsJsonObject("peer"));
      }
    }
    assertThat(out.toString()).contains("share one Kafka broker");
  }

  private static boolean isEtcdInstalled() {
    return EtcdServer.installed(Optional.ofNullable(System.getenv("PATH")).orElse("")).isPresent();
  }

  @Test
  void a_registry_is_measured_beside_an_etcd_or_alone() throws IOException {
    JsonObject json =
        run(
            "{\"seed\": \"r\", \"kind\": \"registry\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"register\", \"lookUp\"], \"warmUpSeconds\": 0,"
                + " \"loads\": [{\"clients\": 4, \"bytes\": 64, \"requests\": 40,"
                + " \"namesOfClient\": 5}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"],"
                + " \"published\": [{\"operation\": \"lookUp\", \"clients\": 4, \"perSecond\": 7}]}");
    boolean isInstalled = isEtcdInstalled();
    for (String operation : List.of("seedrRegister", "seedrLookUp")) {
      JsonObject row = json.getAsJsonArray(operation).get(0).getAsJsonObject();
      assertThat(row.get("requests").getAsInt()).isEqualTo(20);
      assertAnswers(row);
      assertThat(row.has("peer")).isEqualTo(isInstalled);
      if (isInstalled) {
        assertAnswers(row.getAsJsonObject("peer"));
      }
    }
    if (!isInstalled) {
      assertThat(out.toString()).contains("No peer: etcd is not installed");
    }
  }
}
