package io.tunnel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LevelsFileTest {

  @TempDir private Path directory;

  @Test
  void where_a_file_stands_in_the_place_of_its_directory_nothing_is_said() throws IOException {
    Path data = Files.writeString(directory.resolve("data"), "not a directory");
    assertThat(new LevelsFile(data.resolve("log-levels")).look()).isEmpty();
  }

  @Test
  void only_what_changed_is_told_and_a_file_that_is_gone_says_nothing() throws IOException {
    Path path = directory.resolve("levels");
    LevelsFile file = new LevelsFile(path);
    assertThat(file.look()).isEmpty();
    Files.writeString(path, "debug");
    assertThat(file.look()).contains(LogLevels.parse("debug"));
    assertThat(file.look()).isEmpty();
    Files.writeString(path, "error");
    assertThat(file.look()).contains(LogLevels.parse("error"));
    Files.delete(path);
    assertThat(file.look()).contains(LogLevels.parseLines(""));
    assertThat(file.look()).isEmpty();
  }

  @Test
  void what_is_wrong_is_told_once_and_forgotten_when_it_is_mended() throws IOException {
    Path path = directory.resolve("levels");
    LevelsFile file = new LevelsFile(path);
    Files.writeString(path, "root=loud");
    assertThatThrownBy(file::look)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining("'loud' is no level");
    assertThat(file.look()).isEmpty();
    Files.writeString(path, "root=warn");
    assertThat(file.look()).contains(LogLevels.parse("warn"));
  }

  @Test
  void a_file_that_cannot_be_read_or_is_too_long_is_told_once() throws IOException {
    LevelsFile isDirectory = new LevelsFile(directory);
    assertThatThrownBy(isDirectory::look).isInstanceOf(IOException.class);
    assertThat(isDirectory.look()).isEmpty();
    Path path = directory.resolve("levels");
    Files.writeString(path, "#".repeat(LevelsFile.BYTES_MAX - 6) + "\ndebug");
    assertThat(new LevelsFile(path).look()).contains(LogLevels.parse("debug"));
    Files.writeString(path, "#".repeat(LevelsFile.BYTES_MAX - 5) + "\ndebug");
    assertThatThrownBy(() -> new LevelsFile(path).look())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than 65536 bytes");
  }
}
