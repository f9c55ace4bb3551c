package io.tunnel.stress;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.rows.StressTable;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.options.ReportOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class StressCommandTest {

  /** A server that holds table descriptions and one sink. */
  private static final class FakeServer implements LoadServer {
    final Map<String, TableMeta> tables = new HashMap<>();
    final FakeSink sink;
    List<PrimaryKeyValue> splitPoints = List.of();
    TableWriterConfig config;
    boolean isClosed;

    FakeServer(FakeSink sink) {
      this.sink = sink;
    }

    @Override
    public TableInfo describeTable(String table) {
      if (!tables.containsKey(table)) {
        throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "no table '" + table + "'");
      }
      return new TableInfo(1, tables.get(table), 0, List.of());
    }

    @Override
    public TableInfo createTable(TableMeta meta, List<PrimaryKeyValue> points) {
      tables.put(meta.name(), meta);
      splitPoints = points;
      return describeTable(meta.name());
    }

    @Override
    public RowSink openWriter(String table, TableWriterConfig writerConfig) {
      config = writerConfig;
      return sink;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @TempDir private Path directory;
  private FakeSink sink = new FakeSink();
  private FakeServer server = new FakeServer(sink);
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private void use(FakeSink other) {
    sink = other;
    server = new FakeServer(other);
  }

  private boolean isTerminal;

  private int run(String... arguments) {
    return run(new PrintWriter(out), arguments);
  }

  private int run(PrintWriter printer, String... arguments) {
    CommandLine command =
        new CommandLine(
                new StressCommand(
                    endpoint -> server, new SystemClock(), new ReportOption(isTerminal)))
            .setOut(printer)
            .setErr(new PrintWriter(err));
    Diagnosis refusals =
        trouble ->
            trouble instanceof RefusedException
                ? Optional.of(CommandFailure.failed(trouble.getMessage()))
                : Optional.empty();
    return CommandRunner.run(command, Diagnosis.standard().or(refusals), arguments);
  }

  private JsonObject summary() {
    List<String> lines = out.toString().lines().toList();
    JsonObject last = JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
    assertThat(last.get("kind").getAsString()).isEqualTo("summary");
    return last;
  }

  @Test
  void generated_rows_are_written_into_a_table_that_is_made_for_them() {
    assertThat(run("--create", "--partitions", "4", "--rows", "1000", "--table", "t")).isZero();
    assertThat(sink.rows()).hasSize(1_000);
    assertThat(server.splitPoints).hasSize(3);
    assertThat(server.tables.get("t").primaryKey()).isEqualTo(StressTable.PRIMARY_KEY);
    assertThat(server.config).isEqualTo(TableWriterConfig.DEFAULTS);
    assertThat(server.isClosed).isTrue();
    JsonObject summary = summary();
    assertThat(summary.get("rows").getAsLong()).isEqualTo(1_000);
    assertThat(summary.get("errors").getAsLong()).isZero();
    assertThat(summary.keySet())
        .contains("rowsPerSecond", "bytes", "bytesPerSecond", "elapsedMs", "latencyP99Ms");
    assertThat(err.toString()).contains("writing: 1,000 rows");
  }

  @Test
  void a_terminal_gets_lines_for_people_unless_json_is_asked_for() {
    isTerminal = true;
    assertThat(run("--create", "--rows", "1000")).isZero();
    assertThat(out.toString())
        .containsPattern("total +1,000 rows +[0-9,]+ rows/s .*latency p50 .* ms, p99 ")
        .doesNotContain("{", "errors", "in doubt");
    out.getBuffer().setLength(0);
    assertThat(run("--create", "--rows", "1000", "--json")).isZero();
    assertThat(summary().get("rows").getAsLong()).isEqualTo(1_000);
  }

  @Test
  void whose_output_nobody_reads_any_more_ends() {
    PrintWriter unread = new PrintWriter(out);
    // It loses what is printed, as one does whose reader has gone.
    unread.close();
    assertThat(run(unread, "--create", "--duration", "1h", "--rate", "10")).isZero();
    assertThat(sink.rows()).isNotEmpty();
  }

  @Test
  void options_shape_rows_and_batches() {
    server.tables.put("stress", new TableMeta("stress", StressTable.PRIMARY_KEY));
    int code =
        run(
            "--rows=500",
            "--threads=3",
            "--puts=50",
            "--updates=30",
            "--deletes=20",
            "--keys=10",
            "--distribution=zipfian",
            "--attributes=3",
            "--value-bytes=0.5KB",
            "--batch-bytes=4KiB",
            "--linger=20ms",
            "--durability=OS",
            "--rate=1000000",
            "--seed=9");
    assertThat(err.toString()).contains("500 rows");
    assertThat(code).isZero();
    assertThat(sink.rows()).hasSize(500);
    assertThat(sink.rows().stream().map(RowChange::primaryKey).distinct().count())
        .isLessThanOrEqualTo(10);
    assertThat(sink.rows().stream().map(RowChange::kind).distinct()).hasSize(3);
    assertThat(server.config.batchBytesMax()).isEqualTo(4096);
    assertThat(server.config.linger()).hasMillis(20);
    assertThat(server.config.durability()).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--create | give --rows or --duration",
        "--rows 0 --create | at least 1 row, not 0",
        "--rows 5 --threads 0 | --threads is 1 to 256",
        "--rows 5 --rate 0 | --rate is 1 to 1000000000",
        "--rows 5 --puts 80 | must be at least 0 and add up to 100",
        "--rows 5 --row-bytes 10 | at least 57 bytes, not 10",
        "--rows 5 --row-bytes 99 --value-bytes 9 | --value-bytes or --row-bytes, not both",
        "--rows 5 --attributes 0 | 1 to 64 attributes",
        "--rows 5 --keys 0 | at least 1 key",
        "--rows 5 --distribution zipfian --zipf-exponent 0 | over 0 and up to 10",
        "--rows 5 --distribution other | expected one of [uniform, zipfian]",
        "--rows 5 --create --partitions 2000 | 1 to 1024 partitions, not 2000",
        "--rows 5 --in-doubt-file - | --in-doubt-file is a file",
        "--rows 5 --batch-bytes 0 | --batch-bytes is 1 to",
        "--rows 5 --batch-bytes 10GiB | --batch-bytes is 1 to",
        "--rows 5 --batch-bytes 1kilo | '1kilo' is not a number of bytes such as 1000, 256KiB",
        "--rows 5 --value-bytes 5GiB | a generated value has 1 to 65536 bytes",
        "--rows 5 --linger soon | 'soon' is not a time such as 500ms",
        "--rows 5 --key a | give --from too",
        "--rows 5 --durability NONE | expected one of [FSYNC, OS]",
        "--duration soon | 'soon' is not a time such as 500ms, 30s, 5m, 1h or 7d",
        "--duration 0s | give more than 0",
        "--duration 999999999d | '999999999d' is too long; give 36500d at most",
        "--rows 5 --bad-lines ignore | neither skip nor fail",
        "--from x.csv --create | make one for a file with 'tunnel partition'",
        "--rows five | 'five' is not a whole number",
      })
  void a_bad_option_ends_with_2_and_says_what_would_be_right(String arguments, String message) {
    assertThat(run(arguments.strip().split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message.strip());
    assertThat(sink.rows()).isEmpty();
  }

  @Test
  void an_unknown_table_is_refused_unless_it_is_to_be_created() {
    assertThat(run("--rows", "5")).isEqualTo(1);
    assertThat(err.toString()).contains("no table 'stress'");
  }

  @Test
  void a_table_with_another_key_is_not_for_generated_rows() {
    List<PrimaryKeySchema> other = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    server.tables.put("stress", new TableMeta("stress", other));
    assertThat(run("--rows", "5")).isEqualTo(2);
    assertThat(err.toString()).contains("another key", "--from");
  }

  @Test
  void the_rows_of_a_file_are_written_in_its_order() throws IOException {
    usePeople();
    Path file = Files.writeString(directory.resolve("p.csv"), "id,name\n3,c\n1,a\n2,b\n");
    assertThat(run("--from", file.toString(), "--table", "people")).isZero();
    assertThat(sink.rows().stream().map(row -> row.primaryKey().toString()))
        .containsExactly("(id=3)", "(id=1)", "(id=2)");
    assertThat(err.toString()).contains("writing: 20 bytes");
  }

  @Test
  void a_bad_line_ends_the_run_or_is_skipped_and_counted() throws IOException {
    usePeople();
    Path file = Files.writeString(directory.resolve("p.csv"), "id,name\n1,a\nx,b\n3,c\n");
    assertThat(run("--from", file.toString(), "--table", "people")).isEqualTo(1);
    assertThat(err.toString()).contains("p.csv line 3: column 'id': 'x' is no INTEGER");
    assertThat(summary().get("rows").getAsLong()).isEqualTo(1);

    assertThat(run("--from", file.toString(), "--table", "people", "--bad-lines", "skip")).isZero();
    assertThat(err.toString()).contains("skipped: p.csv line 3");
    assertThat(summary().get("rows").getAsLong()).isEqualTo(2);
    assertThat(summary().get("skippedLines").getAsLong()).isEqualTo(1);
    assertThat(err.toString()).contains("1 lines were skipped");
  }

  @ParameterizedTest
  @CsvSource({
    "'id,name\n1,a\n2,\"b\n3,c\n',--bad-lines=fail,74,p.csv line 3: the quote that opens here is",
    "'id,name\n1,a\n2,\"b\n3,c\n',--bad-lines=skip,74,p.csv line 3: the quote that opens here is",
    "'id,name\n1,a\n',--key=nope,2,'no column ''nope'', which is of the key, among [id, name]'",
    "'id,name\n1,a\n','--key=id,nope',2,'--key names 1 columns of the file, not [id, nope]'",
    "'id,name\n1,a\n',--types=nope:STRING,2,--types: there is no column 'nope' among",
    "'id;name\n1;a\n',--bad-lines=skip,1,add --separator ';'",
    "'id,name\nx,a\n',--bad-lines=skip,1,all of its 1 lines were skipped",
    "'id,name\n',--bad-lines=fail,1,p.csv has no row",
  })
  void a_file_that_cannot_be_written_is_no_success(
      String text, String option, int exitCode, String message) throws IOException {
    usePeople();
    Path file = Files.writeString(directory.resolve("p.csv"), text);
    String[] line = {"--from", file.toString(), "--table", "people", "--bad-lines", "skip", option};
    if (option.startsWith("--bad-lines")) {
      line[4] = "--rows";
      line[5] = "9";
    }
    assertThat(run(line)).as(err.toString()).isEqualTo(exitCode);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void a_file_that_is_not_there_ends_with_the_code_of_files() {
    usePeople();
    assertThat(run("--from", directory.resolve("no.csv").toString(), "--table", "people"))
        .isEqualTo(74);
    assertThat(err.toString()).contains("no.csv");
  }

  @Test
  void rows_in_doubt_are_said_shown_and_written_to_a_file() throws IOException {
    use(
        new FakeSink(
            number ->
                number < 30
                    ? FakeSink.applied(number)
                    : FakeSink.failed(
                        number < 50 ? RowResult.Outcome.IN_DOUBT : RowResult.Outcome.NOT_SENT)));
    Path doubts = directory.resolve("doubts.jsonl");
    int code =
        run("--create", "--rows=100000", "--threads=1", "--in-doubt-file", doubts.toString());
    assertThat(code).isEqualTo(1);
    assertThat(summary().get("rows").getAsLong()).isEqualTo(30);
    assertThat(summary().get("inDoubt").getAsLong()).isEqualTo(20);
    assertThat(err.toString())
        .contains("the server could not be reached", "20 rows are in doubt", doubts.toString())
        .contains("1 row was never sent");
    assertThat(Files.readAllLines(doubts))
        .hasSize(20)
        .allSatisfy(line -> assertThat(JsonParser.parseString(line).isJsonObject()).isTrue());
    long shown = err.toString().lines().filter(line -> line.startsWith("  {")).count();
    assertThat(shown).isEqualTo(10);
  }

  @Test
  void without_a_file_for_them_rows_in_doubt_name_the_option() {
    use(new FakeSink(number -> FakeSink.failed(RowResult.Outcome.IN_DOUBT)));
    assertThat(run("--create", "--rows=3")).isEqualTo(1);
    assertThat(err.toString()).contains("--in-doubt-file FILE writes all of them");
  }

  private void usePeople() {
    List<PrimaryKeySchema> id = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    server.tables.put("people", new TableMeta("people", id));
  }

  @Test
  void rows_in_doubt_do_not_take_the_place_of_the_rows_that_are_read() throws IOException {
    usePeople();
    Path file = Files.writeString(directory.resolve("p.jsonl"), "{\"id\":1}\n");
    Path same = directory.resolve("../" + directory.getFileName() + "/p.jsonl");
    for (Path doubts : List.of(file, same)) {
      assertThat(
              run(
                  "--from",
                  file.toString(),
                  "--table",
                  "people",
                  "--in-doubt-file",
                  doubts.toString()))
          .isEqualTo(2);
    }
    assertThat(err.toString()).contains("--in-doubt-file is the file that is read: name another");
    assertThat(file).hasContent("{\"id\":1}\n");
    assertThat(sink.rows()).isEmpty();
  }
}
