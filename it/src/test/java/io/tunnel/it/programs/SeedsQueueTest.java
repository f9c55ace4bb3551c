package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench seeds} with queues: what needs Artemis, which is beside the programs here and not
 * where their own tests run.
 */
@Tag("proof-programs")
class SeedsQueueTest {

  private static final Pattern RESULT = Pattern.compile("\\{\"bench\":\"seeds\".*}");
  private static final Duration RUN_MAX = Duration.ofMinutes(8);
  private static final List<String> WAYS =
      List.of(
          "nP_nT",
          "P_nT",
          "nP_T",
          "P_T",
          "nP_nD_nT",
          "P_nD_nT",
          "nP_D_nT",
          "P_D_nT",
          "nP_nD_T",
          "P_nD_T",
          "nP_D_T",
          "P_D_T");

  @RegisterExtension final Stage stage = new Stage();

  @TempDir Path directory;

  private ChildProcess bench(Path work, int seconds) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("queues.json"),
            "{\"seed\": \"q\", \"kind\": \"queue\", \"title\": \"t\", \"publishedOn\": \"p\","
                + " \"operations\": [\""
                + String.join("\", \"", WAYS)
                + "\"], \"warmUpSeconds\": 0, \"seconds\": "
                + seconds
                + ", \"loads\": ["
                + "{\"senders\": 4, \"receivers\": 6, \"connections\": 3, \"queues\": 2,"
                + " \"bytes\": 300},"
                + "{\"senders\": 3, \"receivers\": 4, \"connections\": 2, \"topics\": 2,"
                + " \"bytes\": 300}],"
                + " \"columns\": [\"sentPerSecond\", \"receivedPerSecond\", \"residentKiB\"]}");
    return stage.child(
        "bench",
        ServerProcess.MAIN,
        List.of(
            "bench",
            "seeds",
            "--workload",
            file.toString(),
            "--work",
            work.toString(),
            "--out",
            directory.resolve("report").toString()));
  }

  @Test
  void each_way_of_sending_is_measured_beside_artemis(@TempDir Path work) throws IOException {
    ChildProcess bench = bench(work, 1);
    Poll.until(RUN_MAX, () -> bench.lastLine(RESULT).isPresent(), bench::transcript);
    assertThat(bench.awaitExit()).as(bench.transcript()).isZero();
    JsonObject json =
        JsonParser.parseString(bench.lastLine(RESULT).orElseThrow(AssertionError::new).group())
            .getAsJsonObject();
    for (String way : WAYS) {
      String name = "seedq" + way.substring(0, 1).toUpperCase(Locale.ROOT);
      JsonObject row = json.getAsJsonArray(name + way.substring(1)).get(0).getAsJsonObject();
      for (JsonObject side : List.of(row, row.getAsJsonObject("peer"))) {
        assertThat(side.get("sentPerSecond").getAsDouble()).as(way).isPositive();
        assertThat(side.get("residentKiB").getAsDouble()).as(way).isPositive();
      }
    }
    assertThat(bench.transcript())
        .contains("Artemis has its defaults without security; its journal is ")
        .doesNotContain("No peer");
    assertThat(work).isEmptyDirectory();
  }

  @Test
  void an_interrupted_run_leaves_no_process_and_no_file(@TempDir Path work) throws IOException {
    ChildProcess bench = bench(work, 300);
    Poll.until(RUN_MAX, () -> bench.descendants().size() >= 2, bench::transcript);
    List<ProcessHandle> children = bench.descendants();
    bench.terminate();
    assertThat(bench.awaitExit()).as(bench.transcript()).isEqualTo(130);
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(work).isEmptyDirectory();
  }
}
