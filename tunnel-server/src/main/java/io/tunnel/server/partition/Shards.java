package io.tunnel.server.partition;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All shards of a node. A partition belongs to the shard that its id names, for as long as it
 * lives.
 */
public final class Shards implements ChangeReader, PartitionHosts, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Shards.class);

  private final List<Shard> shards;

  /** All of a node, in the order of their ids. */
  Shards(List<Shard> shards) {
    this.shards = List.copyOf(shards);
  }

  /**
   * How shards are opened.
   *
   * @param directory holds one directory per shard
   * @param count how many; must be what it was when the directory was first used
   * @param segmentBytesMax see {@link LocalLog#open}
   * @param disks where the logs are
   */
  public record Layout(
      Path directory,
      int count,
      int segmentBytesMax,
      ShardConfig shard,
      TableStoreConfig table,
      Disks disks) {

    /** On the file system. */
    public Layout(
        Path directory, int count, int segmentBytesMax, ShardConfig shard, TableStoreConfig table) {
      this(directory, count, segmentBytesMax, shard, table, Disks.ofSystem());
    }
  }

  /**
   * Opens all shards and brings their tables up to their logs. Where the disk has no space for
   * that, the shard starts lagging: it takes no writes, and resumes when there is space.
   *
   * @throws IOException also when logs or rows do not belong to {@code catalog}; no row was removed
   *     then
   */
  public static Shards open(Layout layout, OwnCatalog catalog, Shard.Meter meter, Shard.Clock clock)
      throws IOException {
    List<Closeable> opened = new ArrayList<>();
    try {
      List<ShardFiles> files = new ArrayList<>();
      for (int id = 0; id < layout.count(); id++) {
        files.add(open(id, layout, catalog, opened));
      }
      // After all of them: one that is refused keeps rows from being removed in the others.
      List<Shard> shards = new ArrayList<>();
      for (ShardFiles of : files) {
        shards.add(recover(of, layout, catalog, ShardLogs.OWN, meter, clock));
      }
      shards.forEach(Shard::start);
      return new Shards(shards);
    } catch (IOException | RuntimeException e) {
      for (int i = opened.size() - 1; i >= 0; i--) {
        closeAfter(opened.get(i), e);
      }
      throw e;
    }
  }

  /** What a shard keeps, open, and looked at to belong to the catalog. */
  private record ShardFiles(int id, LocalLog log, TableStore table, Expiries lives) {}

  private static ShardFiles open(int id, Layout layout, OwnCatalog catalog, List<Closeable> opened)
      throws IOException {
    Path directory = layout.directory().resolve("shard-" + id);
    Belonging belonging = new Belonging(id, layout.count(), catalog);
    belonging.requireThere(directory);
    DurableFiles.create(directory);
    Disk disk = layout.disks().open(directory.resolve("log"));
    LogIdentity identity = new LogIdentity(id, catalog.origin());
    LocalLog log = LocalLog.open(disk, identity, layout.segmentBytesMax());
    opened.add(log);
    belonging.requireGiven(directory.resolve("log"), log.partitionIds());
    boolean isThere = Files.exists(directory.resolve("table/CURRENT"));
    belonging.requireRows(directory.resolve("table"), !isThere && log.hasLost());
    Path rows = DurableFiles.create(directory.resolve("table"));
    Expiries lives = new Expiries(catalog::expiry);
    TableStore table = TableStore.openUncompacted(rows, layout.table(), log::sync, lives);
    opened.add(table);
    belonging.requireGiven(rows, table.partitions());
    belonging.requireRows(rows, table.isNew() && log.hasLost());
    table.requireOrigin(catalog.origin());
    return new ShardFiles(id, log, table, lives);
  }

  /**
   * Opens the shards of a node whose partitions are in a log that many nodes share. The directory
   * is a cache of that log: the files of a shard that cannot be used are deleted. The shards begin
   * to work with {@link #start}.
   *
   * @param catalog says which partitions were not dropped
   */
  public static Shards openCache(
      Layout layout, OwnCatalog catalog, ShardLogs logs, Shard.Meter meter, Shard.Clock clock)
      throws IOException {
    List<Shard> shards = new ArrayList<>();
    try {
      for (int id = 0; id < layout.count(); id++) {
        shards.add(openCached(id, layout, catalog, logs, meter, clock));
      }
      return new Shards(shards);
    } catch (IOException | RuntimeException e) {
      closeAll(shards, e);
      throw e;
    }
  }

  /** All shards begin to work. */
  public void start() {
    shards.forEach(Shard::start);
  }

  private static Shard openCached(
      int id,
      Layout layout,
      OwnCatalog catalog,
      ShardLogs logs,
      Shard.Meter meter,
      Shard.Clock clock)
      throws IOException {
    Path directory = layout.directory().resolve("shard-" + id);
    Opening opening =
        () -> {
          ShardFiles files = openFiles(id, directory, layout, catalog);
          try {
            if (files.table().isNew() && !files.log().isWhole()) {
              throw new IOException("the rows are gone, and the local log has not all changes");
            }
            return recover(files, layout, catalog, logs, meter, clock);
          } catch (IOException | RuntimeException e) {
            closeAfter(files.table(), e);
            closeAfter(files.log(), e);
            throw e;
          }
        };
    try {
      return opening.open();
    } catch (IOException | RuntimeException e) {
      LOGGER.warn(
          "cannot use the replicas in {}; deletes them, and reads the shared log again",
          directory,
          e);
      PrivateFiles.deleteAll(directory);
      return opening.open();
    }
  }

  /** Opens what a shard keeps, and brings the table up to the log. */
  private interface Opening {
    Shard open() throws IOException;
  }

  private static ShardFiles openFiles(int id, Path directory, Layout layout, OwnCatalog catalog)
      throws IOException {
    Path rows = PrivateFiles.createDirectories(directory.resolve("table"));
    LocalLog log =
        LocalLog.open(layout.disks().open(directory.resolve("log")), id, layout.segmentBytesMax());
    try {
      Expiries lives = new Expiries(catalog::expiry);
      TableStore table = TableStore.openUncompacted(rows, layout.table(), log::sync, lives);
      return new ShardFiles(id, log, table, lives);
    } catch (IOException | RuntimeException e) {
      closeAfter(log, e);
      throw e;
    }
  }

  private static Shard recover(
      ShardFiles files,
      Layout layout,
      OwnCatalog catalog,
      ShardLogs logs,
      Shard.Meter meter,
      Shard.Clock clock)
      throws IOException {
    TableStore table = files.table();
    SeenPlaces places = logs.places(files.id(), table.states());
    Refold refold =
        new Refold(
            table,
            catalog::hasPartition,
            catalog::autoNumbers,
            catalog::sessionOwner,
            layout.shard().writers().of(layout.count()),
            places);
    StoredRows stored = new StoredRows(table, refold.seen(), catalog::hasPartition, files.lives());
    CatchUp rest = new CatchUp(files.log(), table, refold);
    if (table.isNew()) {
      // All of the log may be missing in it, which is too much for files that are not compacted.
      table.compact();
    }
    Optional<DiskFullException> full = Optional.empty();
    try {
      table.noteOrigin(catalog.origin());
      table.retainPartitions(catalog::hasPartition);
      rest.fold();
    } catch (DiskFullException e) {
      full = Optional.of(e);
    }
    meter.numbered(files.id(), refold.seen().writers().taken());
    // Not before: on a disk that is nearly full, a compaction takes the space that the fold needs.
    table.compact();
    AtomicReference<Shard> made = new AtomicReference<>();
    ShardLog log =
        logs.open(files.id(), files.log(), places, action -> made.get().execute(Set.of(), action));
    Shard shard = new Shard(files.id(), layout.shard(), log, stored, meter, clock);
    made.set(shard);
    full.ifPresent(found -> shard.beginBehind(rest, found));
    return shard;
  }

  private static void closeAfter(Closeable opened, Exception failure) {
    try {
      opened.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** The shard of a partition. */
  @Override
  public Shard of(int partition) {
    return shards.get(indexOf(partition));
  }

  /** Where the shard of a partition stands in {@link #all}. */
  int indexOf(int partition) {
    return partition % shards.size();
  }

  /** No change in any log was committed later; before anything is written. */
  public long newestMicros() {
    return shards.stream().mapToLong(shard -> shard.log().newestMicros()).max().orElse(0);
  }

  /** How the worst of their disks does. */
  public DiskCondition condition() {
    return shards.stream()
        .map(Shard::condition)
        .max(Comparator.naturalOrder())
        .orElse(DiskCondition.UP);
  }

  /** All of them. */
  public List<Shard> all() {
    return shards;
  }

  @Override
  public long committed(int partition) {
    return of(partition).log().committed(partition);
  }

  @Override
  public long firstPosition(int partition) {
    return of(partition).log().firstPosition(partition);
  }

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    return of(partition).log().plan(partition, position, bytesMax);
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return of(partition).log().bytesAfter(partition, position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    return of(partition).log().commitMicrosAfter(partition, position);
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    return of(partition).log().positionBefore(partition, epochMicros);
  }

  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return of(partition).log().givenUpMicros(partition);
  }

  @Override
  public void subscribe(int partition, ChangeReader.CommitListener listener) {
    of(partition).log().subscribe(partition, listener);
  }

  @Override
  public void unsubscribe(int partition, ChangeReader.CommitListener listener) {
    of(partition).log().unsubscribe(partition, listener);
  }

  @Override
  public void close() throws IOException {
    IOException failure = new IOException("cannot close all shards");
    closeAll(shards, failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }

  private static void closeAll(List<Shard> shards, Exception failure) {
    for (Shard shard : shards) {
      closeAfter(shard, failure);
    }
  }

  /**
   * Refuses log and rows of a shard that the catalog beside them cannot be of, before a start
   * removes anything as the rest of a dropped table.
   *
   * @param shards how many there are
   */
  private record Belonging(int shard, int shards, OwnCatalog catalog) {

    /** A shard is made before its first partition: one that is missing was lost. */
    void requireThere(Path directory) throws IOException {
      boolean isExpected =
          catalog.partitionIds().stream().anyMatch(partition -> partition % shards == shard);
      if (isExpected && !Files.isDirectory(directory)) {
        throw new IOException(
            directory
                + " is missing, though tables have partitions there. Nothing was changed; restore"
                + " that directory from a backup");
      }
    }

    /** Rows that are not there are made of the log, which no start may do without all changes. */
    void requireRows(Path where, boolean cannotBeMade) throws IOException {
      if (cannotBeMade) {
        throw new IOException(
            where
                + " has no rows, and damaged changes of the log were deleted. Nothing was changed;"
                + " restore the rows from a backup, or make them of the changes that are left:"
                + " ./tunnel doctor --salvage");
      }
    }

    /**
     * The catalog counts a partition before the first change of it can be written, so {@code found}
     * beyond its count are of a newer catalog, or of none that this one knows.
     */
    void requireGiven(Path where, Set<Integer> found) throws IOException {
      int last = found.isEmpty() ? 0 : Collections.max(found);
      if (last > catalog.lastPartition()) {
        throw new IOException(
            where
                + " has changes or rows of partition "
                + last
                + ", but the catalog has given out ids up to "
                + catalog.lastPartition()
                + " only: it is older, or another one. Nothing was changed; restore a newer 'catalog',"
                + " or the whole directory from one backup");
      }
    }
  }
}
