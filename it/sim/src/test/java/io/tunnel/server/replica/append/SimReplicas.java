package io.tunnel.server.replica.append;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.OpenFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.SimShards;
import io.tunnel.server.partition.SimSteps;
import io.tunnel.server.replica.LocalRetention;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * The replicas of a simulated node over a log of appends: real shards, local logs on simulated
 * disks, and real tables. A table is written to its files when the simulation says so, and a kill
 * loses what is not in the files.
 */
public final class SimReplicas {

  private static final int SEGMENT_BYTES_MAX = 3_000;
  private static final int OPEN_FILES_MAX = 4;
  private static final int FLUSHED_ONE_IN = 60;

  private final AppendReplicas all;
  private final List<LaneKeeper> keepers;
  private final List<LocalRetention> retentions = new ArrayList<>();
  private final SimStorage storage;
  private final boolean[] isAwake;

  /**
   * What a node has of the shared log.
   *
   * @param reach asks the log, for what no other port asks
   */
  public record Shared(ReadableAppendLog log, SimSnapshots snapshots, Reached reach) {}

  /**
   * What the replicas of a node are given.
   *
   * @param leaders where a partition's leader is reached, as HOST:PORT, if the address is known
   * @param others replicas on other nodes
   */
  public record Given(
      Shared shared,
      AppendReplicas.Self self,
      AppendReplicas.Known known,
      IntFunction<Optional<String>> leaders,
      OtherReplicas others,
      Shard.Clock clock) {}

  /** Asks something that the log answers, or does not. */
  @FunctionalInterface
  public interface Reached {
    /** Runs one of both later, by a thread of the node. */
    void ask(Runnable reached, Runnable failed);
  }

  /** Opens what is stored, and follows the log. */
  public SimReplicas(SimStorage storage, ReplicaConfig config, Given given) throws IOException {
    this.storage = storage;
    AppendReplicas.Ports ports =
        new AppendReplicas.Ports(
            given.shared().log(),
            given.self(),
            given.leaders(),
            given.known(),
            partition -> problems(given.shared().reach()),
            given.shared().snapshots().ports(given.shared().log(), given.others()));
    int count = storage.disks().size();
    Shards.Layout layout =
        new Shards.Layout(
            storage.directory(),
            count,
            SEGMENT_BYTES_MAX,
            new ShardConfig(4_096, 4_096, 8L << 20),
            new TableStoreConfig(1 << 20, 1 << 20, 1),
            new OpenFiles(storage::open, OPEN_FILES_MAX));
    ReplicasIdentity identity = new ReplicasIdentity("log", Bytes.fromHex("01"), count);
    identity.claim(storage.directory());
    LaneShards lanes =
        LaneShards.of(new AppendReplicas.Layout(identity, layout, config), ports, given.clock());
    Shards shards =
        Shards.openCache(layout, given.known().catalog(), lanes, SimShards.NO_METER, given.clock());
    keepers = lanes.keepers(shards);
    isAwake = new boolean[count];
    all = new AppendReplicas(shards, keepers, lanes, config, SimSnapshots.fast(given.clock()));
    for (Shard shard : shards.all()) {
      storage.opened(shard.store());
      retentions.add(
          new LocalRetention(
              shard.log(),
              storage.localBytesMax(),
              given.known().retentionMicros(),
              partition -> !given.known().partitions().isDropped(partition),
              new Flushed(storage, shard.store())));
    }
    all.followAll(lanes.stored());
  }

  private static CompletableFuture<Optional<String>> problems(Reached reach) {
    CompletableFuture<Optional<String>> found = new CompletableFuture<>();
    reach.ask(
        () -> found.complete(Optional.empty()),
        () -> found.completeExceptionally(new IOException("no answer in time")));
    return found;
  }

  /** A table whose files are complete when a flush was asked for. */
  private record Flushed(SimStorage storage, TableStore store) implements LocalRetention.Table {
    @Override
    public long durableOffset() throws IOException {
      return store.durableOffset();
    }

    @Override
    public void startFlush() throws IOException {
      storage.flush(store);
    }
  }

  private Shard shard(int partition) {
    return all.shards().get(partition % count());
  }

  /** As the rest of the node sees them. */
  public AppendReplicas all() {
    return all;
  }

  /** How many shards there are. */
  public int count() {
    return keepers.size();
  }

  /**
   * Whether the thread of a shard would sleep: the last step found nothing to do, and no task was
   * posted since. A shard whose groups are under way sleeps until the log answers.
   */
  public boolean isAsleep(int shard) {
    return !isAwake[shard] && !SimSteps.hasPosted(all.shards().get(shard));
  }

  /** Lets a shard do what waits, and what it is time for. */
  public void step(int shard) {
    isAwake[shard] = SimSteps.step(all.shards().get(shard));
    if (storage.random().nextInt(FLUSHED_ONE_IN) == 0) {
      try {
        storage.flush(all.shards().get(shard).store());
      } catch (IOException e) {
        throw new IllegalStateException("a simulated table fails", e);
      }
    }
  }

  /**
   * Lets the local logs forget what is too old, with flushes that are complete when they return.
   */
  public void retain(long nowMicros) {
    for (int shard = 0; shard < count(); shard++) {
      keepers.get(shard).retain(retentions.get(shard), nowMicros);
    }
    // Trims nothing more, and forgets pages of partitions that are not served any more.
    all.retain(0);
  }

  /** The process has ended: releases what a snapshot holds. */
  public void end() {
    var unused = all.stopSnapshots();
  }

  /** Whether a shard has failed. */
  public boolean hasFailed() {
    return all.shards().stream().anyMatch(Shard::hasFailed);
  }

  /** Whether writes to the partition are taken here. */
  public boolean isWritable(int partition) {
    return all.isServing(partition);
  }

  /** The rows of a partition by encoded keys. */
  public SortedMap<Bytes, NavigableMap<String, ColumnValue>> rows(int partition) {
    SortedMap<Bytes, NavigableMap<String, ColumnValue>> rows = new TreeMap<>();
    boolean unused =
        shard(partition)
            .tableNow(partition)
            .scan(
                partition,
                Bytes.EMPTY,
                Bytes.EMPTY,
                true,
                (key, columns) -> {
                  NavigableMap<String, ColumnValue> row = new TreeMap<>();
                  for (Column column : columns) {
                    row.put(column.getName(), column.getValue());
                  }
                  rows.put(key, row);
                  return true;
                });
    return rows;
  }

  /** When the rows of a partition were committed, by key. */
  public SortedMap<Bytes, Long> commitTimes(int partition) {
    SortedMap<Bytes, Long> times = new TreeMap<>();
    rows(partition)
        .keySet()
        .forEach(key -> times.put(key, SimSteps.commitMicros(shard(partition), partition, key)));
    return times;
  }

  /**
   * What the node knows of the writers of a partition, at rest: also answers to batches without an
   * accepted row, which the table gets before a scan or with a later fold.
   */
  public SortedMap<Bytes, Bytes> writers(int partition) {
    try {
      shard(partition).renewal().scan(partition).close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    SortedMap<Bytes, Bytes> writers = new TreeMap<>();
    shard(partition)
        .store()
        .writers(
            (key, value) -> {
              if (Binary.getInt(key.toByteArray(), 0) == partition) {
                writers.put(key, value);
              }
            });
    return writers;
  }

  /** The position of the first change that the local log has of a partition. */
  public long firstKept(int partition) {
    return shard(partition).log().firstPosition(partition);
  }

  /** The position of the last change that the local log has of a partition. */
  public long lastKept(int partition) {
    return shard(partition).log().committed(partition);
  }

  /** The batches that the local log has of a partition. */
  public List<ChangeBatch> kept(int partition) {
    List<ChangeBatch> kept = new ArrayList<>();
    LocalLog log = shard(partition).log();
    try {
      for (long next = firstKept(partition); next <= log.committed(partition); ) {
        Extents extents = log.plan(partition, next, 1 << 20);
        ByteBuffer bytes = ByteBuffer.allocate(extents.bytes());
        extents.read(bytes);
        for (int at = 0; at < bytes.capacity(); ) {
          ChangeBatch batch = ChangeBatch.parse(bytes.array(), at, bytes.capacity());
          kept.add(batch);
          at += batch.byteCount();
        }
        next = extents.lastPosition() + 1;
      }
    } catch (IOException e) {
      throw new IllegalStateException("a simulated disk fails", e);
    }
    return kept;
  }
}
