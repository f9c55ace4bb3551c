package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Level;
import io.tunnel.server.check.StoredDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DataDirectoryTest {

  @TempDir private Path parent;

  private Path path() {
    return parent.resolve("a/data");
  }

  private void requireRefused(String message) {
    assertThatThrownBy(() -> DataDirectory.open(path(), 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message);
  }

  private void writeFormat(String text) throws IOException {
    Files.createDirectories(path());
    Files.writeString(path().resolve("FORMAT"), text);
  }

  @Test
  void a_new_directory_is_created_and_keeps_its_shards() throws IOException {
    try (DataDirectory directory = DataDirectory.open(path(), 3)) {
      assertThat(directory.shards()).isEqualTo(3);
      assertThat(directory.path()).isEqualTo(path());
    }
    assertThat(path().resolve("FORMAT"))
        .hasContent("{\"format\":2,\"shards\":3,\"level\":" + Level.NEWEST + "}");
    try (DataDirectory directory = DataDirectory.open(path(), 5)) {
      assertThat(directory.shards()).as("fixed at first use").isEqualTo(3);
    }
  }

  @Test
  void a_directory_keeps_its_level_and_a_build_below_it_is_told_what_to_do() throws IOException {
    int above = Level.NEWEST + 1;
    try (DataDirectory directory = DataDirectory.open(path(), 3)) {
      assertThat(directory.level()).isEqualTo(Level.NEWEST);
      directory.raise(above);
      assertThat(directory.level()).isEqualTo(above);
      assertThat(path().resolve("FORMAT"))
          .hasContent("{\"format\":2,\"shards\":3,\"level\":" + above + "}");
      directory.raise(1);
      assertThat(directory.level()).isEqualTo(above);
    }
    String told = "has level " + above + ", and this build serves level " + Level.NEWEST;
    requireRefused(told + " at most. Start the build that");
    requireRefused("export the rows with that build, and import them into a new directory");
    assertThatThrownBy(() -> StoredDirectory.toRead(path()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(told + " at most");
    writeFormat("{\"format\":1,\"shards\":3,\"level\":0}");
    requireRefused("does not contain the format");
  }

  @Test
  void a_directory_in_use_is_refused_until_it_is_free() throws IOException {
    try (DataDirectory directory = DataDirectory.open(path(), 1)) {
      requireRefused("is in use by another server; stop that server");
      assertThat(directory.shards()).isEqualTo(1);
    }
    DataDirectory.open(path(), 1).close();
  }

  @Test
  void shards_without_their_catalog_are_refused_and_nothing_is_made() throws IOException {
    DataDirectory.open(path(), 1).close();
    Files.createDirectories(path().resolve("shard-0/log"));
    requireRefused("holds changes and rows but no catalog");
    requireRefused("restore the directory 'catalog' from a backup");
    Files.createDirectories(path().resolve("catalog"));
    requireRefused("holds changes and rows but no catalog");
    Files.createFile(path().resolve("catalog/CURRENT"));
    DataDirectory.open(path(), 1).close();
  }

  @Test
  void a_newer_format_is_refused_and_the_directory_is_free_again() throws IOException {
    writeFormat("{\"format\":3,\"layout\":\"unknown\"}");
    requireRefused("has format 3, and this build reads format 2");
    requireRefused("use the build that wrote it");
  }

  @Test
  void a_directory_from_before_the_first_release_is_refused_by_name() throws IOException {
    writeFormat("{\"format\":1,\"shards\":1}");
    requireRefused("was written by a build before 0.1.0");
    requireRefused("export the rows with the build that wrote them, and import them here");
    assertThat(path().resolve("FORMAT")).hasContent("{\"format\":1,\"shards\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "garbage",
        "{\"format\":0,\"shards\":1}",
        "{\"format\":2}",
        "{\"format\":2,\"shards\":-1}",
        "{\"format\":\"x\",\"shards\":1}"
      })
  void a_format_that_says_nothing_is_refused(String text) throws IOException {
    writeFormat(text);
    requireRefused("does not contain the format of the data directory");
    assertThat(path().resolve("FORMAT")).hasContent(text);
  }

  @Test
  void a_format_that_is_no_text_is_refused() throws IOException {
    Files.createDirectories(path());
    Files.write(path().resolve("FORMAT"), new byte[] {(byte) 0xff, (byte) 0xfe});
    requireRefused("does not contain the format of the data directory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"catalog", "shard-0"})
  void data_without_a_format_is_not_taken_for_a_new_directory(String name) throws IOException {
    Files.createDirectories(path().resolve(name));
    requireRefused("holds data but no FORMAT file");
    assertThat(path().resolve("FORMAT")).doesNotExist();
  }

  @Test
  void a_file_in_its_place_is_refused() throws IOException {
    Files.createDirectories(path().getParent());
    Files.writeString(path(), "a file");
    requireRefused("cannot write to the data directory");
  }

  /** Root may write where permissions say no, so what fails here is the file of the lock. */
  @Test
  void a_directory_that_cannot_be_locked_is_refused() throws IOException {
    Files.createDirectories(path().resolve("LOCK"));
    requireRefused("give another with --data");
  }
}
