package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.rows.BadLineException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of people: their columns, types and separators, and what is wrong with lines. */
class FileRowsTest extends ReadFileTest {

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n"})
  void a_csv_file_gives_a_put_per_record_with_inferred_types(String lineEnd) throws IOException {
    Path file =
        file(
            "a.csv",
            """
            \uFEFFname,age,score,member,note
            Ann,31,1.5,true,"says ""hi"",
            loudly"

            Bob,,,,
            """
                .replace("\n", lineEnd));
    assertThat(read(file, NAME))
        .containsExactly(
            row(
                name("Ann"),
                new Column("age", ColumnValue.fromLong(31)),
                new Column("score", ColumnValue.fromDouble(1.5)),
                new Column("member", ColumnValue.fromBoolean(true)),
                new Column("note", ColumnValue.fromString("says \"hi\"," + lineEnd + "loudly"))),
            row(name("Bob")));
  }

  @Test
  void a_json_lines_file_keeps_the_types_of_json() throws IOException {
    Path file =
        file(
            "a.jsonl",
            "{\"name\":\"Ann\",\"zip\":\"007\",\"age\":31,\"score\":1.5,\"ok\":true}\n\n"
                + "{\"name\":\"Bob\",\"nothing\":null,\"tags\":[1,{\"a\":\"b\"}],\"digits\":\"12\"}");
    assertThat(read(file, NAME))
        .containsExactly(
            row(
                name("Ann"),
                new Column("zip", ColumnValue.fromString("007")),
                new Column("age", ColumnValue.fromLong(31)),
                new Column("score", ColumnValue.fromDouble(1.5)),
                new Column("ok", ColumnValue.fromBoolean(true))),
            row(
                name("Bob"),
                new Column("tags", ColumnValue.fromString("[1,{\"a\":\"b\"}]")),
                new Column("digits", ColumnValue.fromString("12"))));
  }

  @Test
  void key_columns_may_be_named_and_are_typed_by_the_table() throws IOException {
    Path file = file("a.csv", "user,number,x\nAnn,7,1\n");
    FileRows.Binding binding =
        new FileRows.Binding(
            ID_AND_NAME, List.of("number", "user"), Map.of("x", ColumnType.STRING));
    assertThat(read(file, binding, failing()))
        .containsExactly(
            row(
                PrimaryKey.builder().add("id", 7).add("name", "Ann").build(),
                new Column("x", ColumnValue.fromString("1"))));
  }

  @Test
  void a_leading_hash_that_the_file_does_not_have_is_computed() throws IOException {
    Path file = file("a.csv", "name\nAnn\n");
    PrimaryKeyValue hash =
        PrimaryKeyValue.fromBinary(HashedKey.hash(List.of(PrimaryKeyValue.fromString("Ann"))));
    PrimaryKey key = PrimaryKey.builder().add("hash", hash).add("name", "Ann").build();
    assertThat(read(file, HASHED)).containsExactly(row(key));
    FileRows.Binding named = new FileRows.Binding(HASHED, List.of("name"), Map.of());
    assertThat(read(file, named, failing())).containsExactly(row(key));
  }

  @Test
  void a_hash_that_the_file_has_is_taken_from_it() throws IOException {
    Path file = file("a.csv", "h,n\n0102,Ann\n");
    FileRows.Binding binding = new FileRows.Binding(HASHED, List.of("h", "n"), Map.of());
    assertThat(read(file, binding, failing()))
        .containsExactly(
            row(PrimaryKey.builder().add("hash", new byte[] {1, 2}).add("name", "Ann").build()));
  }

  @Test
  void the_first_bad_line_ends_the_run_and_says_where_and_what_would_be_right() throws IOException {
    record Case(String name, String text, String message) {}
    List<Case> cases =
        List.of(
            new Case("a.csv", "id,name\n1,Ann\n2\n", "line 3: 1 field; the header names 2"),
            new Case("b.csv", "id,name\n1,Ann,x\n", "line 2: 3 fields"),
            new Case("c.csv", "id,name\nx,Ann\n", "line 2: column 'id': 'x' is no INTEGER"),
            new Case("d.csv", "id,name\n1,\n", "line 2: key column 'name' is missing or empty"),
            new Case("e.jsonl", "{\"id\":1,\"name\":\"a\"}\n\n[]\n", "line 3: not a JSON object"),
            new Case("f.jsonl", "{\"id\":1,\n", "line 1: not JSON at column 9;"),
            new Case("g.jsonl", "{\"id\":1,\"name\":\"a\"} {}\n", "line 1: not JSON at column 22"),
            new Case(
                "h.jsonl",
                "{\"name\":\"a\"}\n{\"id\":1,\"name\":\"b\"}\n",
                "line 1: key column 'id' is missing"),
            new Case("i.jsonl", "null\n", "line 1: not a JSON object"));
    for (Case bad : cases) {
      Path file = file(bad.name(), bad.text());
      assertThatThrownBy(() -> read(file, ID_AND_NAME))
          .as(bad.text())
          .isInstanceOf(BadLineException.class)
          .hasMessageContaining(bad.name())
          .hasMessageContaining(bad.message())
          .hasMessageContaining("--bad-lines skip");
    }
  }

  @Test
  void bad_lines_are_skipped_when_told_so_counted_and_the_first_ten_shown() throws IOException {
    StringBuilder text = new StringBuilder("id,name\n");
    for (int i = 0; i < 50; i++) {
      text.append(i % 2 == 0 ? i + ",n" : "bad,n").append('\n');
    }
    Path file = file("a.csv", text.toString());
    BadLines badLines = new BadLines(BadLines.Policy.SKIP, shown::add);
    FileRows.Binding binding = new FileRows.Binding(ID_AND_NAME, List.of(), Map.of());
    assertThat(read(file, binding, badLines)).hasSize(25);
    assertThat(badLines.count()).isEqualTo(25);
    assertThat(shown).hasSize(10);
    assertThat(shown.get(0)).startsWith("skipped: ").contains("a.csv line 3: column 'id'");
  }

  @Test
  void lines_over_the_limit_and_bytes_that_are_no_text_are_bad_lines() throws IOException {
    byte[] text = "{\"name\":\"a\"}\n{\"name\":\"\u00ff\"}\n".getBytes(StandardCharsets.ISO_8859_1);
    Path file = Files.write(directory.resolve("a.jsonl"), text);
    BadLines badLines = new BadLines(BadLines.Policy.SKIP, shown::add);
    FileRows.Binding binding = new FileRows.Binding(NAME, List.of(), Map.of());
    assertThat(read(file, binding, badLines)).hasSize(1);
    assertThat(shown).singleElement().asString().contains("line 2: not UTF-8");

    Path csv =
        Files.write(
            directory.resolve("a.csv"), "name\n\u00ff\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> read(csv, NAME))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("a.csv line 2: not text in UTF-8");
  }

  @Test
  void files_and_headers_that_cannot_be_used_are_refused() throws IOException {
    Path text = file("a.txt", "name\n");
    assertThatThrownBy(() -> read(text, NAME))
        .hasMessageContaining("end with .csv, .tsv or .jsonl");
    Path missing = directory.resolve("missing.csv");
    assertThatThrownBy(() -> read(missing, NAME))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("missing.csv");
    Path empty = file("empty.csv", "");
    assertThatThrownBy(() -> read(empty, NAME)).hasMessageContaining("no header");
    Path twice = file("twice.csv", "name,name\n");
    assertThatThrownBy(() -> read(twice, NAME)).hasMessageContaining("column 'name' twice");
    Path unnamed = file("unnamed.csv", "name,\n");
    assertThatThrownBy(() -> read(unnamed, NAME)).hasMessageContaining("without a name");
    Path good = file("good.csv", "name\nAnn\n");
    assertThatThrownBy(
            () -> read(good, new FileRows.Binding(NAME, List.of("a", "b"), Map.of()), failing()))
        .hasMessageContaining("--key names 1 columns of the file, not [a, b]");
    assertThatThrownBy(
            () ->
                read(
                    good,
                    new FileRows.Binding(ID_AND_NAME, List.of("a", "a"), Map.of()),
                    failing()))
        .hasMessageContaining("'a' is named twice");
  }

  @Test
  void the_columns_of_a_file_are_those_of_its_header_or_first_object() throws IOException {
    assertThat(FileRows.columnsOf(rowFile(file("a.csv", "x,y\n1,2\n")))).containsExactly("x", "y");
    assertThat(FileRows.columnsOf(rowFile(file("a.jsonl", "{\"b\":1,\"a\":2}\n"))))
        .containsExactly("b", "a");
    assertThat(FileRows.columnsOf(rowFile(file("b.jsonl", "")))).isEmpty();
  }

  @Test
  void a_quote_that_is_never_closed_ends_the_run_whatever_is_done_about_bad_lines()
      throws IOException {
    Path file = file("open.csv", "name,x\nAnn,1\nBob,\"2\nCy,3\n");
    for (BadLines.Policy policy : BadLines.Policy.values()) {
      BadLines badLines = new BadLines(policy, shown::add);
      assertThatThrownBy(
              () -> read(file, new FileRows.Binding(NAME, List.of(), Map.of()), badLines))
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining("open.csv line 3: the quote that opens here is never closed");
    }
  }

  @Test
  void columns_that_the_file_does_not_have_are_refused_before_any_row() throws IOException {
    Path csv = file("a.csv", "name,x\nAnn,1\n");
    Path json = file("a.jsonl", "{\"name\":\"Ann\"}\n{\"name\":\"Bob\",\"x\":1}\n");
    BadLines skipping = new BadLines(BadLines.Policy.SKIP, shown::add);
    for (Path file : List.of(csv, json)) {
      FileRows.Binding badKey = new FileRows.Binding(NAME, List.of("nope"), Map.of());
      assertThatThrownBy(() -> FileRows.open(rowFile(file), badKey, skipping))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(file.getFileName().toString())
          .hasMessageContaining("no column 'nope', which is of the key, among [name, x]");
      assertThatThrownBy(
              () ->
                  FileRows.open(
                      rowFile(file),
                      new FileRows.Binding(ID_AND_NAME, List.of(), Map.of()),
                      skipping))
          .hasMessageContaining("no column 'id'")
          .hasMessageContaining("(id INTEGER, name STRING)");
    }
    Map<String, ColumnType> types = Map.of("nope", ColumnType.STRING);
    FileRows.Binding typed = new FileRows.Binding(NAME, List.of(), types);
    assertThatThrownBy(() -> FileRows.open(rowFile(csv), typed, skipping))
        .hasMessageContaining("--types: there is no column 'nope' among [name, x]");
    // Of JSON Lines only the end shows that no line has it.
    assertThatThrownBy(() -> read(json, typed, skipping)).hasMessageContaining("no column [nope]");
  }

  @Test
  void another_separator_is_noticed_and_can_be_named() throws IOException {
    Path file = file("a.csv", "name;x\nAnn;1\n");
    assertThatThrownBy(() -> read(file, NAME))
        .isInstanceOf(BadLineException.class)
        .hasMessageContaining("a.csv line 1: ';' seems to separate the columns")
        .hasMessageContaining("add --separator ';'");
    FileRows.Binding binding = new FileRows.Binding(NAME, List.of(), Map.of());
    RowFile named = new RowFile(file, Optional.of(';'));
    RowFile tabs = rowFile(file("a.tsv", "name\tx\nAnn\t1\n"));
    for (RowFile good : List.of(named, tabs)) {
      try (FileRows rows = FileRows.open(good, binding, failing())) {
        assertThat(rows.next())
            .isEqualTo(row(name("Ann"), new Column("x", ColumnValue.fromLong(1))));
      }
    }
  }

  @Test
  void a_file_of_which_nothing_could_be_written_is_an_error() throws IOException {
    for (String nothing : List.of("name,x\n", "name\n", "name,x\n\n\n")) {
      Path file = file("a.csv", nothing);
      assertThatThrownBy(() -> read(file, NAME)).hasMessageEndingWith("a.csv has no row");
    }
    Path empty = file("a.jsonl", "\n");
    assertThatThrownBy(() -> read(empty, NAME)).hasMessageEndingWith("a.jsonl has no row");
    Path bad = file("b.csv", "name,x\nAnn\nBob\n");
    BadLines skipping = new BadLines(BadLines.Policy.SKIP, shown::add);
    FileRows.Binding binding = new FileRows.Binding(NAME, List.of(), Map.of());
    assertThatThrownBy(() -> read(bad, binding, skipping))
        .isInstanceOf(BadLineException.class)
        .hasMessageEndingWith("all of its 2 lines were skipped");
    Path refused = file("c.csv", "name\nAnn\n");
    try (FileRows rows = FileRows.open(rowFile(refused), binding, skipping)) {
      assertThat(rows.next()).isNotNull();
      rows.refused(new IllegalArgumentException("too large"));
      assertThatThrownBy(rows::next).hasMessageContaining("all of its 1 lines were skipped");
    }
  }

  @Test
  void a_hash_that_the_file_has_under_its_own_name_is_taken_from_it() throws IOException {
    PrimaryKey key = PrimaryKey.builder().add("hash", new byte[] {1, 2}).add("name", "Ann").build();
    assertThat(read(file("a.csv", "hash,name\n0102,Ann\n"), HASHED)).containsExactly(row(key));
    String json = "{\"name\":\"Ann\",\"hash\":\"0102\"}\n";
    assertThat(read(file("a.jsonl", json), HASHED)).containsExactly(row(key));
  }

  @Test
  void a_byte_order_mark_is_no_part_of_the_first_column() throws IOException {
    PrimaryKey key = name("Ann");
    assertThat(read(file("a.csv", "\uFEFF\"name\"\nAnn\n"), NAME)).containsExactly(row(key));
    assertThat(read(file("a.jsonl", "\uFEFF{\"name\":\"Ann\"}\n"), NAME)).containsExactly(row(key));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":\"Ann\"}\n",
        "\uFEFF{\"name\":\"Ann\"}\n",
        "name\nAnn\n",
        "\uFEFFname\nAnn\n",
        "\uFEFF\"name\"\nAnn\n",
      })
  void standard_input_has_its_format_behind_a_byte_order_mark(String text) throws IOException {
    assertThat(readStandardInput(text, NAME)).containsExactly(row(name("Ann")));
  }

  @Test
  void what_only_begins_like_a_byte_order_mark_belongs_to_the_rows() throws IOException {
    List<PrimaryKeySchema> schema = List.of(new PrimaryKeySchema("\uFEC0x", PrimaryKeyType.STRING));
    PrimaryKey key = PrimaryKey.builder().add("\uFEC0x", "Ann").build();
    assertThat(readStandardInput("\uFEC0x\nAnn\n", schema)).containsExactly(row(key));
  }
}
