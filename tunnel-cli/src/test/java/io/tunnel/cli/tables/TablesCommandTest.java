package io.tunnel.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.DataWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablesCommandTest extends CommandLineTest {

  private static final ColumnValue ONE = ColumnValue.fromLong(1);

  @BeforeEach
  void a_table_of_three_rows() {
    service.createTable(
        new TableMeta(
            "orders",
            List.of(
                new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
                new PrimaryKeySchema("n", PrimaryKeyType.INTEGER))));
    put(0x10, 1, new Column("price", ColumnValue.fromDouble(1.5)));
    put(0x20, -2, new Column("note", ColumnValue.fromString("a\nb" + "c".repeat(50))));
    put(0x30, 3);
  }

  private void put(int hash, long n, Column... columns) {
    PrimaryKey key = PrimaryKey.builder().add("hash", new byte[] {(byte) hash}).add("n", n).build();
    service.put("orders", new Row(key, List.of(columns)));
  }

  @Test
  void names_are_listed_one_a_line() {
    service.createTable(
        new TableMeta("a", List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING))));
    assertThat(runLine("tables list --server h:1")).isZero();
    assertThat(outLines()).containsExactly("a", "orders");
    assertThat(service.endpoints).containsExactly("h:1");
    assertThat(runLine("tables list --json")).isZero();
    assertThat(outLines()).containsExactly("{\"tables\":[\"a\",\"orders\"]}");
  }

  @Test
  void a_table_is_described_with_its_partitions() {
    assertThat(runLine("tables describe --table orders")).isZero();
    assertThat(outLines().get(0)).startsWith("table orders: key (hash BINARY, n INTEGER)");
    assertThat(out.toString()).contains("1 partition, 1,234 rows");
    assertThat(runLine("tables describe --table orders --json")).isZero();
    assertThat(JsonParser.parseString(out.toString()).getAsJsonObject().get("rowCount").getAsInt())
        .isEqualTo(1_234);
    assertThat(runLine("tables describe --table none")).isEqualTo(4);
    assertThat(errLines()).containsExactly("tunnel tables describe: there is no table 'none'");
  }

  @Test
  void a_table_is_dropped_only_when_that_is_really_meant() {
    assertThat(runLine("tables drop --table orders")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "has about 1,234 rows in 1 partition; they would be lost for good",
            "nothing was dropped: add --yes to do it");
    assertThat(service.tables).containsKey("orders");
    service.answer = Optional.of("no");
    assertThat(runLine("tables drop --table orders")).isEqualTo(2);
    assertThat(service.tables).containsKey("orders");

    assertThat(runLine("tables drop --table orders --yes")).isZero();
    assertThat(outLines()).containsExactly("table orders dropped");
    assertThat(service.tables).isEmpty();
    assertThat(runLine("tables drop --table orders --yes")).isEqualTo(4);
    assertThat(errLines()).containsExactly("tunnel tables drop: there is no table 'orders'");
  }

  @Test
  void a_person_at_the_terminal_may_drop_a_table_and_a_program_is_not_asked() {
    service.answer = Optional.of("yes");
    assertThat(runLine("tables drop --table orders --json")).isEqualTo(2);
    assertThat(service.questions).isEmpty();
    assertThat(runLine("tables drop --table orders")).isZero();
    assertThat(service.questions).containsExactly("Do it? [y/N] ");
    assertThat(service.tables).isEmpty();
  }

  @Test
  void a_dropped_table_is_json_when_asked_for() {
    assertThat(runLine("tables drop --table orders --yes --json")).isZero();
    assertThat(outLines()).containsExactly("{\"dropped\":\"orders\"}");
  }

  @Test
  void a_row_is_got_by_its_key_in_any_order_of_columns() {
    assertThat(runLine("tables get --table orders --key n=-2 --key hash=20")).isZero();
    assertThat(outLines())
        .containsExactly(
            "COLUMN  TYPE           VALUE",
            "hash    BINARY (key)   20",
            "n       INTEGER (key)  -2",
            "note    STRING         a\\nb" + "c".repeat(50));
    assertThat(runLine("tables get --table orders --key n=1 --key hash=10 --json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"key\":{\"hash\":\"10\",\"n\":1},"
                + "\"columns\":{\"price\":{\"type\":\"DOUBLE\",\"value\":1.5}}}");
  }

  @Test
  void a_row_of_a_hashed_key_is_got_without_its_hash() {
    List<PrimaryKeySchema> key =
        List.of(
            new PrimaryKeySchema("digest", PrimaryKeyType.BINARY),
            new PrimaryKeySchema("uid", PrimaryKeyType.STRING));
    service.createTable(new TableMeta("others", key));
    PrimaryKeyColumn uid = new PrimaryKeyColumn("uid", PrimaryKeyValue.fromString("user-14066"));
    service.put("others", new Row(HashedKey.of("digest", List.of(uid)), List.of()));
    PrimaryKeyColumn n = new PrimaryKeyColumn("n", PrimaryKeyValue.fromLong(7));
    service.put("orders", new Row(HashedKey.of(n), List.of()));

    assertThat(runLine("tables get --table orders --key n=7 --json")).isZero();
    assertThat(outLines())
        .containsExactly("{\"key\":{\"hash\":\"7c1450ca\",\"n\":7},\"columns\":{}}");
    assertThat(runLine("tables get --table orders --key n=8")).isEqualTo(3);
    assertThat(err.toString()).contains("n=8)", "the hash was computed from the other columns");

    // A BINARY of another name may be anything.
    assertThat(runLine("tables get --table others --key uid=user-14066")).isEqualTo(2);
    assertThat(err.toString()).contains("add --hashed if 'digest' is the hash of the others");
    assertThat(runLine("tables get --table others --key uid=user-14066 --hashed")).isZero();
    assertThat(out.toString()).contains("5adf392c");
  }

  @Test
  void a_key_without_a_place_for_a_hash_is_not_hashed() {
    service.createTable(
        new TableMeta("plain", List.of(new PrimaryKeySchema("hash", PrimaryKeyType.BINARY))));
    assertThat(runLine("tables get --table plain --key hash=00 --hashed")).isEqualTo(2);
    assertThat(err.toString()).contains("--hashed is for a key whose first column is BINARY");
    assertThat(runLine("tables get --table plain")).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required option: '--key=NAME=VALUE'");
  }

  @Test
  void a_row_that_is_not_there_is_a_failed_job() {
    assertThat(runLine("tables get --table orders --key n=9 --key hash=20")).isEqualTo(3);
    assertThat(errLines())
        .containsExactly(
            "tunnel tables get: table 'orders' has no row with the key (hash=20, n=9)");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--key hash=10|the key of the table is (hash BINARY, n INTEGER), not [hash]: give --key"
            + " hash=VALUE --key n=VALUE",
        "--key n=1 --key hash=10 --key x=1|give --key hash=VALUE --key n=VALUE",
        "--key n=one --key hash=10|--key n: 'one' is not an INTEGER",
        "--key n=1 --key hash=x|--key hash: 'x' is not BINARY (two hexadecimal digits a byte"
      })
  void a_key_that_is_not_the_tables_is_refused(String key, String message) {
    assertThat(runLine("tables get --table orders " + key)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void rows_are_read_strictly_only_where_that_is_asked_for() {
    assertThat(runLine("tables scan --table orders")).isZero();
    assertThat(runLine("tables scan --table orders --strict")).isZero();
    runLine("tables get --table orders --key hash=10 --key n=1");
    runLine("tables get --table orders --key hash=10 --key n=1 --strict");
    assertThat(service.readModes)
        .containsExactly(ReadMode.BOUNDED, ReadMode.STRICT, ReadMode.BOUNDED, ReadMode.STRICT);
  }

  @Test
  void rows_are_scanned_in_both_directions() {
    assertThat(runLine("tables scan --table orders --limit 2")).isZero();
    assertThat(outLines())
        .containsExactly(
            "hash  n   COLUMNS",
            "10    1   price=1.5",
            "20    -2  note=a\\nb" + "c".repeat(35) + "…");
    assertThat(runLine("tables scan --table orders --limit 10 --reverse --json")).isZero();
    assertThat(outLines()).hasSize(3);
    assertThat(outLines().get(0)).isEqualTo("{\"key\":{\"hash\":\"30\",\"n\":3},\"columns\":{}}");
    assertThat(outLines().get(2)).contains("\"hash\":\"10\"");
  }

  @Test
  void a_scan_has_a_lowest_key_included_and_a_highest_excluded() {
    assertThat(runLine("tables scan --table orders --from 20 --to 30 --json")).isZero();
    assertThat(outLines()).singleElement().asString().contains("\"hash\":\"20\"");
    assertThat(runLine("tables scan --table orders --from 20 --to 30 --reverse --json")).isZero();
    assertThat(outLines()).singleElement().asString().contains("\"hash\":\"20\"");
    assertThat(runLine("tables scan --table orders --from 20 --to 20 --json")).isZero();
    assertThat(outLines()).isEmpty();
    for (String direction : List.of("", " --reverse")) {
      assertThat(runLine("tables scan --table orders --from 30 --to 20" + direction)).isEqualTo(2);
      assertThat(err.toString()).contains("--from 30 is above --to 20");
    }
    assertThat(runLine("tables scan --table orders --from x")).isEqualTo(2);
    assertThat(err.toString()).contains("--from: 'x' is not BINARY");
    assertThat(runLine("tables scan --table orders --to x")).isEqualTo(2);
    assertThat(err.toString()).contains("--to: 'x' is not BINARY");
  }

  @Test
  void a_scan_of_nothing_prints_only_the_heading_and_no_json() {
    assertThat(runLine("tables scan --table orders --from 99")).isZero();
    assertThat(outLines()).containsExactly("hash  n  COLUMNS");
    assertThat(runLine("tables scan --table orders --from 99 --json")).isZero();
    assertThat(outLines()).isEmpty();
  }

  @Test
  void a_long_scan_has_one_heading() {
    for (int n = 100; n < 600; n++) {
      put(0x40, n);
    }
    assertThat(runLine("tables scan --table orders --limit all")).isZero();
    assertThat(outLines()).hasSize(504);
    assertThat(outLines()).filteredOn(line -> line.contains("COLUMNS")).hasSize(1);
    assertThat(runLine("tables scan --table orders")).isZero();
    assertThat(outLines()).hasSize(21);
  }

  private int scanWhere(String condition, String... more) {
    List<String> line =
        new ArrayList<>(
            List.of("tables", "scan", "--table", "orders", "--json", "--where", condition));
    line.addAll(List.of(more));
    return run(line.toArray(new String[0]));
  }

  @Test
  void a_scan_prints_rows_of_which_a_condition_holds_and_says_how_many_were_looked_at() {
    assertThat(scanWhere("price > 1 or note starts with \"a\\n\"")).isZero();
    assertThat(outLines()).hasSize(2);
    assertThat(errLines()).containsExactly("looked at 3 rows, 2 matched");
    assertThat(scanWhere("hash >= x\"20\" and not exists price", "--reverse")).isZero();
    assertThat(outLines()).hasSize(2);
    assertThat(outLines().get(0)).contains("\"hash\":\"30\"");
    assertThat(scanWhere("price = 2")).isZero();
    assertThat(outLines()).isEmpty();
    assertThat(errLines()).containsExactly("looked at 3 rows, 0 matched");
  }

  @Test
  void the_limit_of_a_scan_counts_rows_of_which_the_condition_holds() {
    for (int n = 0; n < 500; n++) {
      put(0x40, n, new Column("even", ColumnValue.fromBoolean(n % 2 == 0)));
    }
    assertThat(scanWhere("even = true", "--limit", "3")).isZero();
    assertThat(outLines()).hasSize(3);
    // Three rows of other hashes, and 0 to 4.
    assertThat(errLines())
        .containsExactly("looked at 8 rows, 3 matched; there may be more, see --limit");
    assertThat(scanWhere("even = true", "--limit", "all")).isZero();
    assertThat(outLines()).hasSize(250);
    assertThat(errLines()).containsExactly("looked at 503 rows, 250 matched");
  }

  @Test
  void what_is_no_condition_is_shown_with_a_caret_before_anything_is_asked() {
    assertThat(run("tables", "scan", "--table", "orders", "--where", "price = = 7")).isEqualTo(2);
    assertThat(errLines())
        .contains("  price = = 7", "          ^", "Try 'tunnel tables scan --help'.");
    assertThat(errLines().get(0))
        .startsWith("tunnel tables scan: --where, at character 9: '=' stands where a value such");
    assertThat(service.endpoints).isEmpty();
    assertThat(scanWhere("price = = 7")).isEqualTo(2);
    assertThat(errLines()).singleElement().asString().contains("at character 9", "\"USAGE\"");
  }

  @Test
  void a_condition_that_the_table_does_not_have_is_refused_with_its_place() {
    assertThat(run("tables", "scan", "--table", "orders", "--where", "price = 1 and n = 'x'"))
        .isEqualTo(2);
    assertThat(errLines()).contains("  price = 1 and n = 'x'", "                ^");
    assertThat(err.toString())
        .contains("the INTEGER n of the key", "the key is (hash BINARY, n INTEGER)");
    assertThat(scanWhere("change is put")).isEqualTo(2);
    assertThat(err.toString()).contains("here are rows without changes");
  }

  @Test
  void rows_are_printed_with_chosen_columns_and_the_time_of_their_last_change() {
    put(0x10, 1, new Column("price", ColumnValue.fromDouble(1.5)), new Column("note", ONE));
    assertThat(runLine("tables scan --table orders --columns note,absent --commit-time --limit 1"))
        .isZero();
    assertThat(outLines())
        .containsExactly(
            "hash  n  COMMITTED                    COLUMNS",
            "10    1  2026-11-27T00:00:00.250000Z  note=1");
    assertThat(runLine("tables get --table orders --key hash=10 --key n=1 --columns price"))
        .isZero();
    assertThat(outLines()).hasSize(4).last().asString().isEqualTo("price   DOUBLE         1.5");
    assertThat(
            runLine(
                "tables get --table orders --key hash=10 --key n=1 --columns note --commit-time"
                    + " --json"))
        .isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"commitMicros\":1795737600250000,\"key\":{\"hash\":\"10\",\"n\":1},"
                + "\"columns\":{\"note\":{\"type\":\"INTEGER\",\"value\":1}}}");
    assertThat(run("tables", "scan", "--table", "orders", "--columns", "", "--limit", "1"))
        .isZero();
    assertThat(outLines()).containsExactly("hash  n  COLUMNS", "10    1");
  }

  @Test
  void a_row_is_got_only_if_a_condition_holds_of_it() {
    String[] get = {"tables", "get", "--table", "orders", "--key", "hash=10", "--key", "n=1"};
    assertThat(run(with(get, "--where", "price > 1"))).isZero();
    assertThat(run(with(get, "--where", "price > 2"))).isEqualTo(3);
    assertThat(err.toString())
        .contains("has no row with the key (hash=10, n=1); or --where does not hold of the row");
    assertThat(run(with(get, "--where", "price >"))).isEqualTo(2);
    assertThat(errLines().get(0)).startsWith("tunnel tables get: --where, at character 8");
  }

  private static String[] with(String[] line, String... more) {
    return Stream.concat(Stream.of(line), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void columns_that_cannot_be_chosen_are_refused_by_name() {
    assertThat(runLine("tables scan --table orders --columns a,b,a")).isEqualTo(2);
    assertThat(err.toString()).contains("--columns, column 'a' is chosen twice");
    assertThat(service.endpoints).isEmpty();
    assertThat(runLine("tables scan --table orders --columns price,n")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "column 'n' is chosen and is of the table's key (hash, n)", "leave the column out");
  }

  private static PrintWriter failing(String message) {
    return new DataWriter(
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(message);
          }
        });
  }

  @Test
  void a_scan_ends_when_its_reader_has_gone() {
    for (int n = 0; n < 5_000; n++) {
      put(0x40, n);
    }
    String[] scan = {"tables", "scan", "--table", "orders", "--limit", "all"};
    assertThat(run(failing("Broken pipe"), scan)).isZero();
    assertThat(service.scanned).isLessThan(1_000);
    assertThat(errLines()).isEmpty();
  }

  @Test
  void output_that_is_lost_is_no_success() {
    assertThat(run(failing("No space left on device"), "tables", "list")).isEqualTo(74);
    assertThat(errLines())
        .containsExactly(
            "tunnel: standard output cannot be written: No space left on device; what was printed is incomplete");
  }

  @Test
  void every_type_has_its_json() {
    PrimaryKey key = PrimaryKey.builder().add("k", "ключ").build();
    Row row =
        new Row(
            key,
            List.of(
                new Column("i", ColumnValue.fromLong(Long.MIN_VALUE)),
                new Column("d", ColumnValue.fromDouble(Double.NaN)),
                new Column("b", ColumnValue.fromBoolean(true)),
                new Column("s", ColumnValue.fromString("x\"y")),
                new Column("x", ColumnValue.fromBinary(new byte[] {1, -1}))));
    JsonObject json = TypedJson.of(row);
    assertThat(json.get("key").toString()).isEqualTo("{\"k\":\"ключ\"}");
    assertThat(json.get("columns").toString())
        .isEqualTo(
            "{\"i\":{\"type\":\"INTEGER\",\"value\":-9223372036854775808},"
                + "\"d\":{\"type\":\"DOUBLE\",\"value\":\"NaN\"},"
                + "\"b\":{\"type\":\"BOOLEAN\",\"value\":true},"
                + "\"s\":{\"type\":\"STRING\",\"value\":\"x\\\"y\"},"
                + "\"x\":{\"type\":\"BINARY\",\"value\":\"01ff\"}}");
  }
}
