package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher records classes from. */
class RehearsalMainTest {

  @TempDir Path directory;

  @Test
  void every_part_can_be_played() throws IOException {
    RehearsalMain.rehearse(directory.resolve("data"), 0);
  }

  @Test
  void a_directory_that_cannot_be_used_is_said() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> RehearsalMain.rehearse(file, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("file");
  }
}
