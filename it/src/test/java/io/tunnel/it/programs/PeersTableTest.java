package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench peers --only table} with few rows: what needs Kafka Streams, which is beside the
 * programs here and not where their own tests run.
 */
@Tag("proof-programs")
class PeersTableTest {

  private static final Pattern RESULT = Pattern.compile("\\{\"bench\":\"peers\".*}");

  private static final Duration RUN_MAX = Duration.ofMinutes(5);

  @RegisterExtension final Stage stage = new Stage();

  @TempDir Path directory;

  private ChildProcess bench(Path work, String rows) {
    return stage.child(
        "bench",
        ServerProcess.MAIN,
        List.of(
            "bench",
            "peers",
            "--only",
            "table",
            "--partitions",
            "2",
            "--rounds",
            "1",
            "--durability",
            "os",
            "--rows",
            rows,
            "--work",
            work.toString(),
            "--out",
            directory.resolve("report").toString()));
  }

  @Test
  void rows_are_written_into_our_table_beside_one_that_kafka_streams_keeps(@TempDir Path work) {
    ChildProcess bench = bench(work, "3000");
    // Four JVMs start, and each step waits until servers are quiet.
    Poll.until(RUN_MAX, () -> !bench.isAlive(), bench::transcript);
    assertThat(bench.awaitExit()).as(bench.transcript()).isZero();
    String line = bench.lastLine(RESULT).orElseThrow(AssertionError::new).group();
    JsonObject only =
        JsonParser.parseString(line)
            .getAsJsonObject()
            .getAsJsonArray("byPartitions")
            .get(0)
            .getAsJsonObject();
    assertThat(only.get("tableWriteRatio").getAsDouble()).isPositive();
    for (String side : List.of("kafka", "tunnel")) {
      assertThat(only.getAsJsonObject("tableWriteRowsPerSecond").get(side).getAsDouble())
          .as(side)
          .isPositive()
          .isLessThanOrEqualTo(
              only.getAsJsonObject("tableWriteAcknowledgedRowsPerSecond").get(side).getAsDouble());
    }
    assertThat(bench.transcript())
        .contains(
            "starting Kafka Streams", "2 partitions: write into a table, kafka table, 1 of 1");
    assertThat(work).isEmptyDirectory();
  }

  @Test
  void an_interrupted_run_leaves_no_process_and_no_file(@TempDir Path work) {
    ChildProcess bench = bench(work, "50000000");
    Poll.until(
        RUN_MAX,
        () -> bench.transcript().contains("write into a table, kafka table"),
        bench::transcript);
    List<ProcessHandle> children = bench.descendants();
    assertThat(children).as("server, broker and Kafka Streams").hasSizeGreaterThanOrEqualTo(3);
    bench.terminate();
    assertThat(bench.awaitExit()).as(bench.transcript()).isEqualTo(130);
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(work).isEmptyDirectory();
  }
}
