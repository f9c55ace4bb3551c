package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Reads a shard's partitions, and stops while more waits for the shard than it may. */
final class ShardTail implements SharedLog.TailListener, Closeable {

  private static final int RECORD_OVERHEAD_BYTES = 64;

  private final long bytesMax;
  private final Consumer<ReplicaTask> queue;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final SharedLog.Tail tail;
  private volatile boolean isPaused;

  ShardTail(SharedLog log, long bytesMax, Consumer<ReplicaTask> queue) {
    this.bytesMax = bytesMax;
    this.queue = queue;
    this.tail = log.tail(this);
  }

  void follow(int partition, long offset, int leaderEpoch) {
    tail.follow(partition, offset, leaderEpoch);
  }

  void unfollow(int partition) {
    tail.unfollow(partition);
  }

  /** Bytes of records that wait. */
  long waitingBytes() {
    return waitingBytes.get();
  }

  @Override
  public void read(int partition, long from, List<Stored> records, long next, long readMicros) {
    long bytes = 0;
    for (Stored record : records) {
      Entry entry = record.entry();
      bytes += RECORD_OVERHEAD_BYTES + entry.key().length();
      bytes += entry.value().map(Bytes::length).orElse(0) + entry.attributes().length();
    }
    if (waitingBytes.addAndGet(bytes) > bytesMax) {
      // The pause before the flag, or a resume between the two would go ahead of the pause and
      // leave
      // a tail that pauses for ever. The flag before the queue, or the thread that takes this from
      // the queue would see nothing to resume.
      tail.pause();
      isPaused = true;
    }
    queue.accept(new ReplicaTask.Read(partition, from, records, next, readMicros, bytes));
  }

  @Override
  public void lost(int partition, long offset, long first) {
    queue.accept(new ReplicaTask.Lost(partition, offset, first));
  }

  /** Something that waited was taken; for the shard's thread. */
  void taken(long bytes) {
    waitingBytes.addAndGet(-bytes);
  }

  /** Goes on reading when there is room; for the shard's thread. */
  void resume() {
    if (isPaused && waitingBytes.get() <= bytesMax / 2) {
      isPaused = false;
      tail.resume();
    }
  }

  @Override
  public void close() throws IOException {
    tail.close();
  }
}
