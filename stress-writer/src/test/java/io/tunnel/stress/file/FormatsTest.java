package io.tunnel.stress.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.rows.BadLineException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the formats of files promise, and where a value could get lost between them. */
class FormatsTest extends ReadFileTest {

  private static Column text(String name, String value) {
    return new Column(name, ColumnValue.fromString(value));
  }

  private BadLines skipping() {
    return new BadLines(BadLines.Policy.SKIP, shown::add);
  }

  private static FileRows.Binding binding() {
    return new FileRows.Binding(NAME, List.of(), Map.of());
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void tsv_has_no_quotes_and_a_value_ends_with_its_line(String lineEnd) throws IOException {
    String text = "\uFEFFname\tv\na\t\"x\nb\ty\nc\tz\"\nd\t\n".replace("\n", lineEnd);
    assertThat(read(file("a.tsv", text), NAME))
        .containsExactly(
            row(name("a"), text("v", "\"x")),
            row(name("b"), text("v", "y")),
            row(name("c"), text("v", "z\"")),
            row(name("d")));
  }

  @Test
  void tabs_and_quotes_are_csv_with_another_separator() throws IOException {
    Path file = file("a.tsv", "name\tv\na\t\"x\ty\"\n");
    RowFile csv = new RowFile(file, Optional.of('\t'), Optional.of(RowFormat.CSV));
    try (FileRows rows = FileRows.open(csv, binding(), failing())) {
      assertThat(rows.next()).isEqualTo(row(name("a"), text("v", "x\ty")));
    }
    assertThatThrownBy(() -> read(file, NAME)).hasMessageContaining("line 2: 3 fields");
  }

  @Test
  void a_quoted_empty_value_is_an_empty_text_and_an_empty_one_is_no_column() throws IOException {
    assertThat(read(file("a.csv", "name,u,v\na,,\"\"\n"), NAME))
        .containsExactly(row(name("a"), text("v", "")));
  }

  @Test
  void json_lines_end_with_a_carriage_return_too() throws IOException {
    assertThat(read(file("a.jsonl", "{\"name\":\"a\"}\r{\"name\":\"b\"}\r"), NAME))
        .containsExactly(row(name("a")), row(name("b")));
  }

  @Test
  void a_name_that_comes_twice_in_an_object_is_refused_at_every_depth() throws IOException {
    Path file =
        file(
            "a.jsonl",
            """
            {"name":"a","name":"b"}
            {"name":"a","v":1,"v":2}
            {"name":"a","v":[{"x":1,"x":2}]}
            {"key":{"name":"c","name":"d"},"columns":{}}
            {"key":{"name":"c"},"columns":{"v":{"type":"INTEGER","value":1},"v":null}}
            {"name":"ok","v":{"x":1},"w":{"x":1}}
            """);
    assertThat(read(file, binding(), skipping())).hasSize(1);
    assertThat(shown)
        .satisfiesExactly(
            line -> assertThat(line).contains("line 1: the name 'name' comes twice in an object"),
            line -> assertThat(line).contains("line 2: the name 'v' comes twice"),
            line -> assertThat(line).contains("line 3: the name 'x' comes twice"),
            line -> assertThat(line).contains("line 4: the name 'name' comes twice"),
            line -> assertThat(line).contains("line 5: the name 'v' comes twice"));
  }

  @Test
  void a_row_over_the_limits_is_a_bad_line() throws IOException {
    StringBuilder wide = new StringBuilder("{\"name\":\"wide\"");
    for (int i = 0; i <= Limits.ROW_COLUMNS_MAX; i++) {
      wide.append(",\"c").append(i).append("\":1");
    }
    String lines = "{\"name\":\"a\"}\n" + wide + "}\n{\"name\":\"b\"}\n";
    assertThat(read(file("a.jsonl", lines), binding(), skipping())).hasSize(2);
    assertThat(shown).singleElement().asString().contains("a.jsonl line 2: ", "1025");
    assertThatThrownBy(() -> read(file("a.jsonl", lines), NAME))
        .isInstanceOf(BadLineException.class)
        .hasMessageContaining("a.jsonl line 2: ");
  }

  @Test
  void a_column_with_the_name_of_a_key_column_is_refused() throws IOException {
    Path csv = file("a.csv", "who,name\na,b\n");
    FileRows.Binding named = new FileRows.Binding(NAME, List.of("who"), Map.of());
    assertThatThrownBy(() -> read(csv, named, failing()))
        .hasMessageContaining("line 2: column 'name': 'name' is a column of the table's key");
    Path json =
        file(
            "a.jsonl",
            "{\"kind\":\"UPDATE\",\"key\":{\"name\":\"a\"},\"columns\":{\"name\":null}}\n");
    assertThatThrownBy(() -> read(json, NAME))
        .hasMessageContaining("line 1: 'name' is a column of the table's key");
  }

  /** Every byte of this row needs as many characters of JSON as there can be. */
  @Test
  void the_largest_row_that_tools_print_can_be_put_back() throws IOException {
    PrimaryKey key = name("a");
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < Limits.ROW_COLUMNS_MAX; i++) {
      columns.add(text("\u0001".repeat(3) + (char) (0x100 + i), ""));
    }
    columns.set(0, text("v", "\u0001".repeat(Limits.ROW_BYTES_MAX - 64 * 1024)));
    RowPutChange put = new RowPutChange(key, columns);
    Path file = file("a.jsonl", TypedJson.of(put) + "\n");
    assertThat(Files.size(file)).isGreaterThan(5L * Limits.ROW_BYTES_MAX);
    assertThat(read(file, NAME)).containsExactly(put);
  }

  @Test
  void values_of_every_kind_can_be_put_back() throws IOException {
    RowPutChange put =
        row(
            name(" \uFEFF\r\n\t\"\\\u2028"),
            new Column("i", ColumnValue.fromLong(Long.MIN_VALUE)),
            new Column("d", ColumnValue.fromDouble(-0.0)),
            new Column("e", ColumnValue.fromDouble(Double.MIN_VALUE)),
            new Column("f", ColumnValue.fromDouble(Double.MAX_VALUE)),
            new Column("n", ColumnValue.fromDouble(Double.NaN)),
            new Column("m", ColumnValue.fromDouble(Double.NEGATIVE_INFINITY)),
            new Column("b", ColumnValue.fromBinary(new byte[] {0, -1})),
            new Column("t", ColumnValue.fromBoolean(true)),
            text("s", ""));
    assertThat(read(file("a.jsonl", TypedJson.of(put) + "\n"), NAME)).containsExactly(put);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\n{\"name\":\"Ann\"}\n",
        "  \t{\"name\":\"Ann\"}",
        "\uFEFF\r\n \r\n{\"name\":\"Ann\"}",
        "\n\nname\nAnn\n"
      })
  void standard_input_has_its_format_behind_blanks(String text) throws IOException {
    assertThat(readStandardInput(text, NAME)).containsExactly(row(name("Ann")));
  }

  @Test
  void an_array_is_told_from_lines() {
    for (String text : List.of("[{\"name\":\"Ann\"}]", " [\n{\"name\":\"Ann\"}\n]\n")) {
      assertThatThrownBy(() -> readStandardInput(text, NAME))
          .hasMessageContaining("standard input line 1: ")
          .hasMessageContaining("a JSON array")
          .hasMessageContaining("jq -c '.[]'");
    }
  }

  @Test
  void a_file_may_be_compressed() throws IOException {
    List<RowPutChange> rows = List.of(row(name("Ann"), new Column("x", ColumnValue.fromLong(1))));
    Path csv = Files.write(directory.resolve("a.csv.gz"), gzip("name,x\nAnn,1\n"));
    assertThat(read(csv, NAME)).isEqualTo(rows);
    Path json = Files.write(directory.resolve("A.JSONL.GZ"), gzip("{\"name\":\"Ann\",\"x\":1}"));
    assertThat(read(json, NAME)).isEqualTo(rows);
    Path none = file("none.csv.gz", "name,x\n");
    assertThatThrownBy(() -> read(none, NAME))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("none.csv.gz cannot be read");
    byte[] whole = gzip("name\n" + "Ann\n".repeat(10_000));
    Path cut = Files.write(directory.resolve("cut.csv.gz"), Arrays.copyOf(whole, whole.length - 9));
    assertThatThrownBy(() -> read(cut, NAME))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("cut.csv.gz");
  }

  @Test
  void a_file_may_be_a_pipe() throws Exception {
    List<RowPutChange> rows = List.of(row(name("Ann")), row(name("Bob")));
    Path text = pipe("a.csv", "name\nAnn\nBob\n".getBytes(UTF_8));
    assertThat(readPipe(text)).isEqualTo(rows);
    Path parts = pipe("b.csv.gz", gzip("name\nAnn\n"), gzip("Bob\n"));
    assertThat(readPipe(parts)).isEqualTo(rows);
    Path unnamed = pipe("c.csv", gzip("name\nAnn\n"), gzip("Bob\n"));
    assertThat(readPipe(unnamed)).isEqualTo(rows);
  }

  /** Another process writes the parts, one after the other. */
  private Path pipe(String name, byte[]... parts) throws Exception {
    Path pipe = directory.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    StringBuilder script = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      Path part = Files.write(directory.resolve(name + "." + i), parts[i]);
      script.append(i == 0 ? "" : "sleep 0.3; ").append("cat '").append(part).append("'; ");
    }
    new ProcessBuilder("sh", "-c", "{ " + script + "} > '" + pipe + "'").start();
    return pipe;
  }

  private List<RowChange> readPipe(Path pipe) throws IOException {
    try (FileRows rows = FileRows.open(rowFile(pipe), binding(), failing())) {
      List<RowChange> all = new ArrayList<>();
      for (RowChange row = rows.next(); row != null; row = rows.next()) {
        all.add(row);
      }
      return all;
    }
  }

  @Test
  void the_format_may_be_said() throws IOException {
    Path file = file("a.txt", "{\"name\":\"Ann\"}\n");
    RowFile said = new RowFile(file, Optional.empty(), Optional.of(RowFormat.JSONL));
    try (FileRows rows = FileRows.open(said, binding(), failing())) {
      assertThat(rows.next()).isEqualTo(row(name("Ann")));
    }
    assertThat(new RowFormat.Converter().convert("TSV")).isEqualTo(RowFormat.TSV);
    assertThatThrownBy(() -> new RowFormat.Converter().convert("xml"))
        .hasMessageContaining("csv, tsv or jsonl");
  }

  @Test
  void numbers_of_java_are_bad_lines_with_their_column() throws IOException {
    Path file = file("a.csv", "name,a\nx,5d\ny,1e-400\nz,1\n");
    FileRows.Binding typed = new FileRows.Binding(NAME, List.of(), Map.of("a", ColumnType.DOUBLE));
    assertThat(read(file, typed, skipping())).hasSize(1);
    assertThat(shown)
        .satisfiesExactly(
            line -> assertThat(line).contains("line 2: column 'a': '5d' is no DOUBLE"),
            line -> assertThat(line).contains("line 3: column 'a': ", "too near to 0"));
  }
}
