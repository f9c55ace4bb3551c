package io.tunnel.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which names and files are forced, and in which order. */
final class DurableFilesTest {

  @TempDir private Path directory;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void the_name_of_each_directory_that_is_made_is_forced_and_of_one_that_is_there()
      throws IOException {
    Path made = directory.resolve("a/b/c");
    try (ForcedFiles recorded = new ForcedFiles()) {
      assertThat(DurableFiles.create(made)).isEqualTo(made);
      assertThat(made).isDirectory();
      // From the top down. What is above was there before, and nobody asked for it.
      assertThat(recorded.paths())
          .containsExactly(directory, directory.resolve("a"), directory.resolve("a/b"));
    }
    try (ForcedFiles recorded = new ForcedFiles()) {
      var unused = DurableFiles.create(made);
      assertThat(recorded.paths())
          .as("who made it may have died before its sync")
          .containsExactly(made.getParent());
    }
  }

  @Test
  void a_file_is_forced_before_it_has_its_name_and_its_name_after() throws IOException {
    Path file = directory.resolve("file");
    DurableFiles.replace(file, bytes("before"));
    try (ForcedFiles recorded = new ForcedFiles()) {
      DurableFiles.replace(file, bytes("after"));
      assertThat(recorded.paths()).isEqualTo(List.of(directory.resolve("file.next"), directory));
    }
    assertThat(file).hasContent("after");
    assertThat(directory.resolve("file.next")).doesNotExist();
  }

  @Test
  void a_file_that_cannot_have_its_name_takes_no_room() throws IOException {
    Path taken = directory.resolve("taken");
    Files.createDirectories(taken.resolve("by a directory"));
    assertThatThrownBy(() -> DurableFiles.replace(taken, bytes("text")))
        .isInstanceOf(IOException.class);
    assertThat(directory.resolve("taken.next")).doesNotExist();
  }
}
