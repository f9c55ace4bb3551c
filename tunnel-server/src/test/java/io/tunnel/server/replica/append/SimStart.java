package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.AppendTail.Begun;
import io.tunnel.server.replica.append.AppendTail.End;
import io.tunnel.server.replica.append.AppendTail.Read;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendTail.Trimmed;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Snapshots of the partitions of {@link SimAppendLogs}, and replicas that begin with them. */
public final class SimStart implements ReadableAppendLog, SnapshotBlocks {

  private final SimAppendLogs logs;
  private final SplittableRandom random;
  private final Map<Integer, TreeMap<Long, Bytes>> blocks = new HashMap<>();
  private final Map<Integer, List<Snapshot>> counted = new HashMap<>();
  private int attempts;

  /** Whether blocks cannot be read, now and then. */
  public boolean isFaulty;

  /** Whether no block can be read. */
  boolean isUnreadable;

  /** Whether a bit of the next block is flipped. */
  boolean flipsNextBlock;

  public SimStart(SimAppendLogs logs, SplittableRandom random) {
    this.logs = logs;
    this.random = random;
  }

  /** Writes the blocks of a partition, whose table has exactly what {@code state} says. */
  Snapshot write(Shard shard, int partition, LaneState state) {
    attempts++;
    long id = SnapshotWriter.id(state.follow().next(), attempts);
    try (SnapshotWriter writer =
        new SnapshotWriter(
            new SnapshotWriter.Source(partition, id, shard.store().scanEntries(partition)),
            this,
            Runnable::run,
            Long.MAX_VALUE)) {
      long nanos = 0;
      while (writer.step(nanos, Long.MAX_VALUE) == SnapshotWriter.State.WRITING) {
        nanos += 1_000_000_000;
      }
      return new Snapshot(id, state.follow(), state.lastMicros(), Trim.NONE, writer.content());
    }
  }

  /** The offset of the first block of a partition. */
  long firstBlock(int partition) {
    return blocks.get(partition).firstKey();
  }

  void counted(int partition, Snapshot snapshot) {
    counted.computeIfAbsent(partition, id -> new ArrayList<>()).add(snapshot);
  }

  /** Trims the log and the blocks of a partition to the second newest snapshot, if there is one. */
  public void trim(int partition) {
    List<Snapshot> all = counted.getOrDefault(partition, List.of());
    if (all.size() > 1) {
      Snapshot second = all.get(all.size() - 2);
      logs.trim(partition, (int) second.at().next());
      CompletableFuture<Void> unused = deleteBefore(partition, second.blocks().firstOffset());
    }
  }

  /** A bit of each block that a partition has is flipped. */
  void flipAll(int partition) {
    blocks
        .get(partition)
        .replaceAll(
            (offset, block) -> {
              byte[] bytes = block.toByteArray();
              bytes[bytes.length / 2] ^= 1;
              return Bytes.copyOf(bytes);
            });
  }

  /** A block of the newest snapshot is lost. */
  public void loseBlock(int partition) {
    Optional.ofNullable(blocks.get(partition)).ifPresent(TreeMap::pollLastEntry);
  }

  /** Begins a replica; empty when a log could not be read. */
  Optional<LaneState> begin(Shard shard, int partition, BooleanSupplier step) {
    CompletableFuture<LaneState> begun =
        new ReplicaStart(
                this,
                this,
                Runnable::run,
                new StepWaits(
                    () -> {
                      var unused = step.getAsBoolean();
                    }))
            .begin(shard, partition);
    return begun.isCompletedExceptionally() ? failed(begun) : Optional.of(begun.join());
  }

  private static Optional<LaneState> failed(CompletableFuture<LaneState> begun) {
    Throwable why = begun.handle((state, failure) -> failure).join();
    if (!(why instanceof IOException) || !why.getMessage().contains("injected")) {
      throw new AssertionError("a replica cannot begin", why);
    }
    return Optional.empty();
  }

  @Override
  public void append(int partition, Bytes block, SnapshotBlocks.Appended appended) {
    TreeMap<Long, Bytes> log = blocks.computeIfAbsent(partition, id -> new TreeMap<>());
    long offset = log.isEmpty() ? 1 : log.lastKey() + 1 + random.nextInt(2);
    byte[] bytes = block.toByteArray();
    bytes[bytes.length / 2] ^= (byte) (flipsNextBlock ? 1 : 0);
    flipsNextBlock = false;
    log.put(offset, Bytes.copyOf(bytes));
    appended.done(OptionalLong.of(offset));
  }

  @Override
  public Reading reading(int partition) {
    return offset -> {
      if (isUnreadable) {
        throw new IOException("unreadable");
      }
      if (isFaulty && random.nextInt(3) == 0) {
        throw new IOException("injected");
      }
      return Optional.ofNullable(
              blocks.getOrDefault(partition, new TreeMap<>()).ceilingEntry(offset))
          .map(found -> new Found(found.getKey(), found.getValue()));
    };
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    blocks.getOrDefault(partition, new TreeMap<>()).headMap(offset).clear();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, AppendLog.Appended appended) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public AppendTail tail(AppendTail.Listener listener) {
    return new Tail(listener);
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<Long>> starts = new HashMap<>();
    partitions.forEach(
        id -> starts.put(id, CompletableFuture.completedFuture((long) logs.log(id).first)));
    return starts;
  }

  @Override
  public void close() {}

  /** Tells all records of a partition at once. */
  private final class Tail implements AppendTail {
    private final Listener listener;

    Tail(Listener listener) {
      this.listener = listener;
    }

    @Override
    public long follow(int partition, long offset, int leaderEpoch) {
      SimAppendLogs.Log log = logs.log(partition);
      listener.happened(new Begun(partition, 1));
      if (offset < log.first) {
        listener.happened(new Trimmed(partition, offset, log.first));
        return 1;
      }
      List<Stored> records = new ArrayList<>();
      for (int at = (int) offset; at < log.records.size(); at++) {
        SimAppendLogs.Landed record = log.records.get(at);
        records.add(new Stored(at, record.leaderEpoch, 0, record.header, record.value));
      }
      listener.happened(new Read(partition, offset, records, log.records.size(), 0));
      return 1;
    }

    @Override
    public void unfollow(int partition) {}

    @Override
    public void pause(int partition) {}

    @Override
    public void resume(int partition) {}

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
      Map<Integer, CompletableFuture<End>> ends = new HashMap<>();
      partitions.forEach(
          id -> ends.put(id, CompletableFuture.completedFuture(new End(logs.size(id), NO_EPOCH))));
      return ends;
    }

    @Override
    public void close() {}
  }
}
