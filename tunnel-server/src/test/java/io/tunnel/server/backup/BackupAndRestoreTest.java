package io.tunnel.server.backup;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Level;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.catalog.store.StoredOrigin;
import io.tunnel.server.disk.ForcedFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecurityRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each file of a backup and of a restore: its bytes, its checksum, and its sync. */
final class BackupAndRestoreTest {

  private static final int SHARDS = 2;
  private static final Backup.Options USUAL = new Backup.Options(false, Optional.empty());
  private static final BackupDirectory.Copied UNCOUNTED = count -> {};
  private static final String VALID = AccessKey.idOf(Bytes.copyOf(new byte[AccessKey.ID_BYTES]));
  private static final String REVOKED = VALID.replace('a', 'b');
  private static final String TOKEN = HttpToken.idOf(Bytes.copyOf(new byte[HttpToken.ID_BYTES]));

  /** A data directory that each test has a copy of. */
  @TempDir private static Path filled;

  @TempDir private Path directory;
  private Path data;
  private Path kept;

  @BeforeAll
  static void fill() throws Exception {
    write(filled, 0, 120);
    StoredCatalog.write(filled.resolve("catalog"), catalog("t"));
    DirectoryFormat.of(SHARDS, Optional.empty(), Level.FIRST).store(filled.resolve("FORMAT"));
  }

  /** With tables, and with keys and tokens: two that are valid, and a revoked one. */
  private static Map<String, String> catalog(String... tables) throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.write(StoredOrigin.noting(10));
    Catalog catalog = new Catalog(store);
    for (String table : tables) {
      var unused = catalog.createTable(new TableMeta(table, TestRows.SCHEMA), List.of(), 0);
    }
    SecurityRecords records = new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of());
    Principal ann = Principal.ofKey("ann");
    store.write(records.noting(AccessKey.of(VALID, ann, "sealed", 1)));
    store.write(records.noting(new AccessKey(REVOKED, ann, List.of("sealed"), 1, true)));
    store.write(
        records.noting(new HttpToken(TOKEN, ann, Bytes.copyOf(new byte[32]), 1, Optional.empty())));
    return store.all();
  }

  @BeforeEach
  void copy() throws IOException {
    data = directory.resolve("data");
    kept = directory.resolve("above/backups");
    try (Stream<Path> tree = Files.walk(filled)) {
      for (Path file : tree.toList()) {
        Files.copy(file, data.resolve(filled.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Changes of two partitions, of which each shard has one. */
  private static void write(Path data, int from, int to) throws Exception {
    try (Shards shards =
        Shards.open(
            TestShards.layout(data, SHARDS, 8 << 10),
            partition -> true,
            new NoMeter(),
            new TestClock())) {
      for (int i = from; i < to; i++) {
        Outcomes outcome = new Outcomes();
        shards
            .of(1 + i % 2)
            .write(Outcomes.write(batch(1 + i % 2, put("k" + "x".repeat(600) + i)), true, outcome));
        // One after the other: a group is never divided between two segments.
        assertThat(outcome.result().appliedRows()).isEqualTo(1);
      }
    }
  }

  private Backup.Outcome back(Backup.Options options) throws IOException {
    try (BackupDirectory target = BackupDirectory.create(kept)) {
      return Backup.take(data, target, options, 1_234, UNCOUNTED);
    }
  }

  private Path restore(String name, Optional<Long> number) throws IOException {
    Path target = directory.resolve(name);
    try (BackupDirectory from = BackupDirectory.toRead(kept)) {
      var unused = Restore.run(from, from.set(number), target, new Random(3), UNCOUNTED);
    }
    return target;
  }

  private static Map<String, byte[]> files(Path of) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> tree = Files.walk(of)) {
      for (Path file : tree.filter(Files::isRegularFile).toList()) {
        files.put(of.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return files;
  }

  @Test
  void each_file_of_a_backup_is_forced_before_its_name_and_its_name_before_the_set()
      throws IOException {
    List<Path> forced;
    try (ForcedFiles recorded = new ForcedFiles()) {
      Backup.Outcome taken = back(USUAL);
      assertThat(taken.filesCopied()).as(() -> taken.set().files().toString()).isGreaterThan(6);
      forced = recorded.paths();
    }
    int copied = files(kept.resolve("files")).size();
    Path incoming = kept.resolve("files").resolve("incoming");
    assertThat(forced).filteredOn(incoming::equals).hasSizeGreaterThanOrEqualTo(copied);
    int names = forced.lastIndexOf(kept.resolve("files"));
    assertThat(names).isGreaterThan(forced.lastIndexOf(incoming));
    assertThat(forced.lastIndexOf(kept.resolve("sets"))).isGreaterThan(names);
    assertThat(forced.subList(0, forced.indexOf(incoming)))
        .as("the mark, and the names of the directories themselves")
        .contains(kept, kept.getParent(), directory);
  }

  @Test
  void each_file_and_directory_of_a_restore_is_forced_before_the_format() throws IOException {
    var unusedBackup = back(USUAL);
    List<Path> forced;
    Path restored;
    try (ForcedFiles recorded = new ForcedFiles()) {
      restored = restore("new/restored", Optional.empty());
      forced = recorded.paths();
    }
    int format = forced.indexOf(restored.resolve("FORMAT.next"));
    assertThat(format).as("%s", forced).isPositive();
    List<Path> before = forced.subList(0, format);
    assertThat(before).as("the name of the directory itself").contains(directory);
    assertThat(before).contains(restored.getParent());
    try (Stream<Path> tree = Files.walk(restored)) {
      for (Path file : tree.toList()) {
        boolean isOfRocks =
            file.startsWith(restored.resolve("catalog")) && !Files.isDirectory(file);
        if (!isOfRocks && !file.endsWith("FORMAT")) {
          assertThat(before).contains(file);
        }
      }
    }
    assertThat(forced.subList(format, forced.size())).as("the name of FORMAT").contains(restored);
  }

  @Test
  void a_restore_has_every_byte_of_the_data_directory() throws IOException {
    AtomicLong bytes = new AtomicLong();
    Backup.Outcome taken;
    try (BackupDirectory target = BackupDirectory.create(kept)) {
      taken = Backup.take(data, target, USUAL, 1_234, bytes::addAndGet);
    }
    assertThat(taken.set().number()).isEqualTo(1);
    assertThat(taken.set().takenMs()).isEqualTo(1_234);
    assertThat(taken.set().counts()).isEqualTo(new BackupSet.Counts(1, 0));
    assertThat(bytes.get()).isGreaterThanOrEqualTo(taken.bytesCopied());
    Map<String, byte[]> original = files(data);
    Map<String, byte[]> restored = files(restore("restored", Optional.empty()));
    int compared = 0;
    for (Map.Entry<String, byte[]> file : restored.entrySet()) {
      String name = file.getKey();
      if (name.matches("shard-\\d/(log/.*\\.(log|index)|table/.*\\.sst|table/MANIFEST.*)")) {
        assertThat(original).containsKey(name);
        assertThat(file.getValue())
            .as(name)
            .isEqualTo(Arrays.copyOf(original.get(name), file.getValue().length));
        compared++;
      }
    }
    assertThat(restored.keySet())
        .containsAll(
            original.keySet().stream()
                .filter(name -> name.matches("shard-./log/.*[.]log"))
                .toList());
    assertThat(compared).isGreaterThan(6);
    assertThat(restored).containsKey("FORMAT");
    try (Shards shards =
        Shards.open(
            TestShards.layout(directory.resolve("restored"), SHARDS, 8 << 10),
            partition -> true,
            new NoMeter(),
            new TestClock())) {
      assertThat(List.of(shards.committed(1), shards.committed(2))).containsExactly(60L, 60L);
    }
  }

  /** Whatever is wrong with whichever file, nothing is restored that a server would start on. */
  @Test
  void no_damaged_and_no_missing_file_is_restored() throws IOException {
    var unusedBackup = back(USUAL);
    int number = 0;
    // One file of each kind: their names end with their names in the data directory.
    Map<String, Map.Entry<String, byte[]>> kinds = new TreeMap<>();
    for (Map.Entry<String, byte[]> file : files(kept.resolve("files")).entrySet()) {
      kinds.put(file.getKey().replaceAll(".*-\\d+-|\\d", "").replaceAll(".*\\.", ""), file);
    }
    assertThat(kinds.keySet()).contains("log", "index", "sst", "json");
    for (Map.Entry<String, byte[]> file : kinds.values()) {
      Path path = kept.resolve("files").resolve(file.getKey());
      byte[] right = file.getValue();
      for (int place : new int[] {0, right.length - 1}) {
        byte[] wrong = right.clone();
        wrong[place] ^= 1;
        Files.write(path, wrong);
        requireRefused("damaged-" + number++, path + " does not match its checksum; restore");
      }
      Files.write(path, Arrays.copyOf(right, right.length - 1));
      requireRefused(
          "short-" + number++,
          "the file of the backup %s has %d bytes, and had %d"
              .formatted(path, right.length - 1, right.length));
      Files.delete(path);
      requireRefused("gone-" + number++, "a file of the backup is missing: " + path);
      Files.write(path, right);
    }
    assertThat(restore("whole", Optional.empty()).resolve("FORMAT")).exists();
  }

  private void requireRefused(String name, String why) {
    assertThatThrownBy(() -> restore(name, Optional.empty()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    assertThat(directory.resolve(name).resolve("FORMAT")).doesNotExist();
  }

  @Test
  void a_file_that_is_known_is_not_copied_again_unless_it_changed_or_is_gone() throws Exception {
    Backup.Outcome first = back(USUAL);
    assertThat(first.filesKnown()).isZero();
    Backup.Outcome second = back(USUAL);
    assertThat(second.set().number()).isEqualTo(2);
    assertThat(second.filesKnown()).isPositive();
    assertThat(second.filesCopied() + second.filesKnown())
        .isEqualTo(first.filesCopied() + first.filesKnown());
    assertThat(second.bytesCopied()).isLessThan(first.bytesCopied());
    Backup.Outcome full = back(new Backup.Options(true, Optional.empty()));
    assertThat(List.of(full.filesKnown(), full.filesCopied(), full.bytesCopied()))
        .containsExactly(0L, first.filesCopied(), first.bytesCopied());
    Path segment = data.resolve("shard-0/log/00000000000000000000.log");
    StoredFile stored =
        full.set().files().stream()
            .filter(file -> file.path().endsWith("shard-0/log/00000000000000000000.log"))
            .findFirst()
            .orElseThrow();
    assertThat(stored.bytes()).isEqualTo(Files.size(segment));
    Files.delete(kept.resolve("files").resolve(stored.name()));
    assertThat(back(USUAL).filesKnown()).isEqualTo(second.filesKnown() - 1);
    write(data, 120, 160);
    assertThat(back(USUAL).filesCopied()).isGreaterThan(second.filesCopied());
    assertThat(restore("restored", Optional.empty()).resolve("FORMAT")).exists();
  }

  @Test
  void old_sets_are_deleted_with_the_files_that_no_other_set_needs() throws Exception {
    for (int i = 1; i <= 3; i++) {
      assertThat(back(USUAL).setsDeleted()).isZero();
      write(data, 120 + 40 * i, 140 + 40 * i);
    }
    int before = files(kept.resolve("files")).size();
    Files.writeString(kept.resolve("files").resolve("incoming"), "of an interrupted backup");
    List<Path> forced;
    try (ForcedFiles recorded = new ForcedFiles()) {
      assertThat(back(new Backup.Options(false, Optional.of(2))).setsDeleted()).isEqualTo(2);
      forced = recorded.paths();
    }
    assertThat(forced).filteredOn(kept.resolve("sets")::equals).as("twice").hasSize(2);
    assertThat(kept.resolve("files").resolve("incoming")).doesNotExist();
    assertThat(files(kept.resolve("files")).size()).isLessThan(before + 10);
    for (long number : new long[] {3, 4}) {
      assertThat(restore("restored-" + number, Optional.of(number)).resolve("FORMAT")).exists();
    }
    for (long number : new long[] {1, 2, 5}) {
      assertThatThrownBy(() -> restore("none-" + number, Optional.of(number)))
          .hasMessageContaining("has no backup " + number + "; there are 3 to 4");
    }
    assertThat(back(new Backup.Options(false, Optional.of(9))).setsDeleted()).isZero();
  }

  @Test
  void a_backup_beside_a_damaged_one_has_the_next_number_and_can_be_restored() throws Exception {
    var unusedFirst = back(USUAL);
    var unusedSecond = back(USUAL);
    Path damaged = kept.resolve("sets").resolve("00000002.json");
    Files.writeString(damaged, "");
    Backup.Outcome third = back(new Backup.Options(false, Optional.of(1)));
    assertThat(third.set().number()).isEqualTo(3);
    assertThat(third.filesKnown()).as("of the first backup").isPositive();
    assertThat(third.found().damaged()).hasSize(1);
    assertThat(damaged).isEmptyFile();
    assertThat(restore("restored", Optional.empty()).resolve("FORMAT")).exists();
  }

  @Test
  void a_backup_names_the_server_and_takes_no_file_of_another_server_for_its_own()
      throws Exception {
    assertThat(back(USUAL).set().service()).isEqualTo("server-0000000a");
    writeCatalog(0x1a2b);
    assertThat(back(USUAL).set().service()).isEqualTo("server-00001a2b");
    Backup.Options other = new Backup.Options(false, Optional.of(1), Optional.of("cluster-7"));
    Backup.Outcome cluster = back(other);
    assertThat(cluster.set().service()).isEqualTo("cluster-7");
    assertThat(cluster.setsDeleted()).isZero();
    Backup.Options third = new Backup.Options(false, Optional.of(1), Optional.of("cluster-8"));
    assertThat(back(third).filesKnown()).isZero();
    try (BackupDirectory all = BackupDirectory.toRead(kept)) {
      assertThat(all.sets())
          .extracting(BackupSet::service)
          .containsExactly("server-0000000a", "server-00001a2b", "cluster-7", "cluster-8");
    }
  }

  private void writeCatalog(int origin) throws IOException {
    Map<String, String> texts = new TreeMap<>(catalog("t"));
    CatalogStore.apply(StoredOrigin.noting(origin), texts);
    PrivateFiles.deleteAll(data.resolve("catalog"));
    StoredCatalog.write(data.resolve("catalog"), texts);
  }

  @Test
  void a_directory_on_which_no_server_was_started_has_no_backup() throws Exception {
    writeCatalog(0);
    assertThatThrownBy(() -> back(USUAL))
        .hasMessageContaining("no server has been started on " + data)
        .hasMessageEndingWith("start the server once, then take the backup");
  }

  @Test
  void a_backup_and_a_restore_say_why_they_cannot_begin() throws Exception {
    assertThatThrownBy(() -> restore("restored", Optional.empty()))
        .hasMessageContaining("is no directory of backups: it has no file BACKUP");
    BackupDirectory.create(kept).close();
    assertThatThrownBy(() -> restore("restored", Optional.empty()))
        .hasMessageEndingWith(" has no backup yet");
    var unused = back(USUAL);
    Files.writeString(Files.createDirectories(directory.resolve("full")).resolve("file"), "");
    assertThatThrownBy(() -> restore("full", Optional.empty()))
        .hasMessageContaining("is not empty")
        .hasMessageEndingWith("delete the directory then");
    Files.writeString(directory.resolve("plain"), "");
    assertThatThrownBy(() -> restore("plain", Optional.empty()))
        .hasMessageContaining("is no directory");
    assertThatThrownBy(() -> BackupDirectory.create(directory.resolve("plain")))
        .hasMessageContaining("is no directory");
    assertThatThrownBy(() -> BackupDirectory.toRead(directory.resolve("plain")))
        .hasMessageContaining("is no directory");
    assertThatThrownBy(() -> BackupDirectory.create(directory.resolve("full")))
        .hasMessageContaining("holds other files");
    try (BackupDirectory writing = BackupDirectory.create(kept)) {
      assertThat(writing.sets()).hasSize(1);
      assertThatThrownBy(() -> BackupDirectory.create(kept)).hasMessageContaining("is in use");
      assertThatThrownBy(() -> BackupDirectory.toRead(kept)).hasMessageContaining("is in use");
    }
    Path set = kept.resolve("sets").resolve("00000001.json");
    String text = Files.readString(set);
    for (String wrong :
        List.of("", "null", "{", text.replaceAll("\"level\":\\d+", "\"level\":0"))) {
      Files.writeString(set, wrong);
      assertThatThrownBy(() -> restore("restored", Optional.empty()))
          .as(wrong)
          .hasMessageContaining("is damaged");
    }
    Files.writeString(set, text.replaceAll("\"level\":\\d+", "\"level\":99"));
    assertThatThrownBy(() -> restore("restored", Optional.empty())).hasMessageContaining("99");
  }

  @Test
  void a_restored_catalog_has_the_tables_and_says_which_keys_and_tokens_are_valid_again()
      throws IOException {
    assertThat(back(USUAL).set().files())
        .extracting(StoredFile::path)
        .as("each file once")
        .doesNotHaveDuplicates();
    Path target = directory.resolve("restored");
    Restore.Revived revived;
    try (BackupDirectory from = BackupDirectory.toRead(kept)) {
      revived = Restore.run(from, from.set(Optional.empty()), target, new Random(3), UNCOUNTED);
    }
    assertThat(revived).isEqualTo(new Restore.Revived(List.of(VALID), List.of(TOKEN)));
    assertThat(StoredCatalog.read(target.resolve("catalog")).tables().tables())
        .extracting(table -> table.meta().name())
        .containsExactly("t");
  }

  @Test
  void a_table_that_is_created_during_the_copy_begins_the_copy_again() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    Backup.Outcome taken;
    try (BackupDirectory target = BackupDirectory.create(kept)) {
      taken =
          Backup.take(
              data,
              target,
              USUAL,
              1_234,
              count -> {
                if (calls.incrementAndGet() == 1) {
                  replaceCatalog("t", "u");
                }
              });
    }
    assertThat(taken.set().counts().tables()).isEqualTo(2);
    assertThat(taken.filesKnown()).as("what was copied is not copied again").isPositive();
  }

  @Test
  void what_is_written_during_the_copy_is_backed_up_once_and_without_a_gap() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Backup.Outcome taken;
    try (BackupDirectory target = BackupDirectory.create(kept)) {
      taken =
          Backup.take(
              data,
              target,
              USUAL,
              1_234,
              count -> {
                if (calls.incrementAndGet() == 1) {
                  writeMore();
                }
              });
    }
    assertThat(taken.set().files()).extracting(StoredFile::path).doesNotHaveDuplicates();
    Path restored = restore("restored", Optional.empty());
    try (Shards shards =
        Shards.open(
            TestShards.layout(restored, SHARDS, 8 << 10),
            partition -> true,
            new NoMeter(),
            new TestClock())) {
      assertThat(List.of(shards.committed(1), shards.committed(2))).containsExactly(120L, 120L);
    }
  }

  private void writeMore() {
    try {
      write(data, 120, 240);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void replaceCatalog(String... tables) {
    try {
      Path catalog = data.resolve("catalog");
      try (Stream<Path> files = Files.list(catalog)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(catalog);
      StoredCatalog.write(catalog, catalog(tables));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
