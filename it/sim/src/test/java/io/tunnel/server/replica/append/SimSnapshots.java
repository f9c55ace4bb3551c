package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Snapshots of a simulated node. Their clock runs fast, so that worlds of a minute have snapshots
 * and trims that take a running node an hour.
 *
 * @param blocks the log of blocks
 * @param owner the thread of snapshots
 * @param waiting runs tasks that may wait
 * @param passNanos by a task that may wait: lets simulated nanoseconds pass
 * @param logBytes of a partition's log, after which a snapshot is due; empty when no snapshot is
 *     ever taken
 * @param begun is told when a replica has begun with a snapshot
 */
public record SimSnapshots(
    SnapshotBlocks blocks,
    Executor owner,
    Executor waiting,
    LongConsumer passNanos,
    Optional<Integer> logBytes,
    Runnable begun) {

  /** How often faster the clock of snapshots runs. */
  public static final int HASTE = 100;

  private static final long PINNED_NANOS_MAX = TimeUnit.MINUTES.toNanos(20);
  private static final long PACE_BYTES = 200;
  private static final int BLOCK_BYTES_MAX = 500;

  /** What the replicas of a node need for snapshots. */
  Snapshots.Ports ports(ReadableAppendLog log, OtherReplicas others) {
    Waits waits = new Simulated(passNanos);
    ReplicaStart start = new ReplicaStart(log, blocks, waiting, waits);
    return new Snapshots.Ports(
        (shard, partition) -> start.begin(shard, partition).thenApply(this::tell),
        log,
        blocks,
        new Snapshots.Threads(owner, waiting, waits),
        others,
        new Snapshots.Limits(
            limits(), new SnapshotWriter.Limits(PINNED_NANOS_MAX, BLOCK_BYTES_MAX)));
  }

  private LaneState tell(LaneState state) {
    if (state.follow().next() > 0) {
      begun.run();
    }
    return state;
  }

  private DueCore.Limits limits() {
    return logBytes
        .map(bytes -> new DueCore.Limits(bytes, 1, 4L * bytes, PACE_BYTES, 8 * PACE_BYTES))
        .orElse(new DueCore.Limits(Long.MAX_VALUE / 4, 1, Long.MAX_VALUE / 4, 1, 1));
  }

  /** A clock that runs fast. */
  static Shard.Clock fast(Shard.Clock clock) {
    return new Shard.Clock() {
      @Override
      public long epochMicros() {
        return clock.epochMicros();
      }

      @Override
      public long nanos() {
        return clock.nanos() * HASTE;
      }
    };
  }

  /** Lets simulated time pass until there is what was waited for. */
  private record Simulated(LongConsumer passNanos) implements Waits {

    private static final long LOOK_NANOS = 1_000_000;
    private static final long QUEUE_NANOS_MAX = 5_000_000_000L;

    @Override
    public <T> T answer(CompletableFuture<T> asked)
        throws InterruptedException, ExecutionException {
      while (!asked.isDone()) {
        passNanos.accept(LOOK_NANOS);
      }
      return asked.get();
    }

    @Override
    public <T> Optional<T> next(BlockingQueue<T> queue) throws InterruptedException {
      for (long waited = 0; queue.isEmpty() && waited < QUEUE_NANOS_MAX; waited += LOOK_NANOS) {
        passNanos.accept(LOOK_NANOS);
      }
      return Optional.ofNullable(queue.poll());
    }
  }
}
