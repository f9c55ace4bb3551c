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
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.replica.append.PartitionRestore;
import io.tunnel.server.replica.append.PartitionRestore.Written;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
   * How fast a restore proceeds.
   *
   * @param threads number of partitions, or stores of tunnels, that are written at once, at least
   *     1; {@link KafkaClusters} names the memory of a thread
   * @param progress receives the bytes that were written since the call before; any thread
   * @param remarks receives lines for people
   */
  public record Pace(int threads, LongConsumer progress, Consumer<String> remarks) {

    /** A pace without remarks. */
    public Pace(int threads, LongConsumer progress) {
      this(threads, progress, remark -> {});
    }
  }

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

    /** The texts of the catalog, with all writes before the call. Fences no writer. */
    Map<String, String> catalogTexts() throws IOException;

    /** The catalog's store, as its only writer: a former writer can write nothing any more. */
    CatalogStore catalog() throws IOException;

    /** The store of a group of tunnels, as its only writer. */
    CatalogStore group(int group) throws IOException;

    /** The topics of all tables that exist: their origins by their names. */
    Map<String, Bytes> topicsOfTables() throws IOException;

    /** Asks for the deletion of the topics with these origins, which may exist for a while. */
    void drop(Map<String, Bytes> topics) throws IOException;

    /** Creates the topics of a table, and returns their origin. */
    Bytes create(TableRecord table) throws IOException;

    /** A line for each reason why nodes could not use the topics of these new tables. */
    List<String> problems(List<TableRecord> tables) throws IOException;

    /** A line for each topic of these tables that is missing, or is not the topic of its origin. */
    List<String> lost(List<TableRecord> tables) throws IOException;

    /** The logs of the tables that were created. */
    ReadableAppendLog appends(Catalog tables);

    /** The logs of blocks of the tables that were created. */
    SnapshotBlocks blocks(Catalog tables);

    /** After which a log that does not answer fails the restore. */
    long waitMsMax();

    /** A clock in nanoseconds that never goes back. */
    long nanos();

    /** Waits for so many milliseconds. */
    void pause(long ms) throws IOException;

    /** Runs an action on a thread of its own, with pauses of so many milliseconds, until closed. */
    Closeable every(long ms, Runnable action);
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

  /** As {@link #run(Optional, long, long)}, without an earlier look at the cluster. */
  public Outcome run(long takenMs, long nowMs) throws IOException {
    return run(Optional.empty(), takenMs, nowMs);
  }

  /**
   * Restores.
   *
   * @param watched as {@link KafkaClusters#requireFree} returned it
   * @param takenMs when the backup was taken
   * @param nowMs the clock, in milliseconds since 1970
   * @throws RestoreRunsException when another restore into the cluster runs
   * @throws IOException when the cluster has a catalog already, Kafka refuses something, the
   *     directory is damaged, or another restore has taken over; a repeated restore starts from the
   *     beginning
   */
  public Outcome run(Optional<RestoreNote> watched, long takenMs, long nowMs) throws IOException {
    StoredCatalog stored = StoredCatalog.read(data.resolve("catalog"));
    Bytes origin = target.openState();
    RestoreNote note = new RestoreNote(takenMs, nowMs, chance.longs().getAsLong());
    try (RestoreLease lease =
        RestoreLease.take(target, note, watched, pace.threads(), pace.remarks())) {
      dropTables(lease);
      List<TableRecord> created = createTables(stored.tables().tables(), lease);
      Written written = writePartitions(stored, nowMs, lease);
      Map<Integer, Bytes> origins = new HashMap<>();
      created.forEach(table -> origins.put(table.tableId(), table.origin().orElseThrow()));
      MovedCatalog moved =
          MovedCatalog.toCluster(
              stored,
              origins,
              tableId -> Unit.groupOf(Unit.ofTunnels(tableId)),
              Unit.TUNNEL_GROUPS,
              new Founding(
                  new CatalogIdentity(origin), chance.grantKey(), Level.NEWEST, LogForm.APPENDS));
      // A restore that took over before has fenced the groups, too, or will read what is written.
      lease.confirm();
      writeGroups(moved.groups(), lease);
      requireOwn(created);
      writeLast(lease, moved.catalog());
      return new Outcome(
          origins.size(),
          stored.tables().partitionIds().size(),
          written.changes(),
          written.rows(),
          moved.renamed());
    }
  }

  /** Deletes the topics of a failed restore, and returns when they do not exist any more. */
  private void dropTables(RestoreLease lease) throws IOException {
    long sinceNanos = target.nanos();
    for (Map<String, Bytes> left = target.topicsOfTables();
        !left.isEmpty();
        left = target.topicsOfTables()) {
      if (target.nanos() - sinceNanos >= TimeUnit.MILLISECONDS.toNanos(target.waitMsMax())) {
        throw new LogUnavailableException(
            "Kafka did not delete the topics of a failed restore in time", null);
      }
      // Topics that were found before are of no restore that takes over after this line.
      lease.confirm();
      target.drop(left);
    }
  }

  private List<TableRecord> createTables(Collection<TableRecord> tables, RestoreLease lease)
      throws IOException {
    List<TableRecord> created = new ArrayList<>();
    for (TableRecord table : tables) {
      lease.requireHeld();
      created.add(table.withOrigin(Optional.of(target.create(table))));
    }
    List<String> problems = target.problems(created);
    if (!problems.isEmpty()) {
      throw new IOException(
          "nodes could not use the topics that this restore has created: "
              + String.join("; ", problems)
              + ". The cause is a policy of the brokers, another program that alters topics, or a"
              + " missing right: mend the cause, and run the command again");
    }
    return created;
  }

  /** Records were written by the names of topics, and the catalog names topics by their ids. */
  private void requireOwn(List<TableRecord> created) throws IOException {
    List<String> lost = target.lost(created);
    if (!lost.isEmpty()) {
      throw new IOException(
          "another program has replaced topics of this restore: "
              + String.join("; ", lost)
              + ". Run one 'tunnel cluster restore' at a time, and run the command again");
    }
  }

  private void writeGroups(Map<Integer, Map<String, Optional<String>>> groups, RestoreLease lease)
      throws IOException {
    List<Integer> ids = IntStream.range(0, Unit.TUNNEL_GROUPS).boxed().toList();
    List<Integer> threads = IntStream.range(0, pace.threads()).boxed().toList();
    var unused =
        SideBySide.all(
            "restore-tunnels",
            threads,
            ids,
            (thread, group) -> {
              try {
                replace(lease.group(group), groups.get(group));
              } catch (FencedStoreException e) {
                throw RestoreLease.lost(e);
              } catch (IOException e) {
                throw new IOException(
                    "cannot restore group " + group + " of tunnels: " + e.getMessage(), e);
              }
              return group;
            });
  }

  private static void writeLast(RestoreLease lease, Map<String, Optional<String>> texts)
      throws IOException {
    try {
      lease.end(texts);
    } catch (UnknownOutcomeException e) {
      throw new IOException(
          "whether Kafka has stored the catalog, the last step of the restore, is not known: run"
              + " the command again. If the catalog is stored, the command says so, and the restore"
              + " is complete",
          e);
    }
  }

  /** Refuses a cluster that has a catalog; accepts the leftovers of a restore. */
  static void requireFree(Map<String, String> texts) throws IOException {
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

  private Written writePartitions(StoredCatalog stored, long nowMs, RestoreLease lease)
      throws IOException {
    Pace guarded = new Pace(pace.threads(), bytes -> proceed(lease, bytes));
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
                    (to, partition) ->
                        write(new Part(to, shard, partition, least), stored, guarded, lease)));
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

  /** Called before each write of a partition. */
  private void proceed(RestoreLease lease, long bytes) {
    try {
      lease.requireHeld();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    pace.progress().accept(bytes);
  }

  /** A partition that is restored. */
  private record Part(Logs to, SavedShard from, int partition, long least) {}

  private Written write(Part part, StoredCatalog stored, Pace guarded, RestoreLease lease)
      throws IOException {
    PartitionRestore.Target logs =
        new PartitionRestore.Target(
            part.to().appends(), part.to().blocks(), chance.longs(), target.waitMsMax());
    int partition = part.partition();
    try {
      return new PartitionRestore(
              logs,
              part.from().changes(partition, part.least()),
              guarded.progress(),
              lease.unanswered())
          .run(() -> part.from().rows(partition));
    } catch (UncheckedIOException e) {
      throw e.getCause();
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
