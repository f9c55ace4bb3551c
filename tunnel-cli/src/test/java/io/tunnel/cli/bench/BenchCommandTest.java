package io.tunnel.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Command lines, and each benchmark once with a server and as little as can be measured. */
class BenchCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  private int run(String... arguments) {
    CommandLine command =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments);
  }

  /** Runs a benchmark whose report and data lie in the directory of the test. */
  private JsonObject measured(String line) throws IOException {
    Path work = Files.createDirectory(directory.resolve("work"));
    String arguments = line + " --out " + directory.resolve("out") + " --work " + work;
    assertThat(run(arguments.split(" "))).as(err.toString()).isZero();
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left).as("what the benchmark left").isEmpty();
    }
    List<String> lines = out.toString().lines().toList();
    String last = lines.get(lines.size() - 1);
    assertThat(Files.readString(directory.resolve("out/report.json"))).isEqualTo(last + "\n");
    return JsonParser.parseString(last).getAsJsonObject();
  }

  private void assertCharts(String... names) throws IOException {
    String page = Files.readString(directory.resolve("out/index.html"));
    for (String name : names) {
      assertThat(page).contains("src=\"" + name + ".png\"");
      assertThat(directory.resolve("out/" + name + ".png")).isNotEmptyFile();
    }
  }

  private static void assertPositive(JsonObject object, String... members) {
    for (String member : members) {
      assertThat(object.has(member)).as(member + " of " + object).isTrue();
      assertThat(object.get(member).getAsDouble()).as(member).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "quick --rows 999 | --rows is 1000 to 100000000, not 999",
        "quick --rows 100000001 | --rows is 1000 to 100000000, not 100000001",
        "quick --partitions 0 | --partitions is 1 to 1024, not 0",
        "quick --partitions 1025 | --partitions is 1 to 1024, not 1025",
        "quick --rounds 101 | --rounds is 1 to 100, not 101",
        "quick --latency-seconds 0 | --latency-seconds is 1 to 600, not 0",
        "quick --writers 65 | --writers is 1 to 64, not 65",
        "quick --step-seconds-max 0 | --step-seconds-max is 1 to 86400, not 0",
        "quick --work nowhere/at/all | --work nowhere/at/all is no directory",
        "quick --rows many | 'many' is not a whole number",
        "growth --only speed | --only names partitions, tunnels, workers, row-bytes, keys, backlog",
        "growth --partitions 1,1025 | --partitions is 1 to 1024, not 1025",
        "growth --tunnels 257 | --tunnels is 1 to 256, not 257",
        "growth --workers 0 | --workers is 1 to 64, not 0",
        "growth --row-bytes 63 | --row-bytes is 64 to 65536, not 63",
        "growth --row-bytes 65KiB | --row-bytes is 64 to 65536, not 66560",
        "growth --keys 999 | --keys is 1000 to 1000000000, not 999",
        "growth --backlog 1KB | --backlog is 1048576 to 1099511627776, not 1000",
        "soak --minutes 0 | --minutes is more than 0 and at most 10080",
        "soak --minutes 10081 | --minutes is more than 0 and at most 10080",
        "soak --rate 0 | --rate is 1 to 100000000, not 0",
        "soak --share 101 | --share is 1 to 100, not 101",
        "soak --peak-seconds 601 | --peak-seconds is 1 to 600, not 601",
        "soak --partitions 1025 | --partitions is 1 to 1024, not 1025",
        "soak --keys 0 | --keys is 1 to 1000000000, not 0",
        "soak --backlog 0 | --backlog is 1 to 1000000000, not 0",
        "whitepaper --cases 8 | a case is CHANNELSxPROCESSES such as 64x2, not '8'",
        "whitepaper --cases 0x1 | a case has 1 to 1024 channels, not 0",
        "whitepaper --cases 1025x1 | a case has 1 to 1024 channels, not 1025",
        "whitepaper --cases 8x17 | a case has 1 to 16 worker processes, not 17",
        "whitepaper --seconds 3 | --seconds is 4 to 3600, not 3",
        "whitepaper --rate 0 | --rate is 1 to 100000000, not 0",
        "growth --tunnels"
            + " 1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6 | 32 values at"
            + " most, not 33",
      })
  void a_bad_option_ends_with_2_and_says_what_would_be_right(String arguments, String message) {
    assertThat(run(arguments.strip().split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message.strip());
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void a_report_that_cannot_be_written_ends_with_the_code_of_files() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThat(run("quick", "--out", file.toString())).isEqualTo(74);
    assertThat(err.toString()).contains("for the report cannot be made");
  }

  @ParameterizedTest
  @ValueSource(strings = {"quick", "growth", "soak", "whitepaper"})
  void help_names_what_all_benchmarks_can_be_told(String name) {
    assertThat(run(name, "--help")).isZero();
    assertThat(out.toString())
        .contains("--out", "--work", "--json", "Examples:", "tunnel bench " + name, "Exit codes:");
  }

  @Test
  void without_a_name_those_there_are_are_named() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("name a subcommand", "quick, growth, soak, whitepaper");
  }

  @Test
  void quick_tells_rates_costs_and_latencies() throws IOException {
    JsonObject json = measured("quick --rows 2000 --rounds 1 --partitions 2 --latency-seconds 1");
    assertThat(out.toString()).contains("written rows/s, OS", "page with charts: ");
    assertPositive(
        json,
        "writeRowsPerSecondOs",
        "writeRowsPerSecondFsync",
        "readRowsPerSecondCount",
        "readRowsPerSecondDecode",
        "latencyDueP99Ms",
        "latencyDueP999Ms");
    assertCharts("rates", "latency");
  }

  @Test
  void soak_drains_a_backlog_while_it_looks_at_the_server() throws IOException {
    JsonObject json =
        measured("soak --minutes 0.05 --peak-seconds 1 --share 20 --keys 100 --partitions 2");
    assertPositive(json, "peakRowsPerSecond", "backlogRows", "backlogSeconds", "writeP99BeforeMs");
    JsonObject sample = json.getAsJsonArray("samples").get(1).getAsJsonObject();
    assertPositive(sample, "seconds", "writeRowsPerSecond", "readRowsPerSecond", "diskBytes");
    assertCharts("rates", "latency", "memory", "files", "disk");
  }

  @Test
  void whitepaper_has_its_cases_beside_the_published_ones() throws IOException {
    JsonObject json = measured("whitepaper --cases 2x2 --seconds 4 --rate 2000");
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
    assertCharts("rate", "resources", "bandwidth");
  }

  @Test
  void growth_measures_at_each_value_and_fits_a_law() throws IOException {
    JsonObject json =
        measured(
            "growth --json --rows 1000 --only partitions,keys,tunnels --partitions 2,1 --keys 1000"
                + " --tunnels 2");
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("against partitions", "exponent of written rows/s");
    assertPositive(
        json.getAsJsonArray("partitionsGrowth").get(1).getAsJsonObject(),
        "partitions",
        "writeRowsPerSecond",
        "readRowsPerSecond");
    assertThat(json.getAsJsonArray("partitionsGrowth")).hasSize(2);
    assertThat(json.has("exponentWriteRowsPerSecondByPartitions")).isTrue();
    assertPositive(
        json.getAsJsonArray("tunnelsGrowth").get(0).getAsJsonObject(), "readRowsPerSecond");
    assertCharts("partitions-rates", "partitions-costs", "keys-rates", "tunnels-costs");
  }
}
