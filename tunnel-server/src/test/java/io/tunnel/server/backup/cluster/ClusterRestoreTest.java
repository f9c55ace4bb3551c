package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.replica.append.LogSilentException;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException;
import io.tunnel.server.table.RandomTable;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A single server's directory becomes a cluster, over logs and stores in memory. */
final class ClusterRestoreTest {

  private static final Bytes KEY = Bytes.copyOf(new byte[32]);
  private static final long NOW_MS = 50_000;

  @TempDir private Path directory;

  private static ClusterRestore.Outcome restore(SavedWorld world, MemoryKafka to)
      throws IOException {
    Random markers = new Random(5);
    return new ClusterRestore(
            world.data,
            SavedWorld.SHARDS,
            to.program(),
            new ClusterRestore.Chance(markers::nextLong, KEY),
            new ClusterRestore.Pace(1, bytes -> {}))
        .run(7, NOW_MS);
  }

  private static List<Bytes> bytes(List<ChangeBatch> batches) {
    return batches.stream()
        .map(batch -> Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()))
        .toList();
  }

  private void requireRestored(SavedWorld world, MemoryKafka to) throws IOException {
    for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
      List<ChangeBatch> kept = world.kept.get(partition);
      long next = world.ends.get(partition) + 1;
      assertThat(bytes(to.logs.changes(partition))).isEqualTo(bytes(kept));
      assertThat(to.logs.next(partition)).isEqualTo(next);
      assertThat(to.logs.firstPosition(partition))
          .isEqualTo(kept.isEmpty() ? next : kept.get(0).basePosition());
      long lastMicros = world.lastMicros.get(partition);
      if (kept.isEmpty()) {
        assertThat(to.logs.lastMicros(partition)).isGreaterThanOrEqualTo(lastMicros);
      } else {
        assertThat(to.logs.lastMicros(partition)).isEqualTo(lastMicros);
      }
      requireIncarnations(world.incarnations(partition), to.logs.incarnations(partition), next - 1);
      Path rows = Files.createDirectories(directory.resolve("rows-" + partition));
      try (TableStore table = RandomTable.open(rows)) {
        to.logs.load(partition, table);
        assertThat(RandomTable.entries(table, partition)).isEqualTo(world.entries(partition));
      }
    }
  }

  /** A reader of a saved position gets the answer of the former server. */
  private static void requireIncarnations(
      IncarnationHistory saved, IncarnationHistory restored, long last) {
    for (long incarnation : saved.known()) {
      assertThat(restored.sharedUpTo(incarnation))
          .as("of incarnation %s in %s and %s", incarnation, saved, restored)
          .isEqualTo(Math.min(saved.sharedUpTo(incarnation), last));
    }
    assertThat(restored.newest().orElseThrow())
        .isGreaterThanOrEqualTo(NOW_MS)
        .isGreaterThan(saved.newest().orElse(0));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void a_cluster_has_the_rows_changes_positions_and_incarnations_of_the_server(long seed)
      throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(seed));
    MemoryKafka to = new MemoryKafka();
    ClusterRestore.Outcome outcome = restore(world, to);
    requireRestored(world, to);
    assertThat(outcome.tables()).isEqualTo(SavedWorld.PARTITIONS);
    assertThat(outcome.changes())
        .isEqualTo(
            world.kept.values().stream()
                .flatMap(List::stream)
                .mapToLong(ChangeBatch::rowCount)
                .sum());
    LogForm.APPENDS.require(to.catalog);
    assertThat(LogForm.APPENDS.objection(to.catalog)).isEmpty();
    assertThat(LogForm.ROWS.objection(to.catalog)).isPresent();
    Catalog tables = to.read();
    assertThat(tables.tables()).hasSize(SavedWorld.PARTITIONS);
    assertThat(tables.lastPartition()).isEqualTo(SavedWorld.PARTITIONS);
    assertThat(tables.table("t2").origin()).hasValue(to.origin(2));
    assertThat(tables.identity().orElseThrow().origin()).isEqualTo(MemoryKafka.ORIGIN);
  }

  /** The saved log has no answers to writers, so the log alone would forget the writers. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void each_replica_begins_with_the_snapshot_also_when_the_last_record_names_none(long seed)
      throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(seed));
    MemoryKafka to = new MemoryKafka();
    var unused = restore(world, to);
    for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
      List<Long> both = to.logs.lastSnapshots(partition);
      assertThat(both).doesNotHaveDuplicates();
      assertThat(to.logs.beginning(partition)).isEqualTo(both);
      to.logs.claimAtSnapshot(partition, seed % 2 == 0 ? 0 : 1);
      assertThat(to.logs.beginning(partition)).isEqualTo(both);
    }
  }

  @Test
  void a_damaged_snapshot_costs_a_restored_partition_no_rows() throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(5));
    MemoryKafka to = new MemoryKafka();
    var unused = restore(world, to);
    for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
      to.logs.loseBlock(partition);
      int id = partition;
      try (TableStore damaged = open("damaged-" + partition);
          TableStore table = open("rows-" + partition)) {
        assertThatThrownBy(() -> to.logs.load(id, damaged))
            .isInstanceOf(SnapshotDamagedException.class);
        to.logs.loadOldest(partition, table);
        assertThat(RandomTable.entries(table, partition)).isEqualTo(world.entries(partition));
      }
    }
  }

  private TableStore open(String name) throws IOException {
    return RandomTable.open(Files.createDirectories(directory.resolve(name)));
  }

  @Test
  void tunnels_are_in_the_groups_of_their_tables_and_keep_their_checkpoints() throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(3));
    MemoryKafka to = new MemoryKafka();
    ClusterRestore.Outcome outcome = restore(world, to);
    Catalog tables = to.read();
    TunnelCatalog before = new TunnelCatalog(new Catalog(world.store));
    assertThat(outcome.renamed()).hasSize(SavedWorld.PARTITIONS);
    for (TunnelInfo tunnel : before.tunnels(Optional.empty())) {
      int tableId = tables.table(tunnel.table()).tableId();
      MemoryCatalogStore store = new MemoryCatalogStore();
      Map<String, Optional<String>> texts = new TreeMap<>();
      to.groups.get(tableId).forEach((name, text) -> texts.put(name, Optional.of(text)));
      store.write(texts);
      TunnelCatalog group = new TunnelCatalog(tables, store, tableId);
      String id = outcome.renamed().get(tunnel.tunnelId());
      assertThat(TunnelCatalog.groupOf(id)).hasValue(tableId);
      assertThat(group.tunnel(tunnel.table(), "n").tunnelId()).isEqualTo(id);
      assertThat(group.channels(group.tunnel(id))).isEqualTo(before.channels(tunnel));
      assertThat(group.starts()).isGreaterThanOrEqualTo(before.starts());
    }
  }

  @Test
  void a_restore_that_fails_anywhere_leaves_no_cluster_and_succeeds_when_repeated()
      throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(8));
    MemoryKafka whole = new MemoryKafka();
    whole.logs.failAfter(Long.MAX_VALUE);
    var unusedOutcome = restore(world, whole);
    int failures = 0;
    MemoryKafka to = new MemoryKafka();
    for (int left : new int[] {0, 1, 2, 3, 5, 8, 13, 20, 30, 45}) {
      to.logs.failAfter(left);
      failures += requireFails(world, to, LogSilentException.class);
    }
    to.logs.failAfter(Long.MAX_VALUE);
    for (int left : new int[] {0, 1, 2, 3, 9, 18}) {
      to.writesLeft = left;
      failures += requireFails(world, to, IOException.class);
    }
    assertThat(failures).isEqualTo(16);
    to.writesLeft = Integer.MAX_VALUE;
    var unused = restore(world, to);
    requireRestored(world, to);
    assertThat(LogForm.APPENDS.objection(to.catalog)).isEmpty();
    assertThat(to.catalog.keySet()).isEqualTo(whole.catalog.keySet());
    assertThat(to.groups).isEqualTo(whole.groups);
  }

  private static int requireFails(
      SavedWorld world, MemoryKafka to, Class<? extends IOException> reason) {
    assertThatThrownBy(() -> restore(world, to))
        .satisfies(failure -> assertThat(rootOf(failure)).isInstanceOf(reason));
    assertThat(to.catalog).containsOnlyKeys("restoring");
    for (LogForm form : LogForm.values()) {
      assertThat(form.objection(to.catalog).orElseThrow()).contains("has not ended");
      assertThatThrownBy(() -> form.require(to.catalog)).hasMessageContaining("has not ended");
      assertThat(form.isForeign(to.catalog)).as("takes the texts that end the restore").isFalse();
    }
    return 1;
  }

  private static Throwable rootOf(Throwable failure) {
    return failure.getCause() == null ? failure : rootOf(failure.getCause());
  }

  /** An exit code says that a repetition may help. */
  @Test
  void a_log_that_keeps_silent_or_does_not_know_the_fate_of_a_record_or_block_is_named()
      throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(8));
    Set<String> reasons = new TreeSet<>();
    for (int left = 0; left < 60; left++) {
      MemoryKafka to = new MemoryKafka();
      to.logs.failAfter(left);
      try {
        var unused = restore(world, to);
      } catch (IOException e) {
        assertThat(rootOf(e)).isInstanceOf(LogSilentException.class);
        reasons.add(rootOf(e).getMessage().replaceAll("[0-9]+", "N"));
      }
    }
    assertThat(reasons)
        .containsExactly(
            "block N may not be in the log; begin again",
            "the log does not say whether it has a record; begin again");
    MemoryKafka silent = new MemoryKafka();
    silent.logs.isSilent = true;
    silent.waitMsMax = 1;
    assertThatThrownBy(() -> restore(world, silent))
        .hasCauseInstanceOf(LogSilentException.class)
        .hasMessageEndingWith("the log did not answer within 1 ms; begin again");
  }

  @Test
  void a_cluster_that_has_a_catalog_stays_as_it_is() throws IOException {
    SavedWorld world = new SavedWorld(directory.resolve("data"), new Random(2));
    MemoryKafka to = new MemoryKafka();
    var unused = restore(world, to);
    List<Bytes> before = bytes(to.logs.changes(1));
    TreeMap<String, String> texts = new TreeMap<>(to.catalog);
    assertThatThrownBy(() -> restore(world, to)).hasMessageContaining("has a catalog already");
    assertThat(to.catalog).isEqualTo(texts);
    assertThat(bytes(to.logs.changes(1))).isEqualTo(before);
  }
}
