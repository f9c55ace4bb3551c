package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
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

  private SeedsProgram bench(Path work, int seconds) throws IOException {
    return SeedsProgram.start(
        stage,
        directory,
        work,
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
  }

  @Test
  void each_way_of_sending_is_measured_beside_artemis(@TempDir Path work) throws IOException {
    SeedsProgram program = bench(work, 1);
    JsonObject json = program.result();
    for (String way : WAYS) {
      String name = "seedq" + way.substring(0, 1).toUpperCase(Locale.ROOT);
      JsonObject row = json.getAsJsonArray(name + way.substring(1)).get(0).getAsJsonObject();
      for (JsonObject side : List.of(row, row.getAsJsonObject("peer"))) {
        assertThat(side.get("sentPerSecond").getAsDouble()).as(way).isPositive();
        assertThat(side.get("residentKiB").getAsDouble()).as(way).isPositive();
      }
    }
    assertThat(program.bench().transcript())
        .contains("Artemis has its defaults without security; its journal is ")
        .doesNotContain("No peer");
  }

  @Test
  void an_interrupted_run_leaves_no_process_and_no_file(@TempDir Path work) throws IOException {
    bench(work, 300).interrupt();
  }
}
