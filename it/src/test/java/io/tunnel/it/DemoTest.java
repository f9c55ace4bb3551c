package io.tunnel.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job as a user runs it: a server, a table, a writer and workers, and the proof. */
class DemoTest {

  private static final Pattern SUMMARY = Pattern.compile("\\{\"rowsWritten\".*}");

  @RegisterExtension final Stage stage = new Stage();

  private ChildProcess demo(String... options) {
    List<String> arguments = new ArrayList<>(List.of("demo"));
    arguments.addAll(List.of(options));
    return stage.child("demo", ServerProcess.MAIN, arguments);
  }

  private static JsonObject verified(ChildProcess demo) {
    assertThat(demo.awaitExit()).as(demo.transcript()).isZero();
    String line = demo.lastLine(SUMMARY).orElseThrow(AssertionError::new).group();
    JsonObject summary = JsonParser.parseString(line).getAsJsonObject();
    assertThat(summary.get("rowsConsumed").getAsLong())
        .isEqualTo(summary.get("rowsWritten").getAsLong());
    assertThat(summary.get("orderViolations").getAsLong()).isZero();
    assertThat(summary.get("duplicates").getAsLong()).isZero();
    assertThat(summary.get("verified").getAsBoolean()).isTrue();
    for (String rate : List.of("writeRowsPerSecond", "readRowsPerSecond")) {
      assertThat(summary.get(rate).getAsDouble()).as(rate).isPositive();
    }
    assertThat(summary.get("latencyP99Ms").getAsDouble()).isNotNegative();
    return summary;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 128})
  void every_acknowledged_change_arrives_once_and_in_order(int partitions) {
    JsonObject summary =
        verified(demo("--partitions", "" + partitions, "--rows", "20000", "--json"));
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(20_000);
    assertThat(summary.get("partitions").getAsInt()).isEqualTo(partitions);
  }

  @Test
  void the_same_holds_for_the_records_of_a_file(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("people.csv");
    StringBuilder lines = new StringBuilder("id,name,age\n");
    for (int i = 0; i < 500; i++) {
      lines.append(i).append(",\"Name, ").append(i % 7).append("\",").append(i % 90).append('\n');
    }
    Files.writeString(file, lines);
    JsonObject summary = verified(demo("--from", file.toString(), "--rows", "500", "--json"));
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(500);
  }

  @Test
  void the_same_holds_on_a_cluster() {
    JsonObject summary = verified(demo("--nodes", "3", "--rows", "20000", "--json"));
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(20_000);
  }

  /** Where a demo that runs keeps everything, once it has said so. */
  private static Path directory(ChildProcess demo) {
    Pattern said = Pattern.compile("starting .* on (\\S+)/data\n");
    Poll.until("does not start", () -> said.matcher(demo.transcript()).find());
    Matcher directory = said.matcher(demo.transcript());
    assertThat(directory.find()).isTrue();
    return Path.of(directory.group(1));
  }

  private static void interrupt(ChildProcess demo, Path directory) {
    List<ProcessHandle> children = demo.descendants();
    demo.terminate();
    assertThat(demo.awaitExit()).as(demo.transcript()).isEqualTo(130);
    // They were killed; what inherits them may need a moment to see it.
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(directory).doesNotExist();
    assertThat(demo.transcript())
        .containsOnlyOnce("tunnel demo: interrupted\n")
        .doesNotContain("\tat ", "Exception", "VERIFIED", "kept");
  }

  @ParameterizedTest
  @ValueSource(strings = {"starting a server", "consumed"})
  void an_interrupted_demo_says_so_and_leaves_nothing(String seen) {
    ChildProcess demo = demo("--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("not so far", () -> demo.transcript().contains(seen));
    interrupt(demo, directory);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void an_interrupted_demo_of_a_cluster_leaves_nothing_either(int processes) {
    ChildProcess demo = demo("--nodes", "2", "--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("no Kafka, or no nodes", () -> demo.descendants().size() == processes);
    interrupt(demo, directory);
  }

  @Test
  void what_a_killed_demo_has_started_ends_and_the_next_demo_removes_its_data() {
    ChildProcess demo = demo("--nodes", "2", "--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("no Kafka and two nodes run", () -> demo.descendants().size() == 3);
    List<ProcessHandle> children = demo.descendants();
    demo.kill();
    Poll.until(
        "something goes on without the demo",
        () -> children.stream().noneMatch(ProcessHandle::isAlive));
    JsonObject unused = verified(demo("--rows", "1000", "--json"));
    assertThat(directory).doesNotExist();
  }

  @Test
  void a_bad_option_is_named_and_nothing_is_started() {
    ChildProcess demo = demo("--partitions", "0");
    assertThat(demo.awaitExit()).isEqualTo(2);
    assertThat(demo.transcript()).contains("--partitions").doesNotContain("\tat ");
  }
}
