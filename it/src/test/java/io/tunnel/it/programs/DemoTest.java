package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job as a user runs it: a server, a table, a writer and workers, and the proof. */
class DemoTest extends DemoFixture {

  private static final Pattern DELIVERED =
      Pattern.compile("(?m)^tunnel_delivered_bytes_total (\\S+)$");

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 128})
  void every_acknowledged_change_arrives_once_and_in_order(int partitions) {
    JsonObject summary =
        verified(demo("--partitions", "" + partitions, "--rows", "20000", "--json"));
    assertThat(summary.get("rowsWritten").getAsLong()).isEqualTo(20_000);
    assertThat(summary.get("partitions").getAsInt()).isEqualTo(partitions);
  }

  @Tag("proof-programs")
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

  @Tag("proof-programs")
  @Test
  void a_closed_server_proves_the_same_and_keeps_its_keys(@TempDir Path directory) {
    Path data = directory.resolve("data");
    ChildProcess demo = demo("--secure", "--rows", "20000", "--data", data.toString(), "--json");
    assertThat(verified(demo).get("rowsWritten").getAsLong()).isEqualTo(20_000);
    assertThat(demo.transcript()).contains("starting a closed server");
    // Another demo on the data goes in with the keys that are there.
    ChildProcess next =
        demo("--secure", "--rows", "1000", "--data", data.toString(), "--table", "next", "--json");
    assertThat(verified(next).get("rowsWritten").getAsLong()).isEqualTo(1_000);
  }

  @Test
  void a_server_that_runs_is_not_closed_by_a_demo() {
    ChildProcess demo = demo("--secure", "--server", "127.0.0.1:1");
    assertThat(demo.awaitExit()).isEqualTo(2);
    assertThat(demo.transcript()).contains("--secure").contains("--profile");
  }

  @ParameterizedTest
  @ValueSource(strings = {"starting a server", "consumed"})
  void an_interrupted_demo_says_so_and_leaves_nothing(String seen) {
    ChildProcess demo = demo("--rows", "100000000");
    Path directory = directory(demo);
    Poll.until("not so far", () -> demo.transcript().contains(seen));
    interrupt(demo, directory);
  }

  @Tag("proof-programs")
  @Test
  void a_kept_demo_says_where_to_look_and_runs_on_until_it_is_interrupted(@TempDir Path data) {
    ChildProcess demo =
        demo("--rows", "20000", "--keep", "--data", data.resolve("kept").toString(), "--json");
    Pattern console = Pattern.compile("runs on until Ctrl-C; look at it: http://(\\S+)/\n");
    Poll.until("does not run on", () -> console.matcher(demo.transcript()).find());
    assertThat(demo.transcript())
        .containsOnlyOnce("\"verified\":true")
        .containsPattern("\nlook at it: http://127\\.0\\.0\\.1:\\d+/\n")
        .containsPattern("\nclients connect to 127\\.0\\.0\\.1:\\d+\n");
    Matcher found = console.matcher(demo.transcript());
    assertThat(found.find()).isTrue();
    String metrics = "http://" + found.group(1) + "/metrics";
    double before = delivered(metrics);
    Poll.until("nothing is delivered any more", () -> delivered(metrics) > before);
    demo.terminate();
    assertThat(demo.awaitExit()).as(demo.transcript()).isEqualTo(130);
    assertThat(demo.transcript()).contains("tunnel demo: interrupted; kept: " + data);
    assertThat(data.resolve("kept")).isNotEmptyDirectory();
  }

  @Tag("proof-programs")
  @Test
  void a_kept_closed_demo_names_the_command_that_makes_a_token(@TempDir Path data) {
    ChildProcess demo =
        demo("--secure", "--keep", "--rows", "1000", "--data", data.resolve("kept").toString());
    Pattern console =
        Pattern.compile(
            "runs on until Ctrl-C; look at it: https://\\S+/\\R.*browser warns.*\\R"
                + "  \\./tunnel (security token create admin .*)\\R");
    Poll.until("does not run on", () -> console.matcher(demo.transcript()).find());
    Matcher found = console.matcher(demo.transcript());
    assertThat(found.find()).isTrue();
    ChildProcess token =
        stage.child("token", ServerProcess.MAIN, List.of(found.group(1).split(" ", -1)));
    assertThat(token.awaitExit()).as(token.transcript()).isZero();
    demo.terminate();
    assertThat(demo.awaitExit()).as(demo.transcript()).isEqualTo(130);
  }

  /** Bytes that the server has sent to workers. */
  private static double delivered(String metrics) {
    try (var page = URI.create(metrics).toURL().openStream()) {
      String text = new String(page.readAllBytes(), StandardCharsets.UTF_8);
      Matcher meter = DELIVERED.matcher(text);
      assertThat(meter.find()).as(text).isTrue();
      return Double.parseDouble(meter.group(1));
    } catch (IOException e) {
      throw new AssertionError("no answer from " + metrics, e);
    }
  }

  @Test
  void a_bad_option_is_named_and_nothing_is_started() {
    ChildProcess demo = demo("--partitions", "0");
    assertThat(demo.awaitExit()).isEqualTo(2);
    assertThat(demo.transcript()).contains("--partitions").doesNotContain("\tat ");
  }
}
