package io.tunnel.cli.tail;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Against the service in memory, through the SDK as it ships. */
class TailCommandTest {

  /** When the time of the service begins. */
  private static final long FIRST_MS = 946_684_800_000L;

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** How far the clock of this machine is ahead of the clock of the server. */
  private Duration aheadOfServer = Duration.ZERO;

  @BeforeEach
  void a_table_of_four_partitions() {
    service.createTable(
        new CreateTableRequest(
            new TableMeta(
                "users", HashedKey.schema(new PrimaryKeySchema("uid", PrimaryKeyType.STRING))),
            HashedKey.splitPoints(4)));
  }

  private int run(PrintWriter to, String... arguments) {
    List<String> line =
        new ArrayList<>(List.of("--table", "users", "--server", service.endpoint()));
    line.addAll(Arrays.asList(arguments));
    TailCommand command = new TailCommand(() -> service.now().plus(aheadOfServer).toEpochMilli());
    CommandLine commandLine = new CommandLine(command).setOut(to).setErr(new PrintWriter(err));
    return CommandRunner.run(commandLine, Diagnosis.standard(), line.toArray(String[]::new));
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

  private static PrimaryKey key(String uid) {
    return HashedKey.of(new PrimaryKeyColumn("uid", PrimaryKeyValue.fromString(uid)));
  }

  private void put(String uid) {
    Column n = new Column("n", ColumnValue.fromLong(7));
    service.write("users", new RowPutChange(key(uid), List.of(n)));
  }

  private static String uid(JsonObject json) {
    return json.getAsJsonObject("key").get("uid").getAsString();
  }

  /** A writer that is at its end when a line is as wanted, as head is. */
  private PrintWriter until(Predicate<String> isLast) {
    Writer gone =
        new Writer() {
          @Override
          public void write(char[] text, int offset, int length) throws java.io.IOException {
            String printed = new String(text, offset, length);
            out.write(printed);
            if (isLast.test(printed)) {
              throw new java.io.IOException("Broken pipe");
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    return new PrintWriter(gone);
  }

  @Test
  void changes_of_all_partitions_come_in_the_order_of_their_commit() {
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      put("u" + i);
      written.add("u" + i);
      service.advance(Duration.ofMillis(1));
    }
    List<JsonObject> printed = json();
    assertThat(printed).extracting(TailCommandTest::uid).isEqualTo(written);
    assertThat(printed).extracting(one -> one.get("partition").getAsInt()).contains(1, 2, 3, 4);
    assertThat(json("--limit", "3")).hasSize(3);
    assertThat(json("--from", "latest")).isEmpty();
  }

  @Test
  void a_start_behind_the_end_is_refused_as_a_seek_there_is() {
    put("a");
    String partition = json().get(0).get("partition").getAsString();
    assertThat(json("--partition", partition, "--from", "2")).as("the next that comes").isEmpty();
    assertThat(run("--partition", partition, "--from", "3")).isEqualTo(1);
    assertThat(err.toString())
        .contains("there is no position 3 in partition " + partition + " yet: its newest is 1")
        .contains("--from latest --follow");
    assertThat(out.toString().lines().filter(line -> !line.startsWith("TIME"))).isEmpty();
  }

  @Test
  void every_kind_and_type_is_printed_for_people_and_as_scan_prints_it_for_programs() {
    PrimaryKey ada = key("Ada\u001b[31m");
    service.write(
        "users",
        new RowPutChange(
            ada,
            List.of(
                new Column("d", ColumnValue.fromDouble(1.5)),
                new Column("s", ColumnValue.fromString("a\nb" + "c".repeat(50))))));
    service.write(
        "users",
        new RowUpdateChange(
            ada,
            List.of(
                new ColumnUpdate.Put("x", ColumnValue.fromBinary(new byte[] {1, -1})),
                new ColumnUpdate.Delete("d"))));
    service.write("users", new RowDeleteChange(ada));

    assertThat(run()).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0)).isEqualTo(ChangeText.HEADING);
    String hash = ada.getPrimaryKeyColumn(0).getValue().toString();
    String shown = "(hash=" + hash + ", uid=Ada\\u001b[31m)";
    assertThat(lines.get(1)).contains("  PUT     " + shown + "  d=1.5, s=a\\nb" + "c".repeat(35));
    assertThat(lines.get(1)).endsWith("…").doesNotContain("\u001b");
    assertThat(lines.get(2)).endsWith("  UPDATE  " + shown + "  x=01ff, -d");
    assertThat(lines.get(3)).endsWith("  DELETE  " + shown);
    assertThat(lines.get(3)).contains(" 3  DELETE");

    List<JsonObject> json = json();
    assertThat(json.get(1).get("columns").toString())
        .isEqualTo("{\"x\":{\"type\":\"BINARY\",\"value\":\"01ff\"},\"d\":null}");
    assertThat(json.get(1).get("kind").getAsString()).isEqualTo("UPDATE");
    assertThat(json.get(1).get("position").getAsLong()).isEqualTo(2);
    assertThat(json.get(1).get("commitMicros").getAsLong())
        .isBetween(FIRST_MS * 1_000, service.now().toEpochMilli() * 1_000 + 999);
    assertThat(json("--kind", "delete,put"))
        .extracting(one -> one.get("kind").getAsString())
        .containsExactly("PUT", "DELETE");
  }

  @Test
  void it_begins_where_it_is_told() {
    for (int i = 0; i < 20; i++) {
      put("u" + i);
      service.advance(Duration.ofMinutes(1));
    }
    assertThat(json("--from", "-150s"))
        .extracting(TailCommandTest::uid)
        .containsExactly("u18", "u19");
    long at = service.now().minus(Duration.ofMinutes(3)).toEpochMilli();
    assertThat(json("--from", Long.toString(at))).hasSize(3);

    JsonObject fifth = json().get(5);
    String partition = fifth.get("partition").getAsString();
    String position = fifth.get("position").getAsString();
    List<JsonObject> found = json("--partition", partition, "--from", position, "--limit", "1");
    assertThat(found).containsExactly(fifth);
    assertThat(json("--partition", partition, "--from", "position:" + position, "--limit", "1"))
        .isEqualTo(found);
  }

  @Test
  void a_distance_from_now_by_a_clock_that_differs_from_the_clock_of_the_server_is_remarked() {
    put("early");
    service.advance(Duration.ofMinutes(3));
    put("late");

    assertThat(run("--from", "-2m")).isZero();
    assertThat(err.toString()).isEmpty();

    aheadOfServer = Duration.ofMinutes(2);
    assertThat(run("--from", "-6m")).isZero();
    assertThat(err.toString())
        .startsWith("--from '-6m' was counted from the clock of this machine")
        .contains("behind");
    assertThat(run("--from", service.now().toString())).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(run("--from", "earliest")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void the_changes_of_a_key_are_looked_for_where_they_are_and_its_hash_is_computed() {
    put("Ada");
    put("Bob");
    put("Ada");
    assertThat(json("--key", "uid=Ada")).hasSize(2).allMatch(one -> uid(one).equals("Ada"));
    assertThat(json("--key", "uid=Nobody")).isEmpty();
    assertThat(run("--key", "name=Ada")).isEqualTo(2);
    assertThat(err.toString()).contains("the key of the table is (hash BINARY, uid STRING)");
  }

  @Test
  void following_goes_on_behind_what_was_there() {
    put("before");
    List<String> seen = new ArrayList<>();
    // Each line makes the next change, until the last one.
    PrintWriter reader =
        until(
            printed -> {
              seen.add(printed);
              put("after" + seen.size());
              return seen.size() == 4;
            });
    assertThat(run(reader, "--follow", "--from", "earliest", "--json")).isZero();
    assertThat(
            out.toString().lines().map(line -> uid(JsonParser.parseString(line).getAsJsonObject())))
        .containsExactly("before", "after1", "after2", "after3");
  }

  @Test
  void a_limit_ends_also_what_follows() {
    put("a");
    put("b");
    assertThat(json("--follow", "--from", "earliest", "--limit", "2")).hasSize(2);
  }

  @Test
  void no_tunnel_is_disturbed() {
    String id = service.createTunnel("users", "audit", TunnelType.Stream);
    put("a");
    assertThat(json()).hasSize(1);
    assertThat(id).isNotEmpty();
    assertThat(service.sessions("users", "audit")).isEmpty();
    assertThat(service.checkpointed("users", "audit").values()).containsOnly(0L);
  }

  @Test
  void history_that_is_lost_is_said() {
    put("a");
    service.refuseNext(ClientRequest.FIND_POSITIONS, ErrorCode.HISTORY_LOST);
    assertThat(run("--from", "-1h")).isEqualTo(1);
    assertThat(err.toString()).contains("the table keeps them no more", "--from earliest");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--from yesterday|--from 'yesterday' is not a time: give earliest, latest, a position with",
        "--from position:7|a position is one of a single partition: add --partition P",
        "--from position:7 --partition 1,2|add --partition P",
        "--from +1h|--from '+1h' is to come: by the clock of this machine it is ",
        "--from position:x --partition 1|--from position:N has a number from 0 on, not 'x'",
        "--partition 9|table 'users' has no partition 9, only [1, 2, 3, 4]",
        "--limit 0|--limit is a number of changes from 1 on, not 0",
        "--kind UPSERT|UPSERT",
      })
  void what_makes_no_sense_is_refused(String options, String message) {
    assertThat(run(options.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
