package io.tunnel.cli.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.options.ConfirmOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Against the service in memory, through the SDK as it ships. */
class RowsCommandTest {

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Optional<String> answer = Optional.empty();

  @BeforeEach
  void two_tables() {
    var key = HashedKey.schema(new PrimaryKeySchema("uid", PrimaryKeyType.STRING));
    var splitPoints = HashedKey.splitPoints(3).subList(0, 1);
    for (String table : List.of("users", "copy")) {
      service.createTable(new CreateTableRequest(new TableMeta(table, key), splitPoints));
    }
  }

  private static TableClient connect(ClientConfig config) {
    return TableClient.connect(config.withRetryDeadline(Duration.ofSeconds(1)));
  }

  private int run(String command, String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    RowsCommand rows =
        switch (command) {
          case "put" -> new PutRowsCommand(RowsCommandTest::connect);
          case "update" -> new UpdateRowsCommand(RowsCommandTest::connect);
          default ->
              new DeleteRowsCommand(
                  RowsCommandTest::connect, new ConfirmOption(question -> answer));
        };
    List<String> line = new ArrayList<>(List.of("--server", service.endpoint()));
    line.addAll(Arrays.asList(options));
    if (!line.contains("--table")) {
      line.addAll(List.of("--table", "users"));
    }
    CommandLine commandLine =
        new CommandLine(rows).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(commandLine, Diagnosis.standard(), line.toArray(String[]::new));
  }

  private int runLine(String line) {
    String[] words = line.split(" ", -1);
    return run(words[0], Arrays.copyOfRange(words, 1, words.length));
  }

  private Row only(String table) {
    assertThat(service.rows(table)).hasSize(1);
    return service.rows(table).get(0);
  }

  @Test
  void a_row_is_put_with_typed_columns_and_its_hash_is_computed() {
    assertThat(
            runLine(
                "put --key uid=Ada --set name=Ada=x --set age:INTEGER=036 --set z:STRING=7"
                    + " --set ok=true --set d:double=1 --set b:BINARY=00ff --set n=12"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("uid=Ada) written, position 1 of partition ");
    Row row = only("users");
    assertThat(row.primaryKey().getPrimaryKeyColumn(0).getValue())
        .hasToString(
            HashedKey.hash(List.of(row.primaryKey().getPrimaryKeyColumn(1).getValue())).toString());
    assertThat(row.value("name")).hasValue(ColumnValue.fromString("Ada=x"));
    assertThat(row.value("age")).hasValue(ColumnValue.fromLong(36));
    assertThat(row.value("z")).hasValue(ColumnValue.fromString("7"));
    assertThat(row.value("ok")).hasValue(ColumnValue.fromBoolean(true));
    assertThat(row.value("d")).hasValue(ColumnValue.fromDouble(1));
    assertThat(row.value("b")).hasValue(ColumnValue.fromBinary(new byte[] {0, -1}));
    assertThat(row.value("n").orElseThrow().getType()).isEqualTo(ColumnType.INTEGER);

    assertThat(runLine("put --key uid=Ada --json")).isZero();
    assertThat(out.toString()).startsWith("{\"applied\":true,\"partition\":");
    assertThat(only("users").columns()).isEmpty();
  }

  private void createOrders() {
    service.createTable(
        new TableMeta(
            "orders",
            List.of(
                new PrimaryKeySchema("shop", PrimaryKeyType.STRING),
                PrimaryKeySchema.auto("number"))));
  }

  @Test
  void a_key_whose_number_the_server_chooses_is_printed_with_its_number() {
    createOrders();
    String order = " --table orders --key shop=a --key number=auto";
    assertThat(runLine("put" + order + " --set item=tea")).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("row (shop=a, number=1) written, position 1 of");
    assertThat(runLine("put" + order + " --json")).isZero();
    assertThat(out.toString())
        .startsWith("{\"applied\":true,\"key\":{\"shop\":\"a\",\"number\":2},\"partition\":");
    assertThat(runLine("update" + order + " --set item=milk")).isEqualTo(2);
    assertThat(err.toString()).contains("which only 'tables put' does");
    assertThat(runLine("delete" + order)).isEqualTo(2);
    assertThat(err.toString()).contains("which only 'tables put' does");
    assertThat(runLine("put --table orders --key shop=a --key number=next")).isEqualTo(2);
    assertThat(err.toString()).contains("'next' is not an INTEGER");
  }

  @Test
  void rows_of_a_file_leave_their_numbers_to_the_server_or_keep_them() throws IOException {
    createOrders();
    Path file = directory.resolve("orders.jsonl");
    Files.writeString(
        file,
        """
        {"key":{"shop":"a","number":7},"columns":{}}
        {"shop":"b","number":"auto"}
        """);
    assertThat(run("put", "--table", "orders", "--from", file.toString()))
        .as(err.toString())
        .isZero();
    assertThat(service.rows("orders"))
        .extracting(row -> TypedJson.keyOf(row.primaryKey()).toString())
        .containsExactly("{\"shop\":\"a\",\"number\":7}", "{\"shop\":\"b\",\"number\":8}");
  }

  @Test
  void an_update_sets_and_removes_columns_and_leaves_the_others() {
    assertThat(runLine("put --key uid=Ada --set a=1 --set b=2")).isZero();
    assertThat(runLine("update --key uid=Ada --set c=3 --unset a")).isZero();
    assertThat(only("users").columns())
        .containsExactlyInAnyOrder(
            new Column("b", ColumnValue.fromLong(2)), new Column("c", ColumnValue.fromLong(3)));
  }

  @Test
  void a_condition_that_does_not_hold_is_a_failed_job() {
    assertThat(runLine("update --key uid=Ada --set a=1 --if-exists")).isEqualTo(5);
    assertThat(err.toString()).contains("uid=Ada) was not updated: there is none");
    assertThat(runLine("put --key uid=Ada --if-absent")).isZero();
    assertThat(runLine("put --key uid=Ada --if-absent")).isEqualTo(5);
    assertThat(err.toString()).contains("uid=Ada) was not written: there is one already");
    assertThat(runLine("delete --key uid=Ada --if-exists")).isZero();
    assertThat(runLine("delete --key uid=Ada --if-exists")).isEqualTo(5);
    assertThat(err.toString()).contains("was not deleted: there is none");
    assertThat(runLine("delete --key uid=Ada")).isZero();
  }

  @Test
  void a_row_is_written_if_the_condition_on_its_columns_holds() throws IOException {
    assertThat(run("put", "--key", "uid=Ada", "--set", "age=36", "--if", "not exists age"))
        .as(err.toString())
        .isZero();
    assertThat(run("update", "--key", "uid=Ada", "--set", "age=38", "--if", "age = 37"))
        .isEqualTo(5);
    assertThat(err.toString()).contains("uid=Ada) was not updated: 'age = 37' does not hold of");
    assertThat(run("delete", "--key", "uid=Bob", "--if", "age = 1", "--if-exists")).isEqualTo(5);
    assertThat(err.toString()).contains("there is none, or 'age = 1' does not hold");
    Path file = Files.writeString(directory.resolve("ages.csv"), "uid,age\nAda,37\nBob,41\n");
    assertThat(run("update", "--from", file.toString(), "--if", "age < 37")).isEqualTo(1);
    assertThat(out.toString()).contains("1 row updated");
    assertThat(only("users").value("age")).hasValue(ColumnValue.fromLong(37));
    assertThat(run("delete", "--key", "uid=Ada", "--if", "age = 37 and uid = \"Ada\"")).isZero();
  }

  @Test
  void columns_of_the_row_are_printed_as_the_change_left_them_or_as_they_are() {
    assertThat(runLine("update --key uid=Ada --add n=7 --return n,none")).as(err + "").isZero();
    assertThat(out.toString().lines().skip(1))
        .containsExactly(
            "COLUMN  TYPE          VALUE",
            "hash    BINARY (key)  f0a1f877",
            "uid     STRING (key)  Ada",
            "n       INTEGER       7");
    assertThat(runLine("update --key uid=Ada --add n=1 --return n --json")).isZero();
    assertThat(out.toString())
        .contains("\"applied\":true")
        .contains("\"returned\":{\"key\":{\"hash\":\"f0a1f877\",\"uid\":\"Ada\"},")
        .contains("\"columns\":{\"n\":{\"type\":\"INTEGER\",\"value\":8}}}");
    assertThat(run("delete", "--key", "uid=Ada", "--if", "n = 9", "--return", "n")).isEqualTo(5);
    assertThat(out.toString()).contains("n       INTEGER       8");
    assertThat(err.toString()).contains("'n = 9' does not hold");
    assertThat(run("delete", "--key", "uid=Ada", "--if", "n = 9", "--return", "n", "--json"))
        .isEqualTo(5);
    assertThat(out.toString()).startsWith("{\"applied\":false,\"returned\":{\"key\":");
    assertThat(runLine("put --key uid=Bob --set n=1 --return key")).isZero();
    assertThat(out.toString()).contains("uid     STRING (key)  Bob").doesNotContain("INTEGER");
    assertThat(runLine("delete --key uid=Bob --return n")).isZero();
    assertThat(out.toString()).contains("there is no row");
    assertThat(runLine("put --key uid=Bob --set n=1 --return uid")).isEqualTo(2);
    assertThat(err.toString()).contains("column 'uid' is to be returned").contains("leave the");
    assertThat(runLine("put --from x.csv --return n")).isEqualTo(2);
    assertThat(err.toString()).contains("--return is of one row");
  }

  @Test
  void a_condition_that_a_shell_has_cut_is_shown_with_its_quotes() {
    assertThat(runLine("update --key uid=Ada --set a=1 --if state = done --json")).isEqualTo(2);
    assertThat(err.toString())
        .contains("in single quotes")
        .contains("--if 'state = \\\"done\\\"'")
        .contains("--if state = done");
    assertThat(runLine("update --if version = 7 --key uid=Ada --set a=1")).isEqualTo(2);
    assertThat(err.toString()).contains("The shell has cut this one: --if version = 7");
    assertThat(service.rows("users")).isEmpty();
  }

  @Test
  void lines_have_conditions_and_plain_lines_add_where_rows_are_updated() throws IOException {
    assertThat(runLine("put --key uid=Ada --set n=1")).isZero();
    String typed = "{\"kind\":\"UPDATE\",\"key\":{\"uid\":\"Ada\"},\"columns\":";
    Path file =
        Files.writeString(
            directory.resolve("changes.jsonl"),
            typed
                + "{\"n\":{\"add\":1}},\"if\":\"n = 1\"}\n"
                + typed
                + "{\"n\":{\"add\":9}},\"if\":\"n = 1\"}\n"
                + "{\"uid\":\"Ada\",\"n\":{\"add\":40},\"t\":\"x\"}\n");
    assertThat(run("update", "--from", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("2 rows updated");
    assertThat(only("users").value("n")).hasValue(ColumnValue.fromLong(42));
    assertThat(only("users").value("t")).hasValue(ColumnValue.fromString("x"));
    assertThat(run("update", "--from", file.toString(), "--if", "n = 7")).isEqualTo(1);
    assertThat(only("users").value("n")).as("both conditions").hasValue(ColumnValue.fromLong(42));
    assertThat(run("put", "--from", file.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("line 3: column 'n': {\"add\":40} adds to the column")
        .contains("'tables update --from' adds");
    Path bad =
        Files.writeString(
            directory.resolve("bad.jsonl"), typed + "{\"n\":{\"add\":1}},\"if\":\"n == 1\"}\n");
    assertThat(run("update", "--from", bad.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("line 1: \"if\", at character 3: '=='");
    assertThat(
            TypedJson.of(
                    new RowDeleteChange(only("users").primaryKey())
                        .onlyIf(Condition.parse("n = 1")))
                .get("if")
                .getAsString())
        .isEqualTo("n = 1");
  }

  @Test
  void what_scan_prints_copies_a_table_and_what_it_has_not_is_not_touched() throws IOException {
    Path file = directory.resolve("users.csv");
    StringBuilder csv = new StringBuilder("uid,n,t\n");
    for (int i = 0; i < 500; i++) {
      csv.append("u").append(i).append(',').append(i).append(",007\n");
    }
    Files.writeString(file, csv);
    assertThat(run("put", "--from", file.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).isEqualTo("500 rows written" + System.lineSeparator());

    Path scanned = directory.resolve("scanned.jsonl");
    Files.write(
        scanned, service.rows("users").stream().map(row -> TypedJson.of(row).toString()).toList());
    assertThat(run("put", "--from", scanned.toString(), "--table", "copy", "--json")).isZero();
    assertThat(out.toString())
        .startsWith("{\"applied\":500,\"rejected\":0,\"notSent\":0,\"inDoubt\":0}");
    assertThat(service.rows("copy")).isEqualTo(service.rows("users"));

    Files.writeString(file, "uid,n\nu1,-1\nu2,-2\n");
    assertThat(run("update", "--from", file.toString())).isZero();
    assertThat(service.rows("users"))
        .filteredOn(row -> row.value("n").orElseThrow().asLong() < 0)
        .hasSize(2)
        .allMatch(row -> row.value("t").orElseThrow().asString().equals("007"));
  }

  @Test
  void changes_are_applied_as_what_they_were() throws IOException {
    assertThat(runLine("put --key uid=a --set x=1")).isZero();
    assertThat(runLine("put --key uid=b --set x=1")).isZero();
    Path file = directory.resolve("changes.jsonl");
    Files.writeString(
        file,
        "{'kind':'DELETE','key':{'uid':'a'},'columns':{}}\n{'kind':'UPDATE','key':{'uid':'b'},'columns':{'x':null}}\n"
            .replace('\'', '"'));
    assertThat(run("update", "--from", file.toString(), "--bad-lines", "skip")).isZero();
    assertThat(err.toString()).contains("line 1: a DELETE is no update");
    assertThat(service.rows("users")).hasSize(2);
    assertThat(run("put", "--from", file.toString())).isZero();
    assertThat(only("users").columns()).isEmpty();
  }

  @Test
  void many_rows_are_deleted_only_when_that_is_really_meant() throws IOException {
    assertThat(runLine("put --key uid=a")).isZero();
    Path file = Files.writeString(directory.resolve("gone.csv"), "uid,x\na,1\nb,2\n");
    assertThat(run("delete", "--from", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("nothing was deleted: add --yes to do it");
    assertThat(service.rows("users")).hasSize(1);
    answer = Optional.of("y");
    assertThat(run("delete", "--from", file.toString())).isZero();
    assertThat(out.toString()).contains("2 rows deleted");
    assertThat(service.rows("users")).isEmpty();
    answer = Optional.empty();
    assertThat(run("delete", "--from", file.toString(), "--yes")).isZero();
  }

  @Test
  void a_column_is_added_to_by_an_option_and_by_a_line() throws IOException {
    assertThat(runLine("update --key uid=Ada --add views=2,age=-1 --set note=x"))
        .as(err.toString())
        .isZero();
    Path file = directory.resolve("adds.jsonl");
    Files.writeString(
        file,
        "{\"kind\":\"UPDATE\",\"key\":{\"uid\":\"Ada\"},\"columns\":{\"views\":{\"add\":40}}}\n");
    assertThat(run("update", "--from", file.toString())).as(err.toString()).isZero();
    assertThat(run("put", "--from", file.toString())).as(err.toString()).isZero();
    assertThat(only("users").value("views")).hasValue(ColumnValue.fromLong(82));
    assertThat(only("users").value("age")).hasValue(ColumnValue.fromLong(-1));
    assertThat(runLine("update --key uid=Ada --add note=1")).isEqualTo(1);
    assertThat(err.toString()).contains("not updated: the row has no INTEGER in 'note'");
  }

  @Test
  void rows_that_were_rejected_are_shown_and_fail_the_job() throws IOException {
    assertThat(runLine("put --key uid=a")).isZero();
    Path file = Files.writeString(directory.resolve("some.csv"), "uid,x\na,1\nb,2\n");
    assertThat(run("put", "--from", file.toString(), "--if-absent")).isEqualTo(1);
    assertThat(out.toString()).contains("1 row written");
    assertThat(err.toString()).contains("1 row was rejected; first:", "uid=a)");
  }

  @Test
  void rows_in_doubt_are_reported_and_written_to_a_file_that_can_be_read_again()
      throws IOException {
    service.doubtNextWrites(1);
    assertThat(runLine("put --key uid=a")).isEqualTo(1);
    assertThat(err.toString()).contains("it is not known whether the row", "tunnel tables get");

    Path file = Files.writeString(directory.resolve("one.csv"), "uid,x\nb,2\n");
    Path doubts = directory.resolve("doubts.jsonl");
    service.doubtNextWrites(1);
    assertThat(run("put", "--from", file.toString(), "--in-doubt-file", doubts.toString()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("1 row is in doubt", "are in " + doubts);
    assertThat(run("put", "--from", doubts.toString(), "--table", "copy")).isZero();
    assertThat(only("copy").value("x")).hasValue(ColumnValue.fromLong(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "put --key uid=a --after-line 3|--after-line and --not-sent-file are of a file",
        "put --from x.csv --atomic --not-sent-file y|--not-sent-file is a file of its own",
        "put|give the --key of one row, or the file of many with --from",
        "put --key uid=a --from x.csv|give the --key of one row",
        "put --key uid=a --set x|--set 'x' is not NAME=VALUE or NAME:TYPE=VALUE",
        "put --key uid=a --set x:INTEGER=one|--set x:INTEGER: 'one' is no INTEGER",
        "delete --key uid=a --key uid=b|key column 'uid' is given twice",
        "put --key uid=a --set x=1 --set x=2|column 'x' is set twice",
        "put --key uid=a --set x:FLOAT=1|--set x:FLOAT: 'FLOAT' is not a TYPE of [INTEGER, DOUBLE,",
        "update --key uid=a --set ns:x=1|a column whose name has a colon needs its type:"
            + " ns:x:STRING=",
        "put --key uid=a --set uid=b|'uid' is a column of the table's key",
        "update --key uid=a --unset hash|'hash' is a column of the table's key",
        "put --key uid=a --if-exists --if-absent|exclude each other",
        "update --key uid=a --add age|is not NAME=NUMBER",
        "update --key uid=a --add age=1.5|not a whole number of 64 bits",
        "update --key uid=a --add age=1 --set age=2|column 'age' is named twice",
        "put --key uid=a --if age==1|--if, at character 4: '==' stands where",
        "put --key uid=a --if before.age=1|'before.age' is of a change",
        "put --from x.csv --set a=1|--set is of one row",
        "put --key name=a|the key of the table is (hash BINARY, uid STRING)",
        "put --from x.txt|does not say its format",
        "update --key uid=a|an update changes something",
        "update --key uid=a --set x=1 --unset x|column 'x' is named twice",
        "update --from x.csv --unset a|--set, --add and --unset are of one row",
        "delete --key uid=a --set x=1|--set",
      })
  void what_makes_no_sense_is_refused_and_nothing_is_written(String line, String message) {
    assertThat(runLine(line)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(service.changes("users")).isEmpty();
  }

  @Test
  void a_file_with_a_quote_that_is_not_closed_says_where() throws IOException {
    Path file = Files.writeString(directory.resolve("open.csv"), "uid,x\na,1\nb,\"2\nc,3\n");
    assertThat(run("put", "--from", file.toString())).isEqualTo(74);
    assertThat(err.toString()).contains("open.csv line 3: the quote that opens here");
  }

  @Test
  void rows_in_doubt_do_not_take_the_place_of_the_rows_that_are_read() throws IOException {
    String row = "{\"uid\":\"a\",\"x\":1}\n";
    Path file = Files.writeString(directory.resolve("rows.jsonl"), row);
    Path link = Files.createSymbolicLink(directory.resolve("link.jsonl"), file);
    for (Path doubts : List.of(file, link)) {
      assertThat(run("put", "--from", file.toString(), "--in-doubt-file", doubts.toString()))
          .isEqualTo(2);
      assertThat(err.toString()).contains("--in-doubt-file is the file that is read: name another");
    }
    assertThat(file).hasContent(row);
    assertThat(service.rows("users")).isEmpty();
  }

  @Test
  void all_rows_of_a_file_are_written_together_or_none() throws IOException {
    service.createTable(
        new TableMeta("accounts", List.of(new PrimaryKeySchema("uid", PrimaryKeyType.STRING))));
    Path good =
        Files.writeString(
            directory.resolve("good.jsonl"),
            """
            {"uid":"Ada","balance":100}
            {"uid":"Bob","balance":5}
            """);
    assertThat(run("put", "--table", "accounts", "--from", good.toString(), "--atomic")).isZero();
    assertThat(out.toString()).contains("2 rows", "together, positions 1 to 2");
    int refused =
        run("put", "--table", "accounts", "--from", good.toString(), "--atomic", "--if-absent");
    assertThat(refused).isEqualTo(5);
    assertThat(err.toString()).contains("no row was", "row 1 of the file", "Ada");
    assertThat(run("put", "--table", "accounts", "--key", "uid=Ada", "--atomic")).isEqualTo(2);
    assertThat(err.toString()).contains("--from");
    Path split = Files.writeString(directory.resolve("split.jsonl"), manyUsers());
    assertThat(run("put", "--from", split.toString(), "--atomic")).isEqualTo(1);
    assertThat(err.toString()).contains("no row was", "of partition");
  }

  @Test
  void a_bound_row_holds_its_command_and_goes_with_the_session() {
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(
            () -> run("put", "--key", "uid=Ada", "--set", "a=1", "--bound", "--lease", "2s"));
    service.await("the row", () -> !service.rows("users").isEmpty());
    assertThat(code).isNotDone();
    service.endRowSession(service.rowSessions().get(0));
    assertThat(service.rows("users")).isEmpty();
    assertThat(service.changes("users").get(1).deletionCause())
        .contains(DeletionCause.SESSION_ENDED);
    assertThat(code.join()).isEqualTo(1);
    assertThat(err.toString()).contains("the row is bound to session 1", "session 1 has ended");
    assertThat(run("put", "--key", "uid=Bob", "--bound", "--lease", "1s")).isEqualTo(2);
    assertThat(err.toString()).contains("--lease is 2s to 1h");
  }

  @Test
  void a_bound_row_that_is_refused_ends_its_command() {
    assertThat(run("put", "--key", "uid=Ada", "--set", "a=1")).isZero();
    assertThat(run("put", "--key", "uid=Ada", "--if-absent", "--bound")).isEqualTo(5);
    assertThat(service.rowSessions()).isEmpty();
    assertThat(run("put", "--from", "-", "--bound")).isEqualTo(2);
    assertThat(err.toString()).contains("--bound is of one row");
  }

  private static String manyUsers() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      lines.append("{\"uid\":\"user").append(i).append("\"}\n");
    }
    return lines.toString();
  }
}
