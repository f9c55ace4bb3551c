package io.tunnel.programs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Each benchmark once, on a server of its own, with as little as can be measured. They run at once:
 * most of their time they wait for a server to settle.
 */
@Tag("proof-programs")
class BenchRunsTest {

  private static final Map<String, String> LINES =
      Map.of(
          "quick", "quick --rows 2000 --rounds 1 --partitions 2 --latency-seconds 1",
          "growth",
              "growth --json --rows 1000 --only partitions,keys,tunnels --partitions 2,1 --keys 1000"
                  + " --tunnels 2",
          "soak", "soak --minutes 0.05 --peak-seconds 1 --share 20 --keys 100 --partitions 2",
          "whitepaper", "whitepaper --cases 2x2 --seconds 4 --rate 2000");

  private static final Map<String, CompletableFuture<Run>> RUNS = new HashMap<>();

  @TempDir static Path directory;
  private static ExecutorService threads;

  private record Run(int exitCode, String out, String err, Path report, Path work) {

    /** The object on the last line, which also lies in the report. */
    JsonObject json() throws IOException {
      assertThat(exitCode).as(err).isZero();
      try (Stream<Path> left = Files.list(work)) {
        assertThat(left).as("what the benchmark left").isEmpty();
      }
      List<String> lines = out.lines().toList();
      String last = lines.get(lines.size() - 1);
      assertThat(Files.readString(report.resolve("report.json"))).isEqualTo(last + "\n");
      return JsonParser.parseString(last).getAsJsonObject();
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
  static void all_start() {
    threads = Executors.newFixedThreadPool(LINES.size());
    LINES.forEach(
        (name, unused) -> RUNS.put(name, CompletableFuture.supplyAsync(() -> run(name), threads)));
  }

  @AfterAll
  static void all_have_ended() {
    threads.shutdown();
    RUNS.clear();
  }

  private static Run run(String name) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    Path report = directory.resolve(name);
    Path work = directory.resolve(name + "-work");
    try {
      Files.createDirectory(work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String line = LINES.get(name) + " --out " + report + " --work " + work;
    int exitCode = CommandRunner.run(command, Diagnosis.standard(), line.split(" "));
    return new Run(exitCode, out.toString(), err.toString(), report, work);
  }

  private static void assertPositive(JsonObject object, String... members) {
    for (String member : members) {
      assertThat(object.has(member)).as(member + " of " + object).isTrue();
      assertThat(object.get(member).getAsDouble()).as(member).isPositive();
    }
  }

  @Test
  void quick_tells_rates_costs_and_latencies() throws IOException {
    Run run = RUNS.get("quick").join();
    JsonObject json = run.json();
    assertThat(run.out()).contains("written rows/s, OS", "page with charts: ");
    assertPositive(
        json,
        "writeRowsPerSecondOs",
        "writeRowsPerSecondFsync",
        "readRowsPerSecondCount",
        "readRowsPerSecondDecode",
        "latencyDueP99Ms",
        "latencyDueP999Ms");
    run.assertCharts("rates", "latency");
  }

  @Test
  void soak_drains_a_backlog_while_it_looks_at_the_server() throws IOException {
    Run run = RUNS.get("soak").join();
    JsonObject json = run.json();
    assertPositive(json, "peakRowsPerSecond", "backlogRows", "backlogSeconds", "writeP99BeforeMs");
    JsonObject sample = json.getAsJsonArray("samples").get(1).getAsJsonObject();
    assertPositive(
        sample, "seconds", "writeRowsPerSecond", "readRowsPerSecond", "diskBytes", "cpuPercent");
    run.assertCharts("rates", "latency", "memory", "files", "disk", "cpu", "network");
  }

  @Test
  void whitepaper_has_its_cases_beside_the_published_ones() throws IOException {
    Run run = RUNS.get("whitepaper").join();
    JsonObject json = run.json();
    assertThat(json.getAsJsonArray("publishedCases")).hasSize(7);
    assertPositive(
        json.getAsJsonArray("cases").get(0).getAsJsonObject(),
        "channels",
        "processes",
        "steadyRowsPerSecond",
        "peakRowsPerSecond",
        "perThousandRowsMs",
        "bytesPerSecond",
        "latencyP99Ms");
    run.assertCharts("rate", "resources", "bandwidth");
  }

  @Test
  void growth_measures_at_each_value_and_fits_a_law() throws IOException {
    Run run = RUNS.get("growth").join();
    JsonObject json = run.json();
    assertThat(run.out().lines()).hasSize(1);
    assertThat(run.err()).contains("against partitions", "exponent of written rows/s");
    assertPositive(
        json.getAsJsonArray("partitionsGrowth").get(1).getAsJsonObject(),
        "partitions",
        "writeRowsPerSecond",
        "readRowsPerSecond");
    assertThat(json.getAsJsonArray("partitionsGrowth")).hasSize(2);
    assertThat(json.has("exponentWriteRowsPerSecondByPartitions")).isTrue();
    assertPositive(
        json.getAsJsonArray("tunnelsGrowth").get(0).getAsJsonObject(), "readRowsPerSecond");
    run.assertCharts("partitions-rates", "partitions-costs", "keys-rates", "tunnels-costs");
  }
}
