package io.tunnel.partition.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampleTest {

  @TempDir private Path directory;

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("keys"), text);
  }

  private static List<String> texts(SampleKeys keys) {
    return keys.keys().stream().map(KeyText::format).toList();
  }

  private static void assertBadFile(ThrowingCallable reading, String message) {
    assertFailed(reading, ExitCode.IO, message);
  }

  private static void assertBadOption(ThrowingCallable reading, String message) {
    assertFailed(reading, ExitCode.USAGE, message);
  }

  private static void assertFailed(ThrowingCallable reading, int exitCode, String message) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(
            CommandFailure.class, failure -> assertThat(failure.exitCode()).isEqualTo(exitCode))
        .hasMessageContaining(message);
  }

  @Test
  void a_line_is_a_key_and_an_empty_line_is_none() throws IOException {
    Path file = file("b\r\n\na, \"x\"\n行");
    assertThat(texts(SampleFile.readLines(file, PrimaryKeyType.STRING)))
        .containsExactly("b", "a, \"x\"", "行");
  }

  @Test
  void a_file_may_be_a_pipe() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    new ProcessBuilder("sh", "-c", "printf 'id,n\nb,1\na,2\n' > '" + pipe + "'").start();
    assertThat(texts(SampleFile.readCsv(pipe, PrimaryKeyType.STRING, "id", Optional.empty())))
        .containsExactlyInAnyOrder("a", "b");
    new ProcessBuilder("sh", "-c", "printf 'b\na\n' | gzip > '" + pipe + "'").start();
    assertThat(texts(SampleFile.readLines(pipe, PrimaryKeyType.STRING)))
        .containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void a_bad_line_is_reported_with_its_number() throws IOException {
    Path file = file("1\n\nx\n");
    assertBadFile(
        () -> SampleFile.readLines(file, PrimaryKeyType.INTEGER),
        "keys' line 3: 'x' is not an INT");
  }

  @Test
  void a_column_of_csv_is_found_by_name_or_by_number() throws IOException {
    Path file = file("id,name\n1,\"a,b\"\n2,\"c\nd\"\n");
    assertThat(texts(SampleFile.readCsv(file, PrimaryKeyType.STRING, "name", Optional.empty())))
        .containsExactly("a,b", "c\nd");
    assertThat(texts(SampleFile.readCsv(file, PrimaryKeyType.STRING, "2", Optional.empty())))
        .containsExactly("name", "a,b", "c\nd");
  }

  @Test
  void a_column_that_is_not_there_is_named_with_those_that_are() throws IOException {
    Path file = file("id,name\n1,a\n2\n");
    assertBadOption(
        () -> SampleFile.readCsv(file, PrimaryKeyType.STRING, "nam", Optional.empty()),
        "line 1: there is no column 'nam' among [id, name]; or give its number from 1");
    assertBadOption(
        () -> SampleFile.readCsv(file, PrimaryKeyType.STRING, "0", Optional.empty()),
        "there is no column '0'");
    assertBadFile(
        () -> SampleFile.readCsv(file, PrimaryKeyType.STRING, "3", Optional.empty()),
        "line 1: there are only 2 columns, no 3");
    assertBadFile(
        () -> SampleFile.readCsv(file, PrimaryKeyType.STRING, "name", Optional.empty()),
        "line 3: there are only 1 columns, no 2");
  }

  @Test
  void a_quote_that_is_not_closed_and_another_separator_are_errors() throws IOException {
    Path open = file("id,name\n1,\"a\n2,b\n3,c\n");
    assertBadFile(
        () -> SampleFile.readCsv(open, PrimaryKeyType.STRING, "name", Optional.empty()),
        "keys' line 2: the quote that opens here is never closed");
    Path other = file("id;name\n1;a\n");
    assertBadOption(
        () -> SampleFile.readCsv(other, PrimaryKeyType.STRING, "name", Optional.empty()),
        "add --separator ';'");
    assertThat(texts(SampleFile.readCsv(other, PrimaryKeyType.STRING, "name", Optional.of(';'))))
        .containsExactly("a");
  }

  @Test
  void what_is_no_text_is_refused() throws IOException {
    Path file =
        Files.write(
            directory.resolve("bytes"), "a\n\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertBadFile(
        () -> SampleFile.readLines(file, PrimaryKeyType.STRING),
        "bytes' line 2: not text in UTF-8");
    assertBadFile(
        () -> SampleFile.readCsv(file, PrimaryKeyType.STRING, "1", Optional.empty()),
        "bytes' line 2: not text in UTF-8");
    assertBadFile(
        () -> SampleFile.readLines(directory, PrimaryKeyType.STRING), "is a directory, not a file");
    assertThatThrownBy(() -> SampleFile.readLines(directory.resolve("none"), PrimaryKeyType.STRING))
        .isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 7, 1_000})
  void of_more_keys_than_fit_every_so_manieth_is_kept(int keysMax) {
    SampleKeys keys = new SampleKeys(keysMax);
    for (int i = 0; i < 5_000; i++) {
      keys.add(PrimaryKeyValue.fromLong(i));
      assertThat(keys.keys()).hasSizeLessThanOrEqualTo(keysMax);
    }
    assertThat(keys.seen()).isEqualTo(5_000);
    assertThat(Long.bitCount(keys.stride())).isEqualTo(1);
    assertThat(keys.keys()).hasSize((int) ((5_000 + keys.stride() - 1) / keys.stride()));
    for (int i = 0; i < keys.keys().size(); i++) {
      assertThat(keys.keys().get(i).asLong()).isEqualTo(i * keys.stride());
    }
  }

  @Test
  void while_they_fit_all_keys_are_kept() {
    SampleKeys keys = new SampleKeys(3);
    for (int i = 0; i < 3; i++) {
      keys.add(PrimaryKeyValue.fromLong(i));
    }
    assertThat(keys.stride()).isEqualTo(1);
    assertThat(texts(keys)).containsExactly("0", "1", "2");
  }
}
