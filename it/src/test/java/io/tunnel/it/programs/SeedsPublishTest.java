package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench seeds} with publishers and subscribers: what needs ZooKeeper, which is beside the
 * programs here and not where their own tests run.
 */
@Tag("proof-programs")
class SeedsPublishTest {

  private static final Pattern RESULT = Pattern.compile("\\{\"bench\":\"seeds\".*}");
  private static final Duration RUN_MAX = Duration.ofMinutes(8);
  private static final int PUBLISHERS = 4;
  private static final int SUBSCRIBERS = 12;
  private static final int PATHS = 80;

  @RegisterExtension final Stage stage = new Stage();

  @TempDir Path directory;

  private static String load(int servers) {
    return "{\"publishers\": 4, \"subscribersOfPath\": 3, \"pathsOfPublisher\": 20,"
        + " \"bytes\": 64, \"servers\": "
        + servers
        + "}";
  }

  private ChildProcess bench(Path work, int seconds) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("paths.json"),
            "{\"seed\": \"p\", \"kind\": \"publish\", \"title\": \"t\", \"publishedOn\": \"p\","
                + " \"operations\": [\"createDelete\", \"notify\", \"notifyRead\", \"set\"],"
                + " \"warmUpSeconds\": 0, \"seconds\": "
                + seconds
                + ", \"loads\": ["
                + load(1)
                + ", "
                + load(3)
                + "], \"columns\": [\"totalRequests\", \"perSecond\", \"recentMs\", \"averageMs\","
                + " \"dataAverageMs\", \"failed\", \"residentKiB\"]}");
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
  void paths_are_measured_on_one_server_and_on_three_beside_zookeeper(@TempDir Path work)
      throws IOException {
    ChildProcess bench = bench(work, 1);
    Poll.until(RUN_MAX, () -> bench.lastLine(RESULT).isPresent(), bench::transcript);
    assertThat(bench.awaitExit()).as(bench.transcript()).isZero();
    JsonObject json =
        JsonParser.parseString(bench.lastLine(RESULT).orElseThrow(AssertionError::new).group())
            .getAsJsonObject();
    for (String operation : List.of("CreateDelete", "Notify", "NotifyRead", "Set")) {
      JsonArray rows = json.getAsJsonArray("seedp" + operation);
      assertThat(rows)
          .extracting(row -> row.getAsJsonObject().get("servers").getAsInt())
          .containsExactly(1, 3);
      for (JsonElement each : rows) {
        JsonObject row = each.getAsJsonObject();
        assertThat(row.get("publishers").getAsInt()).isEqualTo(PUBLISHERS);
        assertThat(row.get("subscribers").getAsInt()).isEqualTo(SUBSCRIBERS);
        assertThat(row.get("paths").getAsInt()).isEqualTo(PATHS);
        assertMeasured(operation, row);
        assertMeasured(operation, row.getAsJsonObject("peer"));
      }
    }
    assertThat(bench.transcript())
        .contains("ZooKeeper has the settings of its sample file", "it syncs each write")
        .doesNotContain("No peer");
    assertThat(work).isEmptyDirectory();
  }

  private static void assertMeasured(String operation, JsonObject side) {
    assertThat(side.get("averageMs").getAsDouble()).as(operation).isPositive();
    assertThat(side.get("residentKiB").getAsDouble()).as(operation).isPositive();
    assertThat(side.get("failed").getAsInt()).as(operation).isZero();
    double total = side.get("totalRequests").getAsDouble();
    if (operation.startsWith("Notify")) {
      assertThat(total).as("each path, at three subscribers").isEqualTo(3.0 * PATHS);
    } else {
      assertThat(total).as(operation).isPositive();
    }
    if (operation.equals("NotifyRead")) {
      assertThat(side.get("dataAverageMs").getAsDouble())
          .as("data comes behind its event")
          .isGreaterThan(side.get("averageMs").getAsDouble());
    }
  }

  @Test
  void an_interrupted_run_leaves_no_process_and_no_file(@TempDir Path work) throws IOException {
    ChildProcess bench = bench(work, 60);
    Poll.until(RUN_MAX, () -> bench.descendants().size() >= 2, bench::transcript);
    List<ProcessHandle> children = bench.descendants();
    bench.terminate();
    assertThat(bench.awaitExit()).as(bench.transcript()).isEqualTo(130);
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(work).isEmptyDirectory();
  }
}
