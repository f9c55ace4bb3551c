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
import java.util.Map;
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
    return of("server-1", number, files);
  }

  private static BackupSet of(String service, long number, StoredFile... files) {
    return new BackupSet(
        StoredForm.NUMBER,
        number,
        1_000,
        1,
        1,
        new BackupSet.Counts(2, 3),
        service,
        List.of(files));
  }

  private Path list(long number) {
    return kept.resolve("sets").resolve("0000000" + number + ".json");
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
          .hasMessageStartingWith(
              "the file x was cut while the backup read the file: it ends after 10 bytes, and had"
                  + " 13 before");
      Path cut = Files.write(directory.resolve("cut"), bytes);
      assertThatThrownBy(
              () -> backups.store(cut, new StoredFile("shard-0/y", 0, 0, 7), 11, UNCOUNTED))
          .hasMessageStartingWith("the file " + cut + " was cut");
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
  void among_backups_of_several_services_a_number_has_to_name_one() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      backups.commit(set(1));
      backups.commit(set(2));
      assertThat(backups.set(Optional.empty()).number()).isEqualTo(2);
      backups.commit(of("cluster-2", 3));
      backups.commit(set(4));
      backups.commit(of(null, 5));
      Files.writeString(list(6), "");
      assertThatThrownBy(() -> backups.set(Optional.empty()))
          .hasMessage(
              "%s has backups of several services, the newest ones are 3 of cluster-2, 4 of server-1, 5 of unnamed: name a backup with --backup; 'tunnel restore --list' shows all backups"
                  .formatted(kept));
      assertThat(backups.set(Optional.of(3L)).service()).isEqualTo("cluster-2");
      assertThat(backups.set(Optional.of(5L)).service()).isEqualTo(BackupSet.UNNAMED);
    }
  }

  /** An operator's copy of a list, for example. */
  @Test
  void a_file_with_another_name_than_a_list_has_is_no_list() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      StoredFile old = store(backups, "old", new byte[] {1});
      backups.commit(set(1, old));
      backups.commit(set(2));
      for (String other :
          List.of("1.json", "000000001.json", "000000003.json", "mine.json", "00000001.json~")) {
        Files.copy(list(1), kept.resolve("sets").resolve(other));
      }
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(1L, 2L);
      assertThat(backups.found().damaged()).isEmpty();
      assertThat(backups.keep(1, "server-1")).isEqualTo(1);
      assertThat(backups.has(old)).isFalse();
      assertThat(kept.resolve("sets/1.json")).exists();
    }
  }

  @Test
  void a_number_of_nine_digits_names_its_list() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      backups.commit(set(100_000_000));
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(100_000_000L);
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
      assertThat(backups.keep(3, "server-1")).isZero();
      assertThat(backups.keep(2, "server-1")).isEqualTo(1);
      assertThat(backups.has(old)).isTrue();
      assertThat(backups.keep(1, "server-1")).isEqualTo(1);
      assertThat(List.of(backups.has(shared), backups.has(old), backups.has(fresh)))
          .containsExactly(true, false, true);
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(3L);
    }
  }

  @Test
  void a_damaged_list_hides_no_other_set_and_says_what_is_wrong() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      for (long number = 1; number <= 3; number++) {
        backups.commit(set(number, store(backups, "file-" + number, new byte[] {(byte) number})));
      }
      String whole = Files.readString(list(3));
      Map<String, String> wrong =
          Map.of(
              "",
              "the file is empty",
              "null",
              "the file is empty",
              whole.substring(0, 40),
              "the file ends before its JSON does",
              "something",
              "the file is not the JSON of a backup",
              "{\"format\":2,\"number\":3}",
              "the list lacks a member",
              whole.replace("\"shards\":1", "\"shards\":0"),
              "no level, or no shards",
              whole.replace("\"level\":1", "\"level\":0"),
              "no level, or no shards",
              whole.replace("\"number\":3", "\"number\":2"),
              "is of backup 2");
      for (Map.Entry<String, String> each : wrong.entrySet()) {
        Files.writeString(list(3), each.getKey());
        requireThirdIsDamaged(backups, each.getValue());
      }
      Files.write(list(3), new byte[] {'"', (byte) 0xff, '"'});
      requireThirdIsDamaged(backups, "not text in UTF-8");
      Files.writeString(list(3), whole);
      assertThat(backups.found().damaged()).isEmpty();
      assertThat(backups.set(Optional.empty()).number()).isEqualTo(3);
    }
  }

  private void requireThirdIsDamaged(BackupDirectory backups, String why) throws IOException {
    FoundSets found = backups.found();
    assertThat(found.intact()).as(why).extracting(BackupSet::number).containsExactly(1L, 2L);
    assertThat(found.damaged())
        .singleElement()
        .satisfies(
            set -> {
              assertThat(set.number()).isEqualTo(3);
              assertThat(set.list()).isEqualTo(list(3));
              assertThat(set.why()).contains(why).doesNotContain("java.", "gson");
            });
    assertThat(found.numberMax()).isEqualTo(3);
    assertThat(backups.set(Optional.of(1L)).number()).isEqualTo(1);
    assertThatThrownBy(() -> backups.set(Optional.empty()))
        .hasMessageContaining("the newest backup 3 cannot be restored")
        .hasMessageContaining(list(3) + " is damaged: ")
        .hasMessageContaining(why)
        .hasMessageEndingWith("restore this backup with --backup 2");
    assertThatThrownBy(() -> backups.set(Optional.of(3L)))
        .hasMessageStartingWith("backup 3 cannot be restored")
        .hasMessageEndingWith("with --backup 2");
  }

  @Test
  void the_only_backup_that_is_damaged_has_no_alternative() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      Files.writeString(list(1), "");
      assertThatThrownBy(() -> backups.set(Optional.empty()))
          .hasMessageContaining("the newest backup 1 cannot be restored")
          .hasMessageEndingWith("take another copy of the directory");
      assertThat(backups.found().damaged())
          .extracting(FoundSets.DamagedSet::number)
          .containsExactly(1L);
    }
  }

  /** The damaged list may name each of the files. */
  @Test
  void no_file_is_deleted_while_a_list_is_damaged() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      StoredFile old = store(backups, "old", new byte[] {1});
      backups.commit(set(1, old));
      backups.commit(set(2, store(backups, "middle", new byte[] {2})));
      backups.commit(set(3, store(backups, "fresh", new byte[] {3})));
      Files.writeString(list(2), "");
      assertThat(backups.keep(1, "server-1")).isEqualTo(1);
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(3L);
      assertThat(list(2)).exists();
      assertThat(backups.has(old)).isTrue();
      Files.delete(list(2));
      assertThat(backups.keep(1, "server-1")).isZero();
      assertThat(backups.has(old)).isFalse();
    }
  }

  @Test
  void backups_of_another_service_are_neither_counted_nor_deleted() throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      StoredFile others = store(backups, "others", new byte[] {1});
      backups.commit(of("cluster-2", 1, others));
      backups.commit(set(2));
      backups.commit(set(3));
      backups.commit(of("cluster-2", 4, others));
      assertThat(backups.keep(2, "server-1")).isZero();
      assertThat(backups.keep(1, "server-1")).isEqualTo(1);
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(1L, 3L, 4L);
      assertThat(backups.has(others)).isTrue();
      assertThat(backups.found().newest("server-1").orElseThrow().number()).isEqualTo(3);
      assertThat(backups.found().newest("cluster-2").orElseThrow().number()).isEqualTo(4);
      backups.commit(of(null, 5));
      assertThat(backups.keep(1, "server-1")).as("a set of nobody").isZero();
      assertThat(backups.keep(1, "cluster-2")).isEqualTo(1);
      assertThat(backups.sets()).extracting(BackupSet::number).containsExactly(3L, 4L, 5L);
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
        assertThatThrownBy(() -> backups.keep(1, "server-1"))
            .isInstanceOf(DirectoryNotEmptyException.class);
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
  void a_place_is_looked_at_before_a_directory_of_backups_is_created() throws IOException {
    assertThat(BackupDirectory.isToCreate(kept)).isTrue();
    assertThat(BackupDirectory.isToCreate(kept.resolve("far/below"))).isTrue();
    assertThat(kept).as("nothing is created").doesNotExist();
    Files.createDirectories(kept);
    assertThat(BackupDirectory.isToCreate(kept)).as("an empty directory").isTrue();
    BackupDirectory.create(kept).close();
    assertThat(BackupDirectory.isToCreate(kept)).isFalse();
    Files.writeString(kept.resolve("BACKUP"), "{}");
    assertThatThrownBy(() -> BackupDirectory.isToCreate(kept))
        .hasMessageContaining("has a form that this program does not know");
    Files.delete(kept.resolve("BACKUP"));
    assertThatThrownBy(() -> BackupDirectory.isToCreate(kept))
        .hasMessageContaining("holds other files");
    Path file = Files.writeString(directory.resolve("file"), "mine");
    for (Path wrong : List.of(file, file.resolve("below"))) {
      assertThatThrownBy(() -> BackupDirectory.isToCreate(wrong))
          .hasMessage(file + " is no directory");
    }
  }

  @Test
  void sets_are_in_the_order_of_their_numbers_in_whatever_order_a_disk_names_them()
      throws IOException {
    try (BackupDirectory backups = BackupDirectory.create(kept)) {
      backups.commit(set(1));
      backups.commit(set(2));
    }
    Files.writeString(list(3), "");
    Files.writeString(list(4), "");
    FoundSets found = FoundSets.of(List.of(list(4), list(3), list(2), list(1)));
    assertThat(found.intact()).extracting(BackupSet::number).containsExactly(1L, 2L);
    assertThat(found.damaged()).extracting(FoundSets.DamagedSet::number).containsExactly(3L, 4L);
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
        assertThat(backups.found().damaged())
            .singleElement()
            .satisfies(damaged -> assertThat(damaged.why()).contains(why));
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
