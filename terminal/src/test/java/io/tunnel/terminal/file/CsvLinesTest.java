package io.tunnel.terminal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class CsvLinesTest {

  private final List<CsvLine> read = new ArrayList<>();

  private void read(byte[] text, char separator, int bytesAtOnce) {
    read(text, Optional.of(separator), bytesAtOnce);
  }

  private void read(byte[] text, Optional<Character> separator, int bytesAtOnce) {
    InputStream in =
        new ByteArrayInputStream(text) {
          @Override
          public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, bytesAtOnce));
          }
        };
    read.clear();
    try (CsvLines lines = new CsvLines(in, separator, 100_000)) {
      for (CsvLine line = lines.next(); line != null; line = lines.next()) {
        read.add(line);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void read(String text) {
    read(text.getBytes(StandardCharsets.UTF_8), Optional.empty(), Integer.MAX_VALUE);
  }

  private static CsvLine line(long line, String... fields) {
    return new CsvLine(line, List.of(fields), Set.of());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 1_000})
  void records_know_their_lines_however_the_text_arrives(int bytesAtOnce) {
    String text = "\uFEFF\"a\",b\r\n1,\"x\r\n\"\"y\"\"\"\r\n\r\n2,ä€😀\n3,a\"b\n";
    read(text.getBytes(StandardCharsets.UTF_8), ',', bytesAtOnce);
    assertThat(read)
        .containsExactly(
            line(1, "a", "b"),
            line(2, "1", "x\r\n\"y\""),
            line(5, "2", "ä€😀"),
            line(6, "3", "a\"b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void a_quote_that_is_never_closed_is_an_error_in_the_line_where_it_opened(String lineEnd) {
    String text = "a,b\n1,\"x\ny\"\n\"p\nq\",\"z\n4,w\n5,v\n".replace("\n", lineEnd);
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(UnreadableTextException.class)
        .hasMessage("line 5: the quote that opens here is never closed");
    assertThat(read).containsExactly(line(1, "a", "b"), line(2, "1", "x" + lineEnd + "y"));
  }

  @Test
  void a_quote_that_swallows_more_than_a_field_may_have_is_an_error() {
    assertThatThrownBy(() -> read("a\n\"b" + "x\n".repeat(60_000)))
        .hasMessageStartingWith("line 2: the quote that opens here is never closed");
    String closed = "a\n\"b" + "x\n".repeat(200_000) + "\"\n";
    assertThatThrownBy(() -> read(closed)).hasMessageContaining("line 2: ");
  }

  @Test
  void a_quote_that_ends_in_the_next_quoted_field_is_an_error_in_the_line_of_its_record() {
    assertThatThrownBy(() -> read("a,b\n1,\"x\n2,\"y\"\n3,z\n"))
        .hasMessageStartingWith("line 2: the record that begins here has a quoted field");
    assertThat(read).containsExactly(line(1, "a", "b"));
  }

  @Test
  void bytes_that_are_no_text_are_an_error_in_their_line_behind_the_lines_before() {
    byte[] text = "a\nb\r\nc\n\u00ff\n".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> read(text, ',', 100))
        .hasMessageStartingWith("line 4: not text in UTF");
    byte[] cut = {'a', '\n', (byte) 0xc3};
    assertThatThrownBy(() -> read(cut, ',', 100)).hasMessageStartingWith("line 2: not text");
  }

  @Test
  void any_character_may_separate_and_another_one_is_noticed() throws IOException {
    read("a;b\n1,5;\"x;y\"\n".getBytes(StandardCharsets.UTF_8), ';', 100);
    assertThat(read).containsExactly(line(1, "a", "b"), line(2, "1,5", "x;y"));
    assertThat(hint(Optional.empty(), "a;b"))
        .isEqualTo("';' seems to separate the columns, not ',': add --separator ';'");
    assertThat(hint(Optional.empty(), "a\tb")).contains("--separator 'tab'");
    assertThat(hint(Optional.of(';'), "a,b")).as("was chosen").isEmpty();
    assertThat(hint(Optional.empty(), "a;b", "c")).isEmpty();
    assertThat(hint(Optional.empty(), "a b")).isEmpty();
  }

  private static String hint(Optional<Character> separator, String... header) throws IOException {
    try (CsvLines lines = new CsvLines(InputStream.nullInputStream(), separator, 10)) {
      return lines.separatorHint(List.of(header));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sep=;\r\n", "\uFEFFsep=;\n", "SEP=;\r"})
  void the_first_line_of_excel_says_what_separates_and_is_no_record(String first) {
    for (int bytesAtOnce : new int[] {1, 3, 1_000}) {
      byte[] text = (first + "a;b\n1,5;\"x;y\"\n").getBytes(StandardCharsets.UTF_8);
      read(text, Optional.empty(), bytesAtOnce);
      assertThat(read).containsExactly(line(2, "a", "b"), line(3, "1,5", "x;y"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sep=;x", "sep=", "sep", "se"})
  void a_header_that_only_looks_like_it_is_a_header(String header) {
    read(header + "\n1\n");
    assertThat(read).containsExactly(line(1, header), line(2, "1"));
  }

  @Test
  void an_empty_field_knows_whether_it_has_quotes() {
    read("a,\"\",,\"b\"\n\"\"\n");
    assertThat(read)
        .containsExactly(
            new CsvLine(1, List.of("a", "", "", "b"), Set.of(1)),
            new CsvLine(2, List.of(""), Set.of(0)));
  }

  @Test
  void separators_are_typed_as_a_character_or_a_word() {
    Separator separator = new Separator();
    assertThat(separator.convert("tab")).isEqualTo('\t');
    assertThat(separator.convert("\\t")).isEqualTo('\t');
    assertThat(separator.convert(";")).isEqualTo(';');
    for (String bad : new String[] {"", "ab", "\"", "\n"}) {
      assertThatThrownBy(() -> separator.convert(bad)).isInstanceOf(TypeConversionException.class);
    }
  }
}
