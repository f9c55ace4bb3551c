package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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

  private SeedsProgram bench(Path work, int seconds) throws IOException {
    return SeedsProgram.start(
        stage,
        directory,
        work,
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
  }

  @Test
  void paths_are_measured_on_one_server_and_on_three_beside_zookeeper(@TempDir Path work)
      throws IOException {
    SeedsProgram program = bench(work, 1);
    JsonObject json = program.result();
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
    assertThat(program.bench().transcript())
        .contains("ZooKeeper has the settings of its sample file", "it syncs each write")
        .doesNotContain("No peer");
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
    bench(work, 60).interrupt();
  }
}
