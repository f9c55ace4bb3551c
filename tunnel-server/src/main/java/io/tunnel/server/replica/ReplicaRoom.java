package io.tunnel.server.replica;

import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.partition.ShardDisk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a shard of replicas does without room on its disk. With less than the reserve it takes no
 * new writes, and finishes those that it took. Without room for what was read it is stuck: nothing
 * is folded, appended or answered before that is stored. What arrives from the log is held, and so,
 * since what is held counts as waiting, no more is read than the shard may have in memory. For the
 * shard's thread.
 */
final class ReplicaRoom {

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ShardDisk disk;

  /** In the order in which they came; none is taken while {@link #isStuck}. */
  private final Deque<ReplicaTask> held = new ArrayDeque<>();

  /** Why nothing can be stored; empty when it can. */
  private Optional<String> stuck = Optional.empty();

  /** Whether the disk was asked in this step, and what writes are told since. */
  private boolean isAsked;

  private Optional<RefusedException> refusal = Optional.empty();
  private long lookNanos;

  ReplicaRoom(ShardDisk disk) {
    this.disk = disk;
  }

  /**
   * A step begins: looks now and then whether there is room again.
   *
   * @return whether it was stuck, and what could not be stored is to be tried before all else
   */
  boolean begin(long nowNanos) {
    isAsked = false;
    boolean wasStuck = isStuck();
    if (disk.wantsRoom() && nowNanos - lookNanos >= 0) {
      disk.findRoom();
      lookNanos = nowNanos + LOOK_NANOS;
      if (!disk.wantsRoom()) {
        stuck = Optional.empty();
      }
    }
    return wasStuck && !isStuck();
  }

  /** Notices that room has gone, though nothing is written. Room that comes is found by steps. */
  void look() {
    if (!disk.wantsRoom()) {
      disk.findRoom();
    }
  }

  boolean isStuck() {
    return stuck.isPresent();
  }

  /** What writes are told that were not appended; only while it is stuck. */
  RefusedException busy() {
    return ShardDisk.refusal(stuck.orElseThrow());
  }

  /** There was no room for what was to be stored. */
  void lacks(DiskFullException full, long nowNanos) {
    stuck = Optional.of(full.getMessage());
    disk.filled(full.getMessage());
    lookNanos = nowNanos + LOOK_NANOS;
  }

  /** Why no write is taken now, if none is. */
  Optional<RefusedException> refusal(long nowNanos) {
    if (stuck.isPresent()) {
      return Optional.of(busy());
    }
    if (!isAsked) {
      isAsked = true;
      try {
        disk.requireRoom();
        refusal = Optional.empty();
      } catch (DiskFullException full) {
        disk.filled(full.getMessage());
        lookNanos = nowNanos + LOOK_NANOS;
        refusal = Optional.of(ShardDisk.refusal(full.getMessage()));
      }
    }
    return refusal;
  }

  /** Comes when there is room, behind what is held already. */
  void hold(ReplicaTask task) {
    held.addLast(task);
  }

  /** Comes first when there is room: it was begun, and there was none. */
  void holdFirst(ReplicaTask task) {
    held.addFirst(task);
  }

  /** The next of those that were held; null when there is none, or no room. */
  ReplicaTask poll() {
    return isStuck() ? null : held.poll();
  }

  /** Until it looks for room; for ever when it needs none. */
  long leftNanos(long nowNanos) {
    return disk.wantsRoom() ? Math.max(0, lookNanos - nowNanos) : Long.MAX_VALUE;
  }
}
