package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code tables put --from} that is interrupted in the middle of its file, and continued. */
@Tag("proof-programs")
class InterruptedPutTest {

  private static final int ROWS = 1_000_000;
  private static final Pattern JSON = Pattern.compile("\\{.*}");

  @RegisterExtension final Stage stage = new Stage();

  private static void fill(Path file) throws IOException {
    try (BufferedWriter lines = Files.newBufferedWriter(file)) {
      lines.write("id,v\n");
      for (int i = 0; i < ROWS; i++) {
        lines.write(i + "," + i % 97 + "\n");
      }
    }
  }

  private ChildProcess put(ServerProcess server, Path file, String... options) {
    List<String> arguments = new ArrayList<>(List.of("tables", "put", "--table", "people"));
    arguments.addAll(List.of("--from", file.toString(), "--server", server.endpoint(), "--json"));
    arguments.addAll(List.of(options));
    return stage.child("put", ServerProcess.MAIN, arguments);
  }

  private static JsonObject summary(ChildProcess put) {
    return JsonParser.parseString(
            put.lastLine(JSON).orElseThrow(() -> new AssertionError(put.transcript())).group())
        .getAsJsonObject();
  }

  private static TableClient people(Stage stage, ServerProcess server) {
    TableClient tables = stage.tables(server);
    var unused =
        tables.createTable(
            new TableMeta(
                "people",
                List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
                TableOptions.DEFAULT));
    return tables;
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  @Test
  void a_put_from_a_pipe_that_is_silent_stops_when_it_is_asked_to() {
    ServerProcess server = stage.server();
    TableClient tables = people(stage, server);
    ChildProcess put = put(server, Path.of("-"), "--format", "csv");
    put.tell("id,v");
    put.tell("1,a");
    put.tell("2,b");
    Poll.until("a row is there", () -> tables.getRow("people", key(1)).isPresent());
    put.terminate();
    assertThat(put.awaitExit()).as(put.transcript()).isEqualTo(143);
    JsonObject stopped = summary(put);
    assertThat(stopped.get("applied").getAsLong()).isEqualTo(2);
    assertThat(stopped.get("continueAfterLine").getAsLong()).isEqualTo(3);
    assertThat(stopped.has("left")).isFalse();
  }

  @Test
  void a_put_whose_server_hangs_says_where_it_stopped(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("people.csv");
    fill(file);
    ServerProcess server = stage.server();
    TableClient tables = people(stage, server);
    Path unsent = directory.resolve("unsent.jsonl");
    ChildProcess put = put(server, file, "--not-sent-file", unsent.toString());
    Poll.until("a row is there", () -> tables.getRow("people", key(1_000)).isPresent());
    server.suspend();
    put.terminate();
    assertThat(put.awaitExit()).as(put.transcript()).isEqualTo(143);
    server.resume();
    JsonObject stopped = summary(put);
    assertThat(stopped.get("stoppedAfterLine").getAsLong()).isPositive();
    assertThat(stopped.get("notSent").getAsLong()).isPositive();
    assertThat(unsent).content().hasLineCount(stopped.get("notSent").getAsInt());
    long told =
        stopped.get("applied").getAsLong()
            + stopped.get("notSent").getAsLong()
            + stopped.get("inDoubt").getAsLong();
    assertThat(told)
        .as("each row that was read")
        .isEqualTo(stopped.get("stoppedAfterLine").getAsLong() - 1);
  }

  @Test
  void a_put_says_where_it_stopped_and_goes_on_from_there(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("people.csv");
    fill(file);
    ServerProcess server = stage.server();
    TableClient tables = people(stage, server);
    ChildProcess first = put(server, file);
    Poll.until("a row is there", () -> tables.getRow("people", key(1_000)).isPresent());
    first.terminate();
    // SIGTERM takes the path of Ctrl-C, and the JVM adds the number of the signal.
    assertThat(first.awaitExit()).as(first.transcript()).isEqualTo(143);
    JsonObject stopped = summary(first);
    long applied = stopped.get("applied").getAsLong();
    assertThat(stopped.get("inDoubt").getAsLong()).isZero();
    assertThat(stopped.get("left").getAsLong()).isPositive().isEqualTo(ROWS - applied);
    assertThat(stopped.get("leftIsExact").getAsBoolean()).isTrue();
    // The first line has the names of the columns.
    assertThat(stopped.get("stoppedAfterLine").getAsLong()).isEqualTo(applied + 1);
    String after = stopped.get("continueAfterLine").getAsString();
    assertThat(first.transcript()).contains("continue with --after-line " + after);

    ChildProcess next = put(server, file, "--after-line", after);
    assertThat(next.awaitExit()).as(next.transcript()).isZero();
    assertThat(summary(next).get("applied").getAsLong()).isEqualTo(ROWS - applied);
    assertThat(tables.getRow("people", key(ROWS - 1))).isPresent();
  }
}
