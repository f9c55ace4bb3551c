package io.tunnel.server.replica;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes of a node's unanswered writes, for each partition and for the node. The node
 * refuses a write over a limit, so the client keeps its rows and retries.
 *
 * <p>The first half of the node's bytes goes to the first writes. Of the second half each partition
 * with waiting writes has an equal share, and one batch at least while there is room at all. So
 * partitions whose brokers do not answer, and whose writes therefore wait until their deadline, do
 * not keep the others from writing.
 *
 * <p>Safe for any thread. Writes never take more than {@code nodeBytesMax}; the shares of the
 * second half may be wrong by the bytes that concurrent writes take.
 */
final class WriteBudget {

  private final long partitionBytesMax;
  private final long nodeBytesMax;

  /** What all have taken; at most {@code nodeBytesMax} but for what is just being refused. */
  private final AtomicLong taken = new AtomicLong();

  /** Partitions that have taken something. */
  private final AtomicInteger partitions = new AtomicInteger();

  /**
   * Nothing is taken.
   *
   * @param partitionBytesMax of one partition
   * @param nodeBytesMax of all together
   */
  WriteBudget(long partitionBytesMax, long nodeBytesMax) {
    this.partitionBytesMax = partitionBytesMax;
    this.nodeBytesMax = nodeBytesMax;
  }

  long taken() {
    return taken.get();
  }

  /**
   * Takes room for a batch of a partition, of which {@code queued} says what it has taken.
   *
   * @throws RefusedException BUSY when there is none
   */
  void take(AtomicLong queued, int bytes) {
    long own = queued.addAndGet(bytes);
    boolean isFirst = own == bytes;
    int sharing = isFirst ? partitions.incrementAndGet() : partitions.get();
    long all = taken.addAndGet(bytes);
    long half = nodeBytesMax / 2;
    boolean isShared = isFirst || own <= half / Math.max(1, sharing);
    if (own > partitionBytesMax) {
      refuse(queued, bytes, partitionBytesMax + " bytes wait to be written to this partition");
    } else if (all > nodeBytesMax || (all > half && !isShared)) {
      refuse(queued, bytes, nodeBytesMax + " bytes wait to be written at this node");
    }
  }

  private void refuse(AtomicLong queued, int bytes, String what) {
    giveBack(queued, bytes);
    throw new RefusedException(ErrorCode.BUSY, "as much as may wait: " + what + "; try later");
  }

  /** A batch has its answer. */
  void giveBack(AtomicLong queued, int bytes) {
    taken.addAndGet(-bytes);
    if (queued.addAndGet(-bytes) == 0) {
      partitions.decrementAndGet();
    }
  }
}
