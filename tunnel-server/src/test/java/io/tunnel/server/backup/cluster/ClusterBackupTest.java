package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.Level;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.Logged;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.MovedCatalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.DirectoryCheck;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.server.replica.append.PartitionRestore.Saved;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.append.RestoredLogs;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.table.RandomChanges;
import io.tunnel.server.table.RandomTable;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of a cluster whose leaders write, claim, take snapshots and trim meanwhile. */
final class ClusterBackupTest {

  private static final int PARTITIONS = 3;
  private static final int SHARDS = 2;
  private static final int KEYS = 40;

  @TempDir private Path directory;

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final List<MemoryCatalogStore> groups = new ArrayList<>();
  private final RestoredLogs logs = new RestoredLogs();
  private final Map<Integer, List<ChangeBatch>> history = new TreeMap<>();
  private final Map<Integer, TableStore> rows = new HashMap<>();
  private long micros = 1;

  /** The topics of the cluster. */
  private final class MemoryClusters implements ClusterBackup.Clusters {
    @Override
    public Map<String, String> catalogTexts() {
      return store.all();
    }

    @Override
    public Map<String, String> groupTexts(int group) {
      return groups.get(group).all();
    }

    @Override
    public ReadableAppendLog appends(Catalog tables) {
      return logs;
    }

    @Override
    public SnapshotBlocks blocks(Catalog tables) {
      return logs;
    }

    @Override
    public long waitMsMax() {
      return 60_000;
    }
  }

  private void found(Random random) throws IOException {
    Bytes secret = Bytes.copyOf(new byte[32]);
    new Founding(new CatalogIdentity(secret), secret, Level.NEWEST, LogForm.APPENDS).noteIn(store);
    Catalog catalog = new Catalog(store);
    for (int i = 0; i < 16; i++) {
      groups.add(new MemoryCatalogStore());
    }
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      createTable(catalog, partition);
      history.put(partition, new ArrayList<>());
      Path of = Files.createDirectories(directory.resolve("rows-" + partition));
      rows.put(partition, RandomTable.open(of));
      logs.claim(partition, 1 + random.nextInt(5));
    }
  }

  /** A table with one partition, and a tunnel. */
  private void createTable(Catalog catalog, int number) throws IOException {
    var unused = catalog.createTable(new TableMeta("t" + number, TestRows.SCHEMA), List.of(), 0);
    TunnelCatalog group = new TunnelCatalog(catalog, groups.get(number), number);
    CreateTunnel asked =
        new CreateTunnel("t" + number, "n", TunnelType.Stream, StreamStart.EARLIEST);
    ChannelState at = ChannelState.startingAt(0).seenIn(Optional.of(1L));
    var unusedInfo =
        group.createTunnel(asked, group.newTunnelId(7), Map.of(ChannelKey.stream(number), at), 5);
  }

  @AfterEach
  void close() throws IOException {
    for (TableStore table : rows.values()) {
      table.close();
    }
  }

  private long next(int partition) {
    List<ChangeBatch> all = history.get(partition);
    return all.isEmpty() ? 1 : all.get(all.size() - 1).lastPosition() + 1;
  }

  private void happen(Random random, RandomChanges changes) throws IOException {
    int partition = 1 + random.nextInt(PARTITIONS - 1);
    switch (random.nextInt(12)) {
      case 0 -> logs.claim(partition, 1 + random.nextInt(9));
      case 1 -> logs.landAgain(partition, random.nextInt(1_000));
      case 2 -> logs.snapshot(partition, rows.get(partition), micros);
      case 3 -> logs.trim(partition);
      default -> write(partition, random, changes);
    }
  }

  private void write(int partition, Random random, RandomChanges changes) throws IOException {
    byte[] bytes = TestRows.batch(partition, changes.changes(true)).copy().array();
    micros += random.nextInt(2);
    BatchBuilder.stamp(bytes, 0, next(partition), micros);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    logs.append(batch);
    history.get(partition).add(batch);
    TableStore table = rows.get(partition);
    table.fold(List.of(batch), table.foldedOffset() + 1);
  }

  private ClusterBackup.Outcome take(Path staging) throws IOException {
    return new ClusterBackup(
            new MemoryClusters(), staging, SHARDS, 77, new ClusterBackup.Pace(1, bytes -> {}))
        .run();
  }

  private static List<Bytes> bytes(List<ChangeBatch> batches) {
    return batches.stream()
        .map(batch -> Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()))
        .toList();
  }

  private static Map<String, Object> rows(TableStore table, int partition) {
    Map<String, Object> found = new TreeMap<>();
    for (int key = 0; key < KEYS; key++) {
      Bytes encoded = TestRows.keyBytes("k" + key);
      table
          .encodedColumns(partition, encoded)
          .ifPresent(columns -> found.put(encoded.toString(), columns));
    }
    return found;
  }

  /** The rows after all changes before {@code next}. */
  private Map<String, Object> rowsAt(int partition, long next) throws IOException {
    Path fresh = Files.createTempDirectory(directory, "fresh");
    try (TableStore table = RandomTable.open(fresh)) {
      List<ChangeBatch> before =
          history.get(partition).stream().filter(batch -> batch.lastPosition() < next).toList();
      table.fold(before, 1);
      return rows(table, partition);
    }
  }

  private void requireBackup(Path staging, Map<Integer, Long> least) throws IOException {
    try (StoredDirectory stored = StoredDirectory.toRead(staging)) {
      CheckReport report = new DirectoryCheck(stored, Optional.empty(), bytes -> {}).run();
      assertThat(report.isSound()).as("%s", report.problems()).isTrue();
    }
    StoredCatalog catalog = StoredCatalog.read(staging.resolve("catalog"));
    MemoryCatalogStore restored = new MemoryCatalogStore();
    Map<String, Optional<String>> texts = new TreeMap<>();
    catalog.texts().forEach((name, text) -> texts.put(name, Optional.of(text)));
    restored.write(texts);
    Map<Integer, Long> ends = new HashMap<>();
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      requirePartition(staging, catalog, partition, ends);
      assertThat(ends.get(partition) + 1).isBetween(least.get(partition), next(partition));
    }
    Incarnations after = new Catalog(restored).beginIncarnation(ends::get, 5_000);
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      IncarnationHistory led = logs.ledIncarnations(partition);
      long end = ends.get(partition);
      List<Long> known = new ArrayList<>(led.known());
      known.retainAll(MovedCatalog.incarnations(catalog.texts(), partition).known());
      assertThat(known).isNotEmpty();
      for (long incarnation : known) {
        assertThat(after.of(partition).orElseThrow().sharedUpTo(incarnation))
            .as("incarnation %s of partition %s up to %s", incarnation, partition, end)
            .isEqualTo(Math.min(led.sharedUpTo(incarnation), end));
      }
    }
    for (TunnelInfo tunnel : catalog.tunnels().tunnels(Optional.empty())) {
      int partition = Integer.parseInt(tunnel.table().substring(1));
      assertThat(catalog.streamCheckpoints(tunnel).get(partition))
          .isLessThanOrEqualTo(ends.get(partition));
      assertThat(TunnelCatalog.groupOf(tunnel.tunnelId())).hasValue(partition);
    }
    assertThat(catalog.tunnels().tunnels(Optional.empty())).hasSize(PARTITIONS);
  }

  private void requirePartition(
      Path staging, StoredCatalog catalog, int partition, Map<Integer, Long> ends)
      throws IOException {
    int id = partition % SHARDS;
    try (SavedShard shard = SavedShard.open(staging.resolve("shard-" + id), id, catalog)) {
      Saved saved = shard.changes(partition, 1);
      long first = saved.extent().first();
      long next = saved.extent().next();
      assertThat(first).isLessThanOrEqualTo(Math.max(1, logs.trimmed(partition)));
      List<ChangeBatch> found = new ArrayList<>();
      for (Optional<ChangeBatch> batch = saved.changes().next();
          batch.isPresent();
          batch = saved.changes().next()) {
        found.add(batch.get());
      }
      assertThat(bytes(found))
          .isEqualTo(
              bytes(
                  history.get(partition).stream()
                      .filter(batch -> batch.basePosition() >= first && batch.lastPosition() < next)
                      .toList()));
      ends.put(partition, next - 1);
    }
    try (TableStore table = RandomTable.open(staging.resolve("shard-" + id + "/table"))) {
      long next = ends.get(partition) + 1;
      assertThat(rows(table, partition)).isEqualTo(rowsAt(partition, next));
      assertThat(table.states()).as("a single server has no states of replicas").isEmpty();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void a_backup_under_load_has_one_moment_of_each_partition(long seed) throws IOException {
    Random random = new Random(seed);
    RandomChanges changes = new RandomChanges(random, 3);
    found(random);
    for (int i = random.nextInt(200); i > 0; i--) {
      happen(random, changes);
    }
    Map<Integer, Long> least = new HashMap<>();
    history.keySet().forEach(partition -> least.put(partition, next(partition)));
    int[] left = {60};
    logs.meanwhile =
        () -> {
          for (int i = random.nextInt(4); i > 0 && left[0] > 0; i--) {
            left[0]--;
            happenMeanwhile(random, changes);
          }
        };
    Path staging = directory.resolve("staging");
    ClusterBackup.Outcome outcome = take(staging);
    logs.meanwhile = () -> {};
    assertThat(outcome)
        .isEqualTo(new ClusterBackup.Outcome(PARTITIONS, PARTITIONS, "cluster-" + "00".repeat(32)));
    requireBackup(staging, least);
  }

  private void happenMeanwhile(Random random, RandomChanges changes) {
    try {
      happen(random, changes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_backup_without_its_newest_snapshot_takes_the_one_before() throws IOException {
    Random random = new Random(4);
    RandomChanges changes = new RandomChanges(random, 3);
    found(random);
    for (int i = 0; i < 3; i++) {
      write(1, random, changes);
      logs.snapshot(1, rows.get(1), micros);
    }
    logs.trim(1);
    write(1, random, changes);
    logs.loseBlock(1);
    requireBackupOf(directory.resolve("staging"));
    logs.loseBlock(1);
    assertThatThrownBy(() -> take(directory.resolve("none")))
        .hasMessageContaining("no snapshot is intact");
    assertThat(directory.resolve("none/FORMAT")).doesNotExist();
  }

  private void requireBackupOf(Path staging) throws IOException {
    Map<Integer, Long> least = new HashMap<>();
    history.keySet().forEach(partition -> least.put(partition, next(partition)));
    var unused = take(staging);
    requireBackup(staging, least);
  }

  private void snapshots(int count, Random random, RandomChanges changes) {
    try {
      for (int i = 0; i < count; i++) {
        write(1, random, changes);
        logs.snapshot(1, rows.get(1), micros);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A cluster whose partition 1 was trimmed to its second newest snapshot. */
  private RandomChanges trimmed(Random random) throws IOException {
    RandomChanges changes = new RandomChanges(random, 3);
    found(random);
    snapshots(2, random, changes);
    logs.trim(1);
    write(1, random, changes);
    return changes;
  }

  private void onceBeforeBlocks(Runnable task) {
    logs.beforeBlocks =
        () -> {
          logs.beforeBlocks = () -> {};
          task.run();
        };
  }

  private List<String> warningsOfABackup() throws IOException {
    try (Logged logged = Logged.of(ClusterBackup.class)) {
      requireBackupOf(directory.resolve("staging"));
      return logged.at(ch.qos.logback.classic.Level.WARN);
    }
  }

  @Test
  void a_log_that_is_trimmed_to_the_snapshot_that_is_read_does_not_begin_the_read_again()
      throws IOException {
    Random random = new Random(7);
    RandomChanges changes = trimmed(random);
    long before = logs.trimmed(1);
    onceBeforeBlocks(
        () -> {
          snapshots(1, random, changes);
          logs.trim(1);
        });
    assertThat(warningsOfABackup()).isEmpty();
    assertThat(logs.trimmed(1)).isGreaterThan(before);
  }

  @Test
  void a_log_that_is_trimmed_past_the_snapshot_that_is_read_begins_the_read_again()
      throws IOException {
    Random random = new Random(8);
    RandomChanges changes = trimmed(random);
    onceBeforeBlocks(
        () -> {
          snapshots(2, random, changes);
          logs.trim(1);
        });
    assertThat(warningsOfABackup()).hasSize(1).first().asString().contains("were replaced");
  }

  @Test
  void a_log_that_is_trimmed_past_the_rows_that_were_read_begins_the_read_again()
      throws IOException {
    Random random = new Random(11);
    RandomChanges changes = trimmed(random);
    onceBeforeBlocks(
        () ->
            logs.meanwhile =
                () -> {
                  logs.meanwhile = () -> {};
                  snapshots(2, random, changes);
                  logs.trim(1);
                });
    assertThat(warningsOfABackup()).hasSize(1).first().asString().contains("were replaced");
  }

  @Test
  void snapshots_that_are_replaced_while_the_table_keeps_its_changes_begin_the_read_again()
      throws IOException {
    Random random = new Random(9);
    RandomChanges changes = trimmed(random);
    onceBeforeBlocks(
        () -> {
          snapshots(2, random, changes);
          logs.trimBlocks(1);
        });
    assertThat(warningsOfABackup()).hasSize(1).first().asString().contains("were replaced");
  }

  @Test
  void a_backup_that_trims_overtake_again_and_again_ends_with_an_error() throws IOException {
    Random random = new Random(10);
    RandomChanges changes = trimmed(random);
    int[] reads = {0};
    logs.beforeBlocks =
        () -> {
          reads[0]++;
          snapshots(2, random, changes);
          logs.trim(1);
        };
    assertThatThrownBy(() -> take(directory.resolve("staging")))
        .hasMessageContainingAll(
            "partition 1 of table t1 was trimmed during each of 10 attempts", "fewer writes");
    assertThat(reads[0]).as("two snapshots in each attempt").isBetween(10, 20);
    assertThat(directory.resolve("staging/FORMAT")).doesNotExist();
  }

  @Test
  void a_table_that_is_created_meanwhile_begins_the_backup_again() throws IOException {
    Random random = new Random(5);
    RandomChanges changes = new RandomChanges(random, 3);
    found(random);
    for (int i = 0; i < 9; i++) {
      write(1, random, changes);
    }
    boolean[] isCreated = {false};
    logs.meanwhile =
        () -> {
          if (!isCreated[0]) {
            isCreated[0] = true;
            try {
              createTable(new Catalog(store), PARTITIONS + 1);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    assertThat(take(directory.resolve("staging")).tables()).isEqualTo(PARTITIONS + 1);
  }

  @Test
  void a_cluster_without_a_change_is_saved() throws IOException {
    found(new Random(6));
    requireBackupOf(directory.resolve("staging"));
  }

  @Test
  void only_a_cluster_of_appends_is_saved() throws IOException {
    assertThatThrownBy(() -> take(directory.resolve("a"))).hasMessageContaining("has no catalog");
    Bytes secret = Bytes.copyOf(new byte[32]);
    new Founding(new CatalogIdentity(secret), secret, Level.NEWEST, LogForm.ROWS).noteIn(store);
    assertThatThrownBy(() -> take(directory.resolve("b"))).hasMessageContaining("for each row");
    Path full = Files.createDirectories(directory.resolve("c/d"));
    assertThatThrownBy(() -> take(full.getParent())).hasMessageContaining("is not empty");
    assertThat(full).exists();
  }
}
