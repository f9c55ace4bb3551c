package io.tunnel.cli.rows;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A file that is not written to its end says where it stopped, and how to continue. */
class StoppedRowsTest {

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();

  /** Takes no write. */
  @AutoClose private final InMemoryTunnelService busy = InMemoryTunnelService.start();

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String endpoint = service.endpoint();

  @BeforeEach
  void a_table() {
    for (InMemoryTunnelService where : List.of(service, busy)) {
      where.createTable(
          new CreateTableRequest(
              new TableMeta(
                  "users", HashedKey.schema(new PrimaryKeySchema("uid", PrimaryKeyType.STRING))),
              HashedKey.splitPoints(3).subList(0, 1)));
    }
    for (int i = 0; i < 10_000; i++) {
      busy.refuseNext(ClientRequest.WRITE, ErrorCode.BUSY);
    }
  }

  private TableClient connect(ClientConfig config) {
    ClientConfig impatient = config.withRetryDeadline(Duration.ofSeconds(1));
    return TableClient.connect(
        endpoint.equals(busy.endpoint())
            ? impatient.withWriteRetryDeadline(Duration.ofSeconds(1))
            : impatient);
  }

  private int put(String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> line = new ArrayList<>(List.of("--server", endpoint));
    line.addAll(Arrays.asList(options));
    if (!line.contains("--table")) {
      line.addAll(List.of("--table", "users"));
    }
    CommandLine command =
        new CommandLine(new PutRowsCommand(this::connect))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), line.toArray(String[]::new));
  }

  private JsonObject report() {
    return JsonParser.parseString(out.toString().strip()).getAsJsonObject();
  }

  @Test
  void a_file_that_was_not_sent_says_where_it_stopped_and_is_continued_there() throws IOException {
    int rows = 12_000;
    String value = "x".repeat(4_000);
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= rows; i++) {
      text.append("{\"uid\":\"").append(i).append("\",\"x\":\"").append(value).append("\"}\n");
    }
    Path file = Files.writeString(directory.resolve("large.jsonl"), text);
    Path unsent = directory.resolve("unsent.jsonl");
    endpoint = busy.endpoint();
    assertThat(put("--json", "--from", file.toString(), "--not-sent-file", unsent.toString()))
        .isEqualTo(ExitCode.UNAVAILABLE);
    long line = report().get("stoppedAfterLine").getAsLong();
    assertThat(line).as("not the whole file fits into the writer").isBetween(1L, rows - 1L);
    assertThat(report().get("notSent").getAsLong()).isEqualTo(line);
    assertThat(report().get("left").getAsLong()).isEqualTo(rows);
    assertThat(report().get("leftIsExact").getAsBoolean()).isTrue();
    assertThat(report().get("continueAfterLine").getAsLong()).isEqualTo(line);
    assertThat(err.toString())
        .contains("12,000 rows are left", "--from " + unsent, "continue with --after-line " + line);
    endpoint = service.endpoint();
    assertThat(put("--from", unsent.toString())).as(err.toString()).isZero();
    assertThat(service.rows("users")).hasSize((int) line);
    assertThat(put("--from", file.toString(), "--after-line", "" + line)).isZero();
    assertThat(service.rows("users")).hasSize(rows);
    assertThat(service.changes("users")).as("each row is written once").hasSize(rows);
  }

  @Test
  void without_a_file_for_them_rows_that_were_not_sent_are_read_again() throws IOException {
    Path file = Files.writeString(directory.resolve("three.csv"), "uid,x\na,1\nb,2\nc,3\n");
    endpoint = busy.endpoint();
    assertThat(put("--from", file.toString())).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(err.toString())
        .contains("stopped after line 4", "3 rows are left", "continue with --after-line 1");
    endpoint = service.endpoint();
    assertThat(put("--from", file.toString(), "--after-line", "1", "--json")).isZero();
    assertThat(report().get("applied").getAsLong()).isEqualTo(3);
    assertThat(report().has("stoppedAfterLine")).isFalse();
  }

  @Test
  void a_bad_line_says_how_to_continue_once_it_is_mended() throws IOException {
    String good = "{\"uid\":\"a\"}\n{\"uid\":\"b\"}\n";
    Path file = directory.resolve("bad.jsonl");
    Files.writeString(file, good + "{\"uid\":\"c\",\"x\":1e400}\n{\"uid\":\"d\"}\n");
    assertThat(put("--from", file.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("line 3: column 'x': no INTEGER and no DOUBLE holds the number 1e400")
        .contains("stopped after line 2", "2 rows are left", "continue with --after-line 2");
    Files.writeString(file, "{\"uid\":\"z\"}\n[bad\n{\"uid\":\"c\",\"x\":1}\n{\"uid\":\"d\"}\n");
    assertThat(put("--from", file.toString(), "--after-line", "2"))
        .as("bad lines before are left out, too: %s", err)
        .isZero();
    assertThat(service.rows("users")).hasSize(4);
    assertThat(put("--from", file.toString(), "--after-line", "4")).isEqualTo(1);
    assertThat(err.toString()).contains("has no row");
  }

  @Test
  void an_atomic_batch_in_doubt_is_written_to_its_file() throws IOException {
    service.createTable(
        new TableMeta("accounts", List.of(new PrimaryKeySchema("uid", PrimaryKeyType.STRING))));
    Path file =
        Files.writeString(directory.resolve("two.jsonl"), "{\"uid\":\"a\"}\n{\"uid\":\"b\"}\n");
    Path doubts = directory.resolve("doubts.jsonl");
    String[] atomically = {
      "--table",
      "accounts",
      "--from",
      file.toString(),
      "--atomic",
      "--in-doubt-file",
      doubts.toString()
    };
    service.doubtNextWrites(1);
    assertThat(put(atomically)).isEqualTo(1);
    assertThat(err.toString()).contains("All rows are in " + doubts);
    assertThat(doubts).content().hasLineCount(2);
    assertThat(put(atomically)).isZero();
    assertThat(doubts).as("of this run").isEmptyFile();
  }
}
