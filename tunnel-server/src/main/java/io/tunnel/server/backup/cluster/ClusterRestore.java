package io.tunnel.server.backup.cluster;

import io.tunnel.model.Level;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.MovedCatalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.replica.append.PartitionRestore;
import io.tunnel.server.replica.append.PartitionRestore.Written;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Makes a cluster of the directory of a single server that no server has open. The catalog is
 * written last, in one write: before, each node refuses the cluster, and a repeated restore deletes
 * the topics of the failed one.
 */
public final class ClusterRestore {

  private final Path data;
  private final int shards;
  private final Clusters target;
  private final Chance chance;
  private final Pace pace;

  /**
   * How fast a restore goes on.
   *
   * @param threads number of partitions, or stores of tunnels, that are written at once, at least
   *     1; {@link KafkaClusters} names the memory of a thread
   * @param progress is told the bytes that were written since the call before; any thread
   */
  public record Pace(int threads, LongConsumer progress) {}

  /**
   * Random numbers; any thread.
   *
   * @param longs any
   * @param grantKey {@link io.tunnel.server.catalog.ChannelGrants#KEY_BYTES} secret bytes
   */
  public record Chance(LongSupplier longs, Bytes grantKey) {}

  /**
   * What a restore made.
   *
   * @param changes that the logs of all partitions have
   * @param rows of all partitions
   * @param renamed by former id of a tunnel, its id in the cluster
   */
  public record Outcome(
      int tables, int partitions, long changes, long rows, SortedMap<String, String> renamed) {
    /** Copies the map. */
    public Outcome {
      renamed = new TreeMap<>(renamed);
    }
  }

  /** The topics of a cluster, where no node runs. A fake of tests is in memory. */
  public interface Clusters {

    /** Creates the topics of catalog and tunnels, where they do not exist. */
    Bytes openState() throws IOException;

    /** The catalog's store, as its only writer. */
    CatalogStore catalog() throws IOException;

    /** The store of a group of tunnels, as its only writer. */
    CatalogStore group(int group) throws IOException;

    /** Deletes the topics of all tables, and returns when they do not exist any more. */
    void dropTables() throws IOException;

    /** Creates the topics of a table, and returns their origin. */
    Bytes create(TableRecord table) throws IOException;

    /** The logs of the tables that were created. */
    ReadableAppendLog appends(Catalog tables);

    /** The logs of blocks of the tables that were created. */
    SnapshotBlocks blocks(Catalog tables);

    /** After which a log that does not answer fails the restore. */
    long waitMsMax();
  }

  /**
   * A restore.
   *
   * @param data a directory that {@link io.tunnel.server.backup.Restore} has made
   * @param shards of the directory
   */
  public ClusterRestore(Path data, int shards, Clusters target, Chance chance, Pace pace) {
    this.data = data;
    this.shards = shards;
    this.target = target;
    this.chance = chance;
    this.pace = pace;
  }

  /**
   * Restores.
   *
   * @param takenMs when the backup was taken
   * @param nowMs the clock, in milliseconds since 1970
   * @throws IOException when the cluster has a catalog already, Kafka refuses something, or the
   *     directory is damaged; a repeated restore begins anew
   */
  public Outcome run(long takenMs, long nowMs) throws IOException {
    StoredCatalog stored = StoredCatalog.read(data.resolve("catalog"));
    Bytes origin = target.openState();
    try (CatalogStore catalog = target.catalog()) {
      requireFree(catalog.all());
      catalog.write(new RestoreNote(takenMs, nowMs).noting());
      target.dropTables();
      Map<Integer, Bytes> origins = new HashMap<>();
      for (TableRecord table : stored.tables().tables()) {
        origins.put(table.tableId(), target.create(table));
      }
      Written written = writePartitions(stored, nowMs);
      MovedCatalog moved =
          MovedCatalog.toCluster(
              stored,
              origins,
              tableId -> Unit.groupOf(Unit.ofTunnels(tableId)),
              Unit.TUNNEL_GROUPS,
              new Founding(
                  new CatalogIdentity(origin), chance.grantKey(), Level.NEWEST, LogForm.APPENDS));
      writeGroups(moved.groups());
      writeLast(catalog, moved.catalog());
      return new Outcome(
          origins.size(),
          stored.tables().partitionIds().size(),
          written.changes(),
          written.rows(),
          moved.renamed());
    }
  }

  /** Opening a store takes several answers of Kafka, one after the other. */
  private void writeGroups(Map<Integer, Map<String, Optional<String>>> groups) throws IOException {
    List<Integer> ids = IntStream.range(0, Unit.TUNNEL_GROUPS).boxed().toList();
    List<Integer> threads = IntStream.range(0, pace.threads()).boxed().toList();
    var unused =
        SideBySide.all(
            "restore-tunnels",
            threads,
            ids,
            (thread, group) -> {
              try (CatalogStore store = target.group(group)) {
                replace(store, groups.get(group));
              } catch (IOException e) {
                throw new IOException(
                    "cannot restore group " + group + " of tunnels: " + e.getMessage(), e);
              }
              return group;
            });
  }

  private static void writeLast(CatalogStore catalog, Map<String, Optional<String>> texts)
      throws IOException {
    try {
      catalog.write(texts);
    } catch (UnknownOutcomeException e) {
      throw new IOException(
          "whether Kafka has stored the catalog, the last step of the restore, is not known: run"
              + " the command again. If the catalog is stored, the command says so, and the restore"
              + " is complete",
          e);
    }
  }

  private static void requireFree(Map<String, String> texts) throws IOException {
    if (!texts.isEmpty() && RestoreNote.in(texts).isEmpty()) {
      throw new IOException(
          "the cluster has a catalog already: name a cluster that does not exist; nothing was"
              + " changed");
    }
  }

  /** A failed restore may have left texts. */
  private static void replace(CatalogStore store, Map<String, Optional<String>> texts)
      throws IOException {
    Map<String, Optional<String>> changes = new HashMap<>();
    store.all().keySet().forEach(name -> changes.put(name, Optional.empty()));
    changes.putAll(texts);
    store.write(changes);
  }

  private Written writePartitions(StoredCatalog stored, long nowMs) throws IOException {
    long least = MovedCatalog.leastIncarnation(stored.texts(), nowMs);
    List<Written> all = new ArrayList<>();
    try (Opened<Logs> logs = new Opened<>()) {
      for (int i = 0; i < pace.threads(); i++) {
        logs.add(new Logs(target.appends(stored.tables()), target.blocks(stored.tables())));
      }
      for (int id = 0; id < shards; id++) {
        List<Integer> partitions = partitionsOf(stored, id);
        if (!partitions.isEmpty()) {
          try (SavedShard shard = SavedShard.open(data.resolve("shard-" + id), id, stored)) {
            all.addAll(
                SideBySide.all(
                    "restore-partition",
                    logs.all(),
                    partitions,
                    (to, partition) -> write(to, shard, partition, least, stored)));
          }
        }
      }
    }
    return new Written(
        all.stream().mapToLong(Written::changes).sum(),
        all.stream().mapToLong(Written::rows).sum(),
        all.stream().mapToLong(Written::blockBytes).sum());
  }

  /** What one thread writes to. */
  private record Logs(ReadableAppendLog appends, SnapshotBlocks blocks) implements Closeable {
    @Override
    public void close() throws IOException {
      try (appends) {
        blocks.close();
      }
    }
  }

  private Written write(Logs to, SavedShard from, int partition, long least, StoredCatalog stored)
      throws IOException {
    PartitionRestore.Target logs =
        new PartitionRestore.Target(to.appends(), to.blocks(), chance.longs(), target.waitMsMax());
    try {
      return new PartitionRestore(logs, from.changes(partition, least), pace.progress())
          .run(from.rows(partition));
    } catch (IOException e) {
      throw new IOException(
          "cannot restore partition %d of table %s: %s"
              .formatted(
                  partition,
                  stored.tables().tableOfPartition(partition).meta().name(),
                  e.getMessage()),
          e);
    }
  }

  private List<Integer> partitionsOf(StoredCatalog stored, int shard) {
    return stored.tables().tables().stream()
        .flatMap(table -> table.partitions().stream())
        .map(PartitionRecord::id)
        .filter(partition -> partition % shards == shard)
        .toList();
  }
}
