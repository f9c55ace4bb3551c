package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PartitionEntries;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException;
import io.tunnel.server.replica.snapshot.SnapshotLoad;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import io.tunnel.server.table.PartitionLoad;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a replica be rebuilt: empties what the shard has of the partition, loads the newest snapshot
 * that is intact, and says where the lane continues. Without a snapshot, a log that has all changes
 * is read from its first record.
 *
 * <p>Nothing of the partition is appended, read or folded meanwhile: the partition has no lane. The
 * shard's thread does the durable steps of {@link io.tunnel.server.partition.PartitionRenewal}; a
 * thread of the executor waits for the logs and loads the blocks.
 */
final class ReplicaStart implements LaneStarts {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaStart.class);

  private final ReadableAppendLog log;
  private final SnapshotBlocks blocks;
  private final Executor executor;
  private final Waits waits;
  private final LongAdder damaged = new LongAdder();

  /**
   * Begins replicas of any shards.
   *
   * @param executor of threads that may wait; one thread loads one replica
   * @param waits how the threads wait; a silent log fails a start
   */
  ReplicaStart(ReadableAppendLog log, SnapshotBlocks blocks, Executor executor, Waits waits) {
    this.log = log;
    this.blocks = blocks;
    this.executor = executor;
    this.waits = waits;
  }

  /** Does a step on the shard's thread. */
  @FunctionalInterface
  private interface Step<T> {
    T run() throws IOException;
  }

  /**
   * Rebuilds a replica; call again after a failure, which leaves the partition without a state.
   *
   * <p>Fails with {@link io.tunnel.server.disk.DiskFullException} while the disk is full, with
   * {@link UnservableException}, which names the blocks, when no node can begin with any snapshot,
   * and with another {@link IOException} when a log cannot be read now.
   *
   * @return what the lane continues from; the table has the same state and its rows
   */
  @Override
  public CompletableFuture<LaneState> begin(Shard shard, int partition) {
    CompletableFuture<LaneState> begun = new CompletableFuture<>();
    executor.execute(
        () -> {
          try {
            begun.complete(start(shard, partition));
          } catch (IOException | RuntimeException | Error e) {
            begun.completeExceptionally(e);
          }
        });
    return begun;
  }

  private LaneState start(Shard shard, int partition) throws IOException {
    SnapshotSearch.Found found = find(partition, Set.of());
    SnapshotTries tries = new SnapshotTries(tried -> find(partition, tried));
    Optional<LaneState> begun =
        tries.first(found, snapshot -> load(shard, partition, snapshot), this::tell);
    if (begun.isPresent()) {
      return begun.get();
    }
    List<String> troubles = tries.troubles();
    if (!found.hasAll()) {
      throw new UnservableException(why(partition, found, troubles));
    }
    if (!troubles.isEmpty()) {
      LOGGER.error(
          "no snapshot of partition {} is intact; reads the log, which has all changes", partition);
    }
    onShard(shard, partition, () -> emptied(shard, partition));
    return LaneState.NONE;
  }

  private void tell(SnapshotDamagedException e) {
    damaged.increment();
    LOGGER.error("{}; looks for another snapshot", e.getMessage());
  }

  private SnapshotSearch.Found find(int partition, Set<Long> tried) throws IOException {
    try (SnapshotSearch search = new SnapshotSearch(log, partition, waits)) {
      return search.find(tried);
    }
  }

  private static String why(int partition, SnapshotSearch.Found found, List<String> troubles) {
    return troubles.isEmpty()
        ? "the log of partition %d begins at offset %d, lacks changes, and names no snapshot"
            .formatted(partition, found.start())
        : String.join("; ", troubles) + "; the log names no other snapshot";
  }

  @Override
  public long damaged() {
    return damaged.sum();
  }

  private static boolean emptied(Shard shard, int partition) throws IOException {
    shard.renewal().empty(partition, LaneState.NONE.follow().position()).close();
    return true;
  }

  private LaneState load(Shard shard, int partition, Snapshot snapshot) throws IOException {
    LaneState state = new LaneState(snapshot.at(), snapshot.lastMicros(), snapshot.trimmed());
    Bytes stored = state.encode();
    long next = snapshot.at().position();
    PartitionLoad into = onShard(shard, partition, () -> shard.renewal().empty(partition, next));
    SnapshotReader reader = new SnapshotReader(blocks, partition, snapshot.id(), snapshot.blocks());
    try (SnapshotLoad load = new SnapshotLoad(reader, into, stored)) {
      boolean isComplete = false;
      while (!isComplete) {
        isComplete = load.step();
      }
    }
    PartitionEntries entries = PartitionEntries.of(shard.store(), partition);
    LOGGER.info(
        "partition {} begins with {} rows of snapshot {}, at position {}",
        partition,
        snapshot.blocks().rows(),
        snapshot.id(),
        next);
    return onShard(
        shard,
        partition,
        () -> {
          shard.renewal().filled(partition, entries, stored);
          return state;
        });
  }

  private <T> T onShard(Shard shard, int partition, Step<T> step) throws IOException {
    CompletableFuture<T> done = new CompletableFuture<>();
    shard.execute(
        Set.of(partition),
        () -> {
          try {
            done.complete(step.run());
          } catch (IOException | RuntimeException | Error e) {
            done.completeExceptionally(e);
          }
        });
    try {
      return waits.answer(done);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while partition " + partition + " is rebuilt", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException(
          "partition " + partition + " cannot be rebuilt: " + e.getCause().getMessage(), e);
    }
  }
}
