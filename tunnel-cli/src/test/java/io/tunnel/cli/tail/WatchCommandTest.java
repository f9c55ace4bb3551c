package io.tunnel.cli.tail;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Against the service in memory, through the SDK as it ships. */
class WatchCommandTest {

  private static final String GO_ON = "go on with --from ";

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void tables() {
    service.createTable(
        CreateTableRequest.builder("config")
            .key("path", PrimaryKeyType.STRING)
            .splitPoint("/m")
            .build());
    service.createTable(
        new TableMeta("numbers", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
  }

  private int run(PrintWriter to, String... arguments) {
    return run(to, new PrintWriter(err), arguments);
  }

  private int run(PrintWriter to, PrintWriter errorsTo, String... arguments) {
    List<String> line = new ArrayList<>(List.of("--server", service.endpoint()));
    line.addAll(Arrays.asList(arguments));
    if (!line.contains("--table")) {
      line.addAll(List.of("--table", "config"));
    }
    CommandLine command = new CommandLine(new WatchCommand()).setOut(to).setErr(errorsTo);
    return CommandRunner.run(command, Diagnosis.standard(), line.toArray(String[]::new));
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return run(new PrintWriter(out), arguments);
  }

  private List<JsonObject> json(String... arguments) {
    List<String> line = new ArrayList<>(List.of("--json"));
    line.addAll(Arrays.asList(arguments));
    assertThat(run(line.toArray(String[]::new))).as(err.toString()).isZero();
    return out.toString()
        .lines()
        .map(one -> JsonParser.parseString(one).getAsJsonObject())
        .toList();
  }

  private static PrimaryKey key(String path) {
    return PrimaryKey.builder().add("path", path).build();
  }

  private static RowChange put(String path, long v) {
    return new RowPutChange(key(path), List.of(new Column("v", ColumnValue.fromLong(v))));
  }

  private void write(RowChange... rows) {
    for (RowChange row : rows) {
      service.write("config", row);
    }
  }

  private static String path(JsonObject json) {
    return json.getAsJsonObject("key").get("path").getAsString();
  }

  /** What the command says on stderr at its end. */
  private String goOn() {
    String said = err.toString().strip();
    assertThat(said).startsWith(GO_ON);
    return said.substring(GO_ON.length());
  }

  /** A writer on which the heading, which comes when the watch stands, makes changes. */
  private PrintWriter whenItStands(RowChange... changes) {
    return new PrintWriter(out) {
      @Override
      public void println(String line) {
        super.println(line);
        if (line.equals(ChangeText.HEADING)) {
          WatchCommandTest.this.write(changes);
        }
      }
    };
  }

  @Test
  void changes_from_now_on_of_a_key_and_of_prefixes_come_and_no_others() {
    write(put("/a/1", 0));
    PrintWriter reader =
        whenItStands(
            put("/b", 1),
            put("/a/1", 2),
            put("/a", 3),
            new RowDeleteChange(key("/a/1")),
            put("/exact", 4),
            put("/exactly", 5));
    String[] keys = {"--key", "path=/exact", "--prefix", "/a/", "--prefix", "/c", "--limit", "3"};
    assertThat(run(reader, keys)).as(err.toString()).isZero();
    assertThat(out.toString().lines().skip(1).map(line -> line.substring(49)))
        .containsExactly(
            "PUT     (path=/a/1)  v=2", "DELETE  (path=/a/1)", "PUT     (path=/exact)  v=4");
  }

  @Test
  void present_rows_come_first_and_are_told_from_changes() {
    write(put("/a/1", 1), put("/a/2", 2), put("/z", 3), put("/a/1", 4));
    assertThat(run("--prefix", "", "--from", "rows", "--limit", "3")).isZero();
    assertThat(out.toString().lines().skip(1).map(line -> line.substring(49)))
        .containsExactlyInAnyOrder(
            "ROW     (path=/a/1)  v=4", "ROW     (path=/a/2)  v=2", "ROW     (path=/z)  v=3");
    List<JsonObject> json = json("--prefix", "/a/", "--from", "rows", "--limit", "2");
    assertThat(json).allMatch(row -> row.get("isRow").getAsBoolean());
    assertThat(json).extracting(WatchCommandTest::path).containsExactly("/a/1", "/a/2");
  }

  @Test
  void what_it_says_at_its_end_goes_on_without_a_gap() {
    String[] keys = {"--prefix", "/a/", "--key", "path=/z", "--limit", "1"};
    assertThat(run(whenItStands(put("/z", 1)), keys)).isZero();
    String position = goOn();
    write(put("/a/1", 2), put("/b", 3));
    String[] more = Arrays.copyOf(keys, keys.length + 2);
    more[keys.length] = "--from";
    more[keys.length + 1] = position;
    assertThat(json(more)).extracting(WatchCommandTest::path).containsExactly("/a/1");
    write(put("/z", 4));
    more[keys.length + 1] = goOn();
    List<JsonObject> last = json(more);
    assertThat(last).extracting(WatchCommandTest::path).containsExactly("/z");
    assertThat(last.get(0).has("isRow")).isFalse();
    assertThat(last.get(0).get("position").getAsLong()).isEqualTo(2);
  }

  /** The position would be behind changes that nobody has seen. */
  @Test
  void no_position_is_said_when_more_has_come_than_was_printed() {
    write(put("/a/1", 1), put("/a/2", 2));
    assertThat(run("--prefix", "/a/", "--from", "rows", "--limit", "1")).isZero();
    assertThat(out.toString().lines()).hasSize(2);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void the_end_of_the_present_rows_is_said_also_when_there_are_none() {
    PrintWriter reader =
        new PrintWriter(err) {
          @Override
          public void println(String line) {
            super.println(line);
            WatchCommandTest.this.write(put("/a/1", 1));
          }
        };
    assertThat(
            run(new PrintWriter(out), reader, "--prefix", "/a/", "--from", "rows", "--limit", "1"))
        .isZero();
    assertThat(err.toString()).startsWith("all present rows are printed");
    assertThat(out.toString()).contains("PUT     (path=/a/1)  v=1");
  }

  @Test
  void keys_alone_come_without_columns() {
    write(put("/a/1", 1));
    List<JsonObject> json =
        json("--prefix", "/a/", "--from", "rows", "--keys-only", "--limit", "1");
    assertThat(json.get(0).getAsJsonObject("columns").size()).isZero();
    assertThat(path(json.get(0))).isEqualTo("/a/1");
  }

  @Test
  void all_rows_of_a_table_without_strings_are_watched_by_the_empty_prefix() {
    service.write(
        "numbers", new RowPutChange(PrimaryKey.builder().add("id", 7).build(), List.of()));
    assertThat(json("--table", "numbers", "--prefix", "", "--from", "rows", "--limit", "1"))
        .hasSize(1);
  }

  @Test
  void why_it_cannot_go_on_is_said_with_what_can_be_done() {
    service.refuseNext(ClientRequest.WATCH, ErrorCode.HISTORY_LOST);
    assertThat(run("--prefix", "/a/")).isEqualTo(1);
    assertThat(err.toString())
        .contains("the table no longer keeps", "--from rows", "were deleted meanwhile");
    assertThat(run("--prefix", "/a/", "--from", "999@1")).isNotZero();
    assertThat(err.toString()).contains("the position 999@1 is not of the present table");
    service.refuseNext(ClientRequest.WATCH, ErrorCode.UNKNOWN_OPERATION);
    assertThat(run("--prefix", "/a/")).isEqualTo(1);
    assertThat(err.toString()).contains("the server is older than this program");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--limit 3|give the --key of a row, or a --prefix of keys; --prefix '' is all rows",
        "--prefix / --limit 0|--limit is a number of changes from 1 on, not 0",
        "--prefix / --from yesterday|--from is now, rows or a position: ",
        "--key name=x|path",
        "--table numbers --prefix 1|the first key column 'id' is INTEGER; --prefix '' is all rows",
      })
  void what_makes_no_sense_is_refused(String options, String message) {
    assertThat(run(options.split(" "))).as(err.toString()).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
