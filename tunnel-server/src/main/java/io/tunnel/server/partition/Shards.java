package io.tunnel.server.partition;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * All shards of a node. A partition belongs to the shard that its id names, for as long as it
 * lives.
 */
public final class Shards implements ChangeReader, PartitionHosts, Closeable {

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
   * Opens all shards and brings their tables up to their logs.
   *
   * @param isLive whether a partition exists at the moment of the question, asked by any thread;
   *     changes and rows of others are left behind, and writes to them refused
   */
  public static Shards open(
      Layout layout, IntPredicate isLive, Shard.Meter meter, Shard.Clock clock) throws IOException {
    List<Shard> opened = new ArrayList<>();
    try {
      for (int id = 0; id < layout.count(); id++) {
        opened.add(open(id, layout, isLive, meter, clock));
      }
    } catch (IOException | RuntimeException e) {
      closeAll(opened, e);
      throw e;
    }
    opened.forEach(Shard::start);
    return new Shards(opened);
  }

  private static Shard open(
      int id, Layout layout, IntPredicate isLive, Shard.Meter meter, Shard.Clock clock)
      throws IOException {
    Path directory = DurableFiles.create(layout.directory().resolve("shard-" + id));
    Disk disk = layout.disks().open(directory.resolve("log"));
    LocalLog log = LocalLog.open(disk, id, layout.segmentBytesMax());
    try {
      return open(id, layout, isLive, log, meter, clock);
    } catch (IOException | RuntimeException e) {
      closeAfter(log, e);
      throw e;
    }
  }

  private static Shard open(
      int id,
      Layout layout,
      IntPredicate isLive,
      LocalLog log,
      Shard.Meter meter,
      Shard.Clock clock)
      throws IOException {
    Path rows = DurableFiles.create(layout.directory().resolve("shard-" + id).resolve("table"));
    TableStore table = TableStore.open(rows, layout.table(), log::sync);
    try {
      table.retainPartitions(isLive);
      Refold refold = new Refold(table, isLive);
      log.replay(table.foldedOffset(), refold);
      StoredRows stored = new StoredRows(table, refold.bounds(), isLive);
      return new Shard(id, layout.shard(), log, stored, meter, clock);
    } catch (IOException | RuntimeException e) {
      closeAfter(table, e);
      throw e;
    }
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
}
