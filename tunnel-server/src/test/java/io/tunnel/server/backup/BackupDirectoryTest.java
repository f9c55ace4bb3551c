package io.tunnel.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.store.StoredForm;
import io.tunnel.server.disk.ForcedFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a directory of backups, without a data directory. */
final class BackupDirectoryTest {

  private static final BackupDirectory.Copied UNCOUNTED = count -> {};

  @TempDir private Path directory;
  private Path kept;

  @BeforeEach
  void name() {
    kept = directory.resolve("backups");
  }

  private static StoredFile store(BackupDirectory in, String path, byte[] bytes)
      throws IOException {
    return in.store(
        new ByteArrayInputStream(bytes),
        new StoredFile(path, bytes.length, 0, 7),
        bytes.length,
        UNCOUNTED);
  }

  private static BackupSet set(long number, StoredFile... files) {
    return new BackupSet(
        StoredForm.NUMBER, number, 1_000, 1, 1, new BackupSet.Counts(2, 3), List.of(files));
  }

  @Test
  void the_first_bytes_of_a_file_are_kept_with_their_checksum() throws IOException {
    byte[] bytes = "0123456789".getBytes(StandardCharsets.UTF_8);
    List<Long> counts = new ArrayList<>();
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      StoredFile file =
          backups.store(
              new ByteArrayInputStream(bytes),
              new StoredFile("shard-0/log/x.log", 0, 0, 7),
              4,
              counts::add);
      CRC32C crc = new CRC32C();
      crc.update(bytes, 0, 4);
      assertThat(file).isEqualTo(new StoredFile("shard-0/log/x.log", 4, (int) crc.getValue(), 7));
      assertThat(Files.readString(backups.place(file))).isEqualTo("0123");
      assertThat(counts).containsExactly(4L);
      assertThat(backups.has(file)).isTrue();
      Files.writeString(backups.place(file), "012");
      assertThat(backups.has(file)).as("a file that was cut").isFalse();
      Files.delete(backups.place(file));
      assertThat(backups.has(file)).isFalse();
      assertThatThrownBy(
              () ->
                  backups.store(
                      new ByteArrayInputStream(bytes), new StoredFile("x", 0, 0, 7), 13, UNCOUNTED))
          .hasMessage("the file became shorter by 3 bytes while it was read");
      assertThatThrownBy(
              () ->
                  backups.store(
                      directory.resolve("gone"), new StoredFile("x", 0, 0, 7), 1, UNCOUNTED))
          .isInstanceOf(NoSuchFileException.class);
    }
  }

  @Test
  void a_long_file_goes_to_the_disk_in_pieces() throws IOException {
    int piece = 8 << 20;
    try (BackupDirectory backups = BackupDirectory.create(kept);
        ForcedFiles recorded = new ForcedFiles()) {
      store(backups, "long", new byte[2 * piece + 5]);
      Path incoming = kept.resolve("files").resolve("incoming");
      assertThat(recorded.paths()).as("twice on the way, and at the end").hasSize(3);
      assertThat(incoming).doesNotExist();
    }
  }

  @Test
  void sets_are_listed_in_their_order_and_a_number_names_one() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      assertThatThrownBy(() -> backups.set(Optional.empty())).hasMessageEndingWith("no backup yet");
      StoredFile file = store(backups, "a", new byte[3]);
      for (long number : new long[] {2, 10, 1}) {
        backups.commit(set(number, file, file));
      }
      Files.writeString(kept.resolve("sets/00000011.json.next"), "an interrupted backup");
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(1L, 2L, 10L);
      assertThat(backups.set(Optional.empty()).number()).isEqualTo(10);
      BackupSet second = backups.set(Optional.of(2L));
      assertThat(second).isEqualTo(set(2, file, file));
      assertThat(second.bytes()).isEqualTo(6);
      assertThat(second.fileCount()).isEqualTo(2);
      assertThatThrownBy(() -> backups.set(Optional.of(3L)))
          .hasMessageEndingWith("has no backup 3; there are 1 to 10");
    }
  }

  @Test
  void the_newest_sets_are_left_with_their_files_and_nothing_else() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      StoredFile shared = store(backups, "shared", new byte[] {1});
      StoredFile old = store(backups, "old", new byte[] {2});
      StoredFile fresh = store(backups, "fresh", new byte[] {3});
      backups.commit(set(1, shared, old));
      backups.commit(set(2, shared, old));
      backups.commit(set(3, shared, fresh));
      assertThat(backups.keep(3)).isZero();
      assertThat(backups.keep(2)).isEqualTo(1);
      assertThat(backups.has(old)).isTrue();
      assertThat(backups.keep(1)).isEqualTo(1);
      assertThat(List.of(backups.has(shared), backups.has(old), backups.has(fresh)))
          .containsExactly(true, false, true);
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(3L);
    }
  }

  /** Otherwise a loss of power would leave a set whose files are gone. */
  @Test
  void old_sets_are_gone_for_good_before_the_first_file_is_deleted() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      backups.commit(set(1));
      backups.commit(set(2));
      // A directory that is not empty cannot be deleted, so nothing happens after the attempt.
      Files.createDirectories(kept.resolve("files/odd/full"));
      try (ForcedFiles recorded = new ForcedFiles()) {
        assertThatThrownBy(() -> backups.keep(1)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(recorded.paths()).containsExactly(kept.resolve("sets"));
      }
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(2L);
    }
  }

  @Test
  void what_an_interrupted_creation_left_is_completed_and_no_other_directory_is_taken()
      throws IOException {
    Files.createDirectories(kept.resolve("files"));
    Files.createDirectories(kept.resolve("sets"));
    Files.writeString(kept.resolve("BACKUP.next"), "{");
    BackupDirectory.create(kept).close();
    assertThat(Files.readString(kept.resolve("BACKUP")))
        .isEqualTo("{\"format\":" + StoredForm.NUMBER + "}");
    assertThat(kept.resolve("BACKUP.next")).doesNotExist();

    Path notEmpty = Files.createDirectories(directory.resolve("a/files"));
    Files.writeString(notEmpty.resolve("somebody's"), "");
    Path file = Files.createDirectories(directory.resolve("b"));
    Files.writeString(file.resolve("sets"), "");
    Path other = Files.createDirectories(directory.resolve("c"));
    Files.createDirectories(other.resolve("photos"));
    for (String name : List.of("a", "b", "c")) {
      Path taken = directory.resolve(name);
      assertThatThrownBy(() -> BackupDirectory.create(taken))
          .as(name)
          .hasMessageContaining("holds other files and is no directory of backups");
      try (Stream<Path> files = Files.list(taken)) {
        assertThat(files).as("nothing was made in %s", name).hasSize(1);
      }
    }
  }

  @Test
  void backups_of_another_build_are_refused() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      backups.commit(set(1));
    }
    for (int format : new int[] {StoredForm.NUMBER - 1, StoredForm.NUMBER + 1}) {
      Path mark = kept.resolve("BACKUP");
      String text = Files.readString(mark);
      Files.writeString(mark, "{\"format\":" + format + "}");
      String why = format < StoredForm.NUMBER ? "before 0.1.0" : "has format " + format;
      assertThatThrownBy(() -> BackupDirectory.create(kept)).hasMessageContaining(why);
      assertThatThrownBy(() -> BackupDirectory.toRead(kept)).hasMessageContaining(why);
      Files.writeString(mark, text);
      Path list = kept.resolve("sets/00000001.json");
      String set = Files.readString(list);
      Files.writeString(
          list, set.replace("\"format\":" + StoredForm.NUMBER, "\"format\":" + format));
      try (BackupDirectory backups = BackupDirectory.toRead(kept)) {
        assertThatThrownBy(backups::sets).hasMessageContaining(why);
      }
      Files.writeString(list, set);
    }
    for (String none : List.of("", "{", "{}", "null", "{\"format\":0}")) {
      Files.writeString(kept.resolve("BACKUP"), none);
      assertThatThrownBy(() -> BackupDirectory.toRead(kept))
          .hasMessageContaining("has a form that this program does not know: " + none);
    }
  }

  @Test
  void many_read_backups_at_once_and_one_writes() throws IOException {
    BackupDirectory.create(kept).close();
    Files.delete(kept.resolve("LOCK"));
    try (BackupDirectory copied = BackupDirectory.toRead(kept)) {
      assertThat(copied.sets()).as("a copy without the file of the lock").isEmpty();
    }
    try (BackupDirectory writes = BackupDirectory.create(kept)) {
      assertThat(writes.sets()).isEmpty();
      assertThatThrownBy(() -> BackupDirectory.toRead(kept)).hasMessageContaining("is in use");
    }
    BackupDirectory.toRead(kept).close();
    BackupDirectory.create(kept).close();
  }
}
