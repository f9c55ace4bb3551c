package io.tunnel.partition.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PartitionCommandTest {

  private final FakeTables tables = new FakeTables();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path directory;

  private int run(String line) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine command = new CommandLine(new PartitionCommand(), this::command);
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    Diagnosis refusals =
        trouble ->
            trouble instanceof RefusedException
                ? Optional.of(CommandFailure.failed(trouble.getMessage()))
                : Optional.empty();
    return CommandRunner.run(command, Diagnosis.standard().or(refusals), line.split(" "));
  }

  private <K> K command(Class<K> type) throws Exception {
    if (type == CreateCommand.class) {
      return type.cast(new CreateCommand(tables::connect));
    }
    return type == DescribeCommand.class
        ? type.cast(new DescribeCommand(tables::connect))
        : CommandLine.defaultFactory().create(type);
  }

  @AfterEach
  void every_connection_was_closed() {
    assertThat(tables.open).isZero();
  }

  @Test
  void a_table_is_created_in_the_partitions_asked_for() {
    int code =
        run("create --table t --key hash:BINARY,uid:STRING --partitions 4 --server example:1");

    assertThat(code).isZero();
    assertThat(out.toString().strip())
        .isEqualTo("table t created, partitions: 4, evenly over a 4-byte hash");
    assertThat(tables.endpoints).containsExactly("example:1");
    TableMeta meta = tables.tables.get("t").meta();
    assertThat(meta.primaryKey()).isEqualTo(KeyText.parseSchema("hash:BINARY,uid:STRING"));
    assertThat(meta.options().durability()).isEqualTo(Durability.FSYNC);
    assertThat(tables.tables.get("t").partitions()).hasSize(4);
  }

  @Test
  void the_same_plan_again_has_nothing_to_do() {
    run("create --table t --key h:BINARY --partitions 4 --durability os");
    assertThat(run("create --table t --key h:BINARY --partitions 4")).isZero();
    assertThat(out.toString().strip()).isEqualTo("table t exists as planned: nothing to do");
    assertThat(run("create --table t --key h:BINARY --points 40000000,80000000,c0000000")).isZero();
    assertThat(run("create --table t --key h:BINARY --partitions 4 --durability OS")).isZero();
    assertThat(tables.creations).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--key h:STRING --split points --points 4,8,c|its key is (h BINARY) where the plan has (h"
            + " STRING)",
        "--key h:BINARY --partitions 8|it has 4 partitions where the plan has 8",
        "--key h:BINARY --partitions 4 --durability OS|its durability is FSYNC where the plan has"
            + " OS",
        "--key h:BINARY --points 40000000,80000001,d0|split point 2 is 80000000 where the plan has"
            + " 80000001 (and 1 more differ)",
        "--key h:BINARY,x:STRING --partitions 2 --durability OS|its key is (h BINARY) where the"
            + " plan has (h BINARY, x STRING); its durability is FSYNC where the plan has OS; it"
            + " has 4 partitions where the plan has 2"
      })
  void another_plan_is_refused_with_the_differences(String options, String differences) {
    run("create --table t --key h:BINARY --partitions 4");

    assertThat(run("create --table t " + options)).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().strip())
        .isEqualTo(
            "partition create: table 't' exists and is not as planned: "
                + differences
                + ". Drop it first, or name another table");
    assertThat(tables.creations).isEqualTo(1);
  }

  @Test
  void who_is_beaten_to_the_creation_compares_too() {
    tables.beforeCreate =
        () -> tables.tables.put("t", FakeTables.describe(tableMeta("h:BINARY"), List.of()));
    assertThat(run("create --table t --key h:BINARY")).isZero();
    assertThat(out.toString()).contains("exists as planned");

    tables.tables.clear();
    assertThat(run("create --table t --key h:BINARY --partitions 2")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("it has 1 partitions where the plan has 2");
    assertThat(tables.creations).isZero();
  }

  @Test
  void a_table_keeps_its_changes_as_long_as_asked() {
    run("create --table t --key h:BINARY --retention 1.5h --retention-bytes 1GiB");
    assertThat(tables.tables.get("t").meta().options())
        .isEqualTo(new TableOptions(Durability.FSYNC, 5_400_000, 1L << 30));
    run("describe --table t");
    assertThat(out.toString()).contains("durability FSYNC, retention 1 h 30 min and 1.00 GiB, ");
    run("describe --table t --json");
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("retentionMs").getAsLong()).isEqualTo(5_400_000);
    assertThat(json.get("retentionBytes").getAsLong()).isEqualTo(1L << 30);

    run("create --table u --key h:BINARY --dry-run --retention 24h");
    assertThat(out.toString()).contains("durability FSYNC, retention 1 d 00 h\n");
    run("create --table u --key h:BINARY --retention 0 --retention-bytes 0");
    assertThat(tables.tables.get("u").meta().options()).isEqualTo(TableOptions.DEFAULT);
    assertThat(run("create --table v --key h:BINARY --retention long")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("'long' is not a time such as 500ms, 30s, 5m, 1h or 7d");
  }

  @Test
  void less_than_a_millisecond_is_not_for_ever() {
    run("create --table t --key h:BINARY --retention 0.2ms");
    assertThat(tables.tables.get("t").meta().options().retentionMs()).isEqualTo(1);
  }

  @Test
  void another_retention_is_a_difference_only_when_it_was_asked_for() {
    run("create --table t --key h:BINARY --retention 1s --retention-bytes 1000");
    assertThat(run("create --table t --key h:BINARY")).isZero();
    assertThat(run("create --table t --key h:BINARY --retention 1s")).isZero();
    assertThat(run("create --table t --key h:BINARY --retention 2s --retention-bytes 0"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains(
            "its retention is 1000 milliseconds where the plan has 2000 ('tunnel tables alter'"
                + " changes it); its retention is 1000 bytes where the plan has 0");
  }

  private static TableMeta tableMeta(String key) {
    return new TableMeta("t", KeyText.parseSchema(key));
  }

  @Test
  void a_dry_run_prints_the_plan_and_asks_nobody() {
    assertThat(run("create --table t --key n:INTEGER --partitions 3 --from -5 --to 9 --dry-run"))
        .isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "table t: key (n INTEGER), durability FSYNC",
            "3 partitions, evenly over the integers -5 to 9",
            "",
            "#  FROM      TO",
            "1  (lowest)  0",
            "2  0         5",
            "3  5         (highest)",
            "",
            "dry run: nothing was created");
    assertThat(tables.endpoints).isEmpty();
  }

  @Test
  void a_plan_from_a_sample_shows_what_falls_into_each_partition() throws IOException {
    Path file = Files.writeString(directory.resolve("k.txt"), "a\na\na\na\nb\nc\n");
    assertThat(run("create --table t --key n:STRING --partitions 2 --dry-run --sample " + file))
        .isZero();
    assertThat(out.toString().lines())
        .contains("2 partitions, by quantiles of 6 keys of k.txt")
        .contains("1  (lowest)  b                4  ####################")
        .contains("2  b         (highest)        2  ##########");
  }

  @Test
  void a_sample_with_too_few_keys_says_how_many_partitions_it_allows() throws IOException {
    Path file = Files.writeString(directory.resolve("k.csv"), "id,n\n1,a\n2,b\n3,b\n");
    String options = "create --table t --key n:STRING --column n --sample " + file;
    assertThat(run(options + " --partitions 3")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("2 distinct keys, too few for 3 partitions: at most --partitions 2");
    assertThat(run(options + " --partitions 2")).isZero();
    assertThat(run("create --table t --key n:STRING --sample none.csv")).isEqualTo(ExitCode.IO);
    assertThat(err.toString().strip()).isEqualTo("partition create: there is no file 'none.csv'");
  }

  @Test
  void a_separator_without_a_column_is_refused_and_no_line_is_taken_for_a_key() throws IOException {
    Path file = Files.writeString(directory.resolve("k.csv"), "17;bolt\n18;nut\n");
    String options = "create --table t --key n:STRING --partitions 2 --separator ; --sample ";
    assertThat(run(options + file)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--separator is of CSV, of which --column names");
  }

  @Test
  void a_plan_is_json_when_asked_for() {
    run("create --table t --key h:STRING --partitions 2 --width 2 --json");
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("outcome").getAsString()).isEqualTo("created");
    assertThat(json.get("partitions").toString())
        .isEqualTo("[{\"from\":null,\"to\":\"80\"},{\"from\":\"80\",\"to\":null}]");
    assertThat(json.get("key").toString()).isEqualTo("[{\"name\":\"h\",\"type\":\"STRING\"}]");
    run("create --table t --key h:STRING --partitions 2 --width 2 --json");
    assertThat(out.toString()).contains("\"outcome\":\"exists\"");
    run("create --table t --key h:STRING --partitions 2 --upper-case --json --dry-run");
    assertThat(out.toString()).contains("\"outcome\":\"planned\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--key h:BINARY --partitions 0|a table has 1 to 1024 partitions, not 0",
        "--key h:BINARY --partitions 1025|a table has 1 to 1024 partitions, not 1025",
        "--key h:BINARY --partitions x|'x' is not a whole number",
        "--key h:BLOB|'BLOB' is not a type of a key column: INTEGER, STRING or BINARY",
        "--key h|is not NAME:TYPE, such as hash:BINARY,uid:STRING",
        "--key a:STRING,a:STRING|primary-key column 'a' is named twice",
        "--key a:STRING,b:STRING,c:STRING,d:STRING,e:STRING|1 to 4 primary-key columns, not 5",
        "--key h:BINARY --split even|expected one of [HASH4, HEX, INTEGER, POINTS, SAMPLE]",
        "--key h:STRING --split hash4 --partitions 2|--split hash4 needs a first key column of type"
            + " BINARY, but 'h' is STRING: use --split hex, points or sample",
        "--key h:BINARY --split hex --partitions 2|needs a first key column of type STRING",
        "--key h:BINARY --split integer --partitions 2 --from 1 --to 9|needs a first key column of"
            + " type INTEGER",
        "--key n:INTEGER --partitions 2|--split integer needs --from and --to",
        "--key n:INTEGER --partitions 2 --from 1|--split integer needs --from and --to",
        "--key n:INTEGER --partitions 2 --from 9 --to 1|give the lowest key first",
        "--key n:INTEGER --partitions 9 --from 1 --to 3|at most --partitions 3",
        "--key n:INTEGER --from x|'x' is not a whole number",
        "--key h:BINARY --width 3|--width belongs to --split hex, but the table is split by hash4",
        "--key h:BINARY --upper-case|--upper-case belongs to --split hex",
        "--key h:STRING --from 1|--from belongs to --split integer",
        "--key h:STRING --to 1|--to belongs to --split integer",
        "--key h:STRING --column 1|--column belongs to --split sample",
        "--key h:STRING --points a --sample f|--sample belongs to --split sample",
        "--key h:STRING --split hex --points a|--points belongs to --split points",
        "--key h:STRING --width 16 --partitions 2|--width is 1 to 15 hexadecimal digits, not 16",
        "--key h:STRING --width 1 --partitions 17|raise --width",
        "--key h:STRING --split points|--split points needs --points P,P",
        "--key h:STRING --split sample|--split sample needs --sample FILE",
        "--key h:STRING --points b,a|'a' comes after 'b'",
        "--key n:INTEGER --points 1,two|'two' is not an INTEGER",
        "--key n:INTEGER --points 1,2 --partitions 2|2 points make 3 partitions, not 2: leave"
            + " --partitions out, or give 1 points",
        "--key h:BINARY --durability disk|expected one of [FSYNC, OS]",
        "--key h:BINARY --server a:b|is not HOST:PORT, such as 127.0.0.1:7650",
        "--key h:BINARY --partition 3|Did you mean --partitions?",
        "--partitions 3|Missing required option: '--key=NAME:TYPE"
      })
  void bad_options_say_what_would_be_right(String options, String message) {
    assertThat(run("create --table t " + options)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("partition create: ").contains(message);
    assertThat(out.toString()).isEmpty();
    assertThat(tables.endpoints).isEmpty();
  }

  @Test
  void a_bad_name_is_refused_before_anybody_is_asked() {
    assertThat(run("create --table 1t --key h:BINARY")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("table name '1t' is not valid: 1 to 255 of A-Z a-z 0-9");
    assertThat(run("describe --table 1t")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("table name '1t' is not valid");
    assertThat(tables.endpoints).isEmpty();
  }

  @Test
  void describe_shows_ranges_rows_and_skew() {
    run("create --table t --key h:BINARY,u:STRING --partitions 4");
    assertThat(run("describe --table t")).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "table t: key (h BINARY, u STRING), durability FSYNC, created 2023-11-14T22:13:20Z",
            "",
            "ID  FROM      TO         ROWS     BYTES   CHANGES  FIRST  COMMITTED  SKEW",
            " 1  (lowest)  40000000      0       0 B       0 B      1          0",
            " 2  40000000  80000000    100  19.5 KiB  24.4 KiB      1        100  #######",
            " 3  80000000  c0000000    200  39.1 KiB  48.8 KiB      1        200  #############",
            " 4  c0000000  (highest)  ~300  58.6 KiB  73.2 KiB      1        300"
                + "  ####################",
            "",
            "4 partitions, ~600 rows, 117 KiB",
            "rows of a partition: ~min 0, mean 150, max 300, skew 2.00 (max / mean)");
  }

  @Test
  void bytes_of_changes_that_the_leader_lacks_are_unknown() {
    run("create --table t --key h:BINARY --partitions 8");
    assertThat(run("describe --table t")).isZero();
    assertThat(out.toString().lines())
        .anyMatch(line -> line.matches(" *5 .* 97.7 KiB +1 +400.*"))
        .anyMatch(line -> line.matches(" *6 .* \\? +1 +500.*"));
    assertThat(run("describe --table t --json")).isZero();
    JsonArray partitions =
        JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("partitions");
    assertThat(partitions.get(4).getAsJsonObject().get("changeBytes").getAsLong())
        .isEqualTo(100_000);
    assertThat(partitions.get(5).getAsJsonObject().get("changeBytes").isJsonNull()).isTrue();
  }

  @Test
  void describe_is_json_when_asked_for() {
    run("create --table t --key h:BINARY --partitions 2");
    assertThat(run("describe --table t --json")).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("rowCount").getAsLong()).isEqualTo(100);
    assertThat(json.get("skew").getAsDouble()).isEqualTo(2);
    assertThat(json.getAsJsonArray("partitions").get(1).getAsJsonObject().get("from").getAsString())
        .isEqualTo("80000000");
    assertThat(json.getAsJsonArray("partitions").get(1).getAsJsonObject().get("to").isJsonNull())
        .isTrue();
  }

  @Test
  void a_table_that_is_not_there_is_an_error() {
    assertThat(run("describe --table none")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().strip()).isEqualTo("partition describe: there is no table 'none'");
  }

  @Test
  void without_a_subcommand_those_there_are_are_named() {
    assertThat(run("-v")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("name a subcommand", "Subcommands: create, describe");
    assertThat(run("creat --table t")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("Did you mean", "partition create");
  }

  @Test
  void help_shows_examples_and_exit_codes() {
    assertThat(run("create --help")).isZero();
    assertThat(out.toString())
        .contains("Examples:", "partition create --table users", "Exit codes:", "hash4, hex");
  }

  @Test
  void an_empty_table_has_no_skew() {
    assertThat(Spread.of(List.of(0L, 0L))).isEqualTo(new Spread(0, 0, 0, 0));
    assertThat(Spread.of(List.of(1L, 2L, 6L))).isEqualTo(new Spread(1, 3, 6, 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"999ms", "36526d", "1us"})
  void a_time_to_live_out_of_limits_is_a_wrong_option(String ttl) {
    assertThat(run("create --table t --key id:STRING --ttl " + ttl)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--ttl", "rows live for 1.0 s at least", "'" + ttl + "'");
  }
}
