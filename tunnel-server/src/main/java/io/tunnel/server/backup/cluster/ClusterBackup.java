package io.tunnel.server.backup.cluster;

import io.tunnel.model.Level;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.MovedCatalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.store.DirectoryFormat;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.replica.append.LogMovedException;
import io.tunnel.server.replica.append.PartitionSave;
import io.tunnel.server.replica.append.PartitionSave.Taken;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the directory of a single server of a cluster's topics, while the cluster serves. {@link
 * io.tunnel.server.backup.Backup} takes the backup of this directory, so backups of clusters and of
 * single servers have one form.
 *
 * <p>The order of the reads makes the parts fit: the catalog, the tunnels with their checkpoints,
 * the end of each partition, the catalog again. So no checkpoint is after the end of its partition,
 * and all that was acknowledged before the backup began is in the backup.
 */
public final class ClusterBackup {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterBackup.class);
  private static final int ATTEMPTS_MAX = 10;

  private final Clusters source;
  private final Path staging;
  private final int shards;
  private final int origin;
  private final Pace pace;

  /**
   * How fast a backup proceeds.
   *
   * @param threads number of shards that are made at once, at least 1; {@link KafkaClusters} names
   *     the memory of a thread
   * @param progress receives the bytes that were read since the call before; any thread
   */
  public record Pace(int threads, LongConsumer progress) {}

  /** The topics of a cluster, which are only read. A fake of tests is in memory. */
  public interface Clusters {

    /** The texts of the catalog, with all writes before the call. */
    Map<String, String> catalogTexts() throws IOException;

    /** The texts of a group of tunnels, with all writes before the call. */
    Map<String, String> groupTexts(int group) throws IOException;

    /** The logs of these tables. */
    ReadableAppendLog appends(Catalog tables);

    /** The logs of blocks of these tables. */
    SnapshotBlocks blocks(Catalog tables);

    /** After which a log that does not answer fails the backup. */
    long waitMsMax();
  }

  /**
   * What was read.
   *
   * @param service names the cluster in a set; no two clusters have equal names
   */
  public record Outcome(int tables, int partitions, String service) {}

  /**
   * A backup.
   *
   * @param staging the directory to make, which does not exist or is empty
   * @param shards of the directory
   * @param origin random, at least 1; ties logs and rows of the directory to its catalog
   */
  public ClusterBackup(Clusters source, Path staging, int shards, int origin, Pace pace) {
    this.source = source;
    this.staging = staging;
    this.shards = shards;
    this.origin = origin;
    this.pace = pace;
  }

  /**
   * Reads the cluster.
   *
   * @throws IOException when there is no such cluster, Kafka does not answer, a partition has no
   *     intact snapshot, trims overtake the reading of a partition again and again, or tables are
   *     created and dropped all the time; the directory is useless then, and says so by a missing
   *     FORMAT
   */
  public Outcome run() throws IOException {
    requireEmpty();
    for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      PrivateFiles.deleteAll(staging);
      Map<String, String> texts = source.catalogTexts();
      requireUsable(texts);
      StoredCatalog catalog = StoredCatalog.of(new TreeMap<>(texts));
      try {
        List<Map<String, String>> groups = groups();
        Map<Integer, IncarnationHistory> incarnations = partitions(catalog.tables());
        if (hasSameTables(catalog)) {
          StoredCatalog.write(
              staging.resolve("catalog"),
              MovedCatalog.toServer(texts, groups, incarnations, origin));
          DirectoryFormat.of(shards, Optional.empty(), MovedCatalog.levelOf(texts))
              .store(staging.resolve("FORMAT"));
          return new Outcome(
              catalog.tables().tables().size(), incarnations.size(), serviceOf(texts));
        }
      } catch (IOException e) {
        if (hasSameTables(catalog)) {
          throw e;
        }
        LOGGER.debug("a table was created or dropped; begins again", e);
      }
    }
    throw new IOException(
        "tables were created or dropped during each of "
            + ATTEMPTS_MAX
            + " attempts; take the backup when that has ended");
  }

  private static String serviceOf(Map<String, String> texts) throws IOException {
    CatalogIdentity identity =
        CatalogIdentity.in(texts)
            .orElseThrow(() -> new IOException("the catalog of the cluster has no identity"));
    return "cluster-" + identity.origin();
  }

  private void requireEmpty() throws IOException {
    if (Files.isDirectory(staging)) {
      try (Stream<Path> files = Files.list(staging)) {
        if (files.findAny().isPresent()) {
          throw new IOException(
              staging + " is not empty; name an empty directory, or one that does not exist");
        }
      }
    }
  }

  private static void requireUsable(Map<String, String> texts) throws IOException {
    if (texts.isEmpty()) {
      throw new IOException(
          "the cluster has no catalog: no node has founded a cluster of this name");
    }
    LogForm.APPENDS.require(texts);
    int level = MovedCatalog.levelOf(texts);
    if (level > Level.NEWEST) {
      throw new IOException(Level.below("the cluster", level, Level.NEWEST));
    }
  }

  private boolean hasSameTables(StoredCatalog before) throws IOException {
    Catalog now = StoredCatalog.of(new TreeMap<>(source.catalogTexts())).tables();
    return now.partitionIds().equals(before.tables().partitionIds())
        && now.lastPartition() == before.tables().lastPartition();
  }

  private List<Integer> threads() {
    return IntStream.range(0, pace.threads()).boxed().toList();
  }

  private List<Map<String, String>> groups() throws IOException {
    List<Integer> ids = IntStream.range(0, Unit.TUNNEL_GROUPS).boxed().toList();
    return SideBySide.all(
        "backup-tunnels", threads(), ids, (thread, group) -> source.groupTexts(group));
  }

  /** A shard takes one partition at a time, so as many shards as threads are made at once. */
  private Map<Integer, IncarnationHistory> partitions(Catalog tables) throws IOException {
    List<Integer> ids = IntStream.range(0, shards).boxed().toList();
    Map<Integer, IncarnationHistory> incarnations = new TreeMap<>();
    SideBySide.all("backup-shard", threads(), ids, (thread, id) -> shard(id, tables))
        .forEach(incarnations::putAll);
    return incarnations;
  }

  private Map<Integer, IncarnationHistory> shard(int id, Catalog tables) throws IOException {
    Map<Integer, IncarnationHistory> incarnations = new TreeMap<>();
    try (ReadableAppendLog appends = source.appends(tables);
        SnapshotBlocks blocks = source.blocks(tables);
        StagedShard shard =
            StagedShard.create(
                staging.resolve("shard-" + id),
                new LogIdentity(id, origin),
                tables::meta,
                pace.progress())) {
      for (int partition : tables.partitionIds()) {
        if (partition % shards == id) {
          PartitionSave save = new PartitionSave(appends, blocks, partition, source.waitMsMax());
          incarnations.put(partition, add(shard, save, partition, tables).incarnations());
        }
      }
      shard.finish();
    }
    return incarnations;
  }

  /** A leader may trim a log while the log is read. */
  private Taken add(StagedShard shard, PartitionSave save, int partition, Catalog tables)
      throws IOException {
    int attempt = 1;
    String name = tables.tableOfPartition(partition).meta().name();
    while (true) {
      try {
        return shard.add(save, partition);
      } catch (LogMovedException e) {
        if (attempt == ATTEMPTS_MAX) {
          throw new IOException(
              ("the log of partition %d of table %s was trimmed during each of %d attempts to read"
                      + " the partition: %s. Take the backup when the table gets fewer writes, or"
                      + " nearer to Kafka")
                  .formatted(partition, name, ATTEMPTS_MAX, e.getMessage()),
              e);
        }
        attempt++;
        LOGGER.warn("reads partition {} of table {} again: {}", partition, name, e.getMessage());
      } catch (IOException e) {
        throw new IOException(
            "cannot read partition %d of table %s: %s".formatted(partition, name, e.getMessage()),
            e);
      }
    }
  }
}
