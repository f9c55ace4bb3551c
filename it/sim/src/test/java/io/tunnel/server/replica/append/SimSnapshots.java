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

/**
 * Snapshots of a simulated node. Their clock runs fast, so that worlds of a minute have snapshots
 * and trims that take a running node an hour.
 *
 * @param blocks the log of blocks
 * @param owner the thread of snapshots
 * @param waiting runs tasks that may wait
 * @param pauses of tasks that may wait
 * @param logBytes of a partition's log, after which a snapshot is due; empty when no snapshot is
 *     ever taken
 * @param begun is told when a replica has begun with a snapshot
 */
public record SimSnapshots(
    SnapshotBlocks blocks,
    Executor owner,
    Executor waiting,
    Pauses pauses,
    Optional<Integer> logBytes,
    Runnable begun) {

  /** How a task that may wait lets simulated time pass. */
  public interface Pauses {

    /** Lets so many nanoseconds pass. */
    void pass(long nanos);

    /** Lets time pass until the future is complete. */
    void await(CompletableFuture<?> until);
  }

  /** How often faster the clock of snapshots runs. */
  public static final int HASTE = 100;

  private static final long PINNED_NANOS_MAX = TimeUnit.MINUTES.toNanos(20);
  private static final long PACE_BYTES = 200;
  private static final int BLOCK_BYTES_MAX = 500;

  /** What the replicas of a node need for snapshots. */
  Snapshots.Ports ports(ReadableAppendLog log, OtherReplicas others) {
    Waits waits = new Simulated(pauses);
    ReplicaStart start = new ReplicaStart(log, blocks, waiting, waits);
    return new Snapshots.Ports(
        new LaneStarts() {
          @Override
          public CompletableFuture<LaneState> begin(Shard shard, int partition) {
            return start.begin(shard, partition).thenApply(SimSnapshots.this::tell);
          }

          @Override
          public long damaged() {
            return start.damaged();
          }
        },
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
  private record Simulated(Pauses pauses) implements Waits {

    private static final long LOOK_NANOS_MIN = 500_000;
    private static final long LOOK_NANOS_MAX = 16_000_000;
    private static final long QUEUE_NANOS_MAX = 5_000_000_000L;

    @Override
    public <T> T answer(CompletableFuture<T> asked)
        throws InterruptedException, ExecutionException {
      pauses.await(asked);
      return asked.get();
    }

    /** Looks ever more rarely, since each look costs two turns of real threads. */
    @Override
    public <T> Optional<T> next(BlockingQueue<T> queue) throws InterruptedException {
      long look = LOOK_NANOS_MIN;
      for (long waited = 0; queue.isEmpty() && waited < QUEUE_NANOS_MAX; waited += look) {
        look = Math.min(LOOK_NANOS_MAX, 2 * look);
        pauses.pass(look);
      }
      return Optional.ofNullable(queue.poll());
    }
  }
}
