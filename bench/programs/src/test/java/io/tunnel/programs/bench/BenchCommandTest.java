package io.tunnel.programs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Command lines that measure nothing. */
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
        "soak --hours 169 | --hours is more than 0 and at most 168",
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
        "peers --partitions 0 | --partitions is 1 to 1024, not 0",
        "peers --partitions 8,1025 | --partitions is 1 to 1024, not 1025",
        "peers --partitions eight | 'eight' is not a whole number",
        "peers --rows 999 | --rows is 1000 to 100000000, not 999",
        "peers --rows 100000001 | --rows is 1000 to 100000000, not 100000001",
        "peers --rounds 0 | --rounds is 1 to 100, not 0",
        "peers --rounds 101 | --rounds is 1 to 100, not 101",
        "peers --latency-seconds 601 | --latency-seconds is 1 to 600, not 601",
        "peers --latency-rate 0 | --latency-rate is 1 to 100000000, not 0",
        "peers --latency-rate 100000001 | --latency-rate is 1 to 100000000, not 100000001",
        "peers --idle-rows 100001 | --idle-rows is 1 to 100000, not 100001",
        "peers --linger-ms 1001 | --linger-ms is 0 to 1000, not 1001",
        "peers --kafka-batch-bytes 16777217 | --kafka-batch-bytes is 1 to 16777216, not 16777217",
        "peers --tunnel-batch-bytes 6291457 | --tunnel-batch-bytes is 1 to 6291456, not 6291457",
        "peers --minutes-max 10081 | --minutes-max is 1 to 10080, not 10081",
        "peers --only delete | expected one of [WRITE, TABLE, READ, LATENCY]",
        "peers --look sequence | --look is some of count, touch, decode, not sequence",
        "peers --durability none | expected one of [FSYNC, OS]",
        "peers --kafka somewhere | --kafka 'somewhere' is not HOST:PORT, such as 127.0.0.1:9092",
        "seeds --only 002,999 | --only names 000, 002, 003, 004, 004paths, 004tiers, 004flow,"
            + " 004form, 004permissions, not '999'",
        "seeds --only 002,002 | seed 002 is named twice",
        "seeds --scale 0 | --scale is 0.001 to 1, not 0.0",
        "seeds --scale 1.1 | --scale is 0.001 to 1, not 1.1",
        "seeds --scale much | 'much' is not a",
        "seeds --minutes-max 0 | --minutes-max is 1 to 1440, not 0",
        "seeds --minutes-max 1441 | --minutes-max is 1 to 1440, not 1441",
        "seeds --peer some | --peer",
        "seeds --work nowhere/at/all | --work nowhere/at/all is no directory",
        "peers --kafka a:99999 | --kafka 'a:99999' is not HOST:PORT",
        "peers --partitions"
            + " 1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6 | 32 values at"
            + " most, not 33",
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

  @Test
  void a_workload_that_cannot_be_read_is_refused_before_anything_is_made() throws IOException {
    Path file = Files.writeString(directory.resolve("mine.json"), "{\"seed\": 7}");
    Path report = directory.resolve("report");
    assertThat(run("seeds", "--workload", file.toString(), "--out", report.toString()))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--workload " + file + ": $ has no member 'kind'");
    assertThat(run("seeds", "--workload", directory.resolve("none.json").toString())).isEqualTo(74);
    assertThat(err.toString()).contains("none.json cannot be read");
    assertThat(report).doesNotExist();
  }

  @Test
  void two_operations_never_share_an_array_of_the_report() throws IOException {
    String mix =
        "{\"seed\": \"%s\", \"kind\": \"mix\", \"title\": \"t\", \"operations\": [\"%s\"],"
            + " \"steps\": {\"%2$s\": [\"put\"]}, \"warmUpSeconds\": 0, \"seconds\": 1,"
            + " \"loads\": [{\"clients\": 1, \"bytes\": 8, \"rowsBefore\": 1}],"
            + " \"columns\": [\"perSecond\"]}";
    Path first = Files.writeString(directory.resolve("1.json"), mix.formatted("m", "aB"));
    Path second = Files.writeString(directory.resolve("2.json"), mix.formatted("mA", "b"));
    assertThat(run("seeds", "--workload", first.toString(), "--workload", second.toString()))
        .isEqualTo(2);
    assertThat(err.toString()).contains("the array seedmAB of the report; rename seed mA");
  }

  @ParameterizedTest
  @ValueSource(strings = {"quick", "growth", "soak", "whitepaper", "peers", "seeds"})
  void help_names_what_all_benchmarks_can_be_told(String name) {
    assertThat(run(name, "--help")).isZero();
    assertThat(out.toString())
        .contains("--out", "--work", "--json", "Examples:", "tunnel bench " + name, "Exit codes:");
  }

  @Test
  void without_a_name_those_there_are_are_named() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString())
        .contains("name a subcommand", "quick, growth, soak, whitepaper, peers");
  }
}
