package io.tunnel.server.replica.append;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reads the partitions of a shard, and pauses while more bytes wait for the shard than may. Records
 * wait until the local log has them.
 */
final class PacedTail implements Closeable {

  private final long bytesMax;
  private final Consumer<AppendTail.Event> taker;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AppendTail tail;
  private volatile boolean isPaused;

  /**
   * Reads nothing yet.
   *
   * @param bytesMax of records that may wait; one chunk of records may exceed the limit
   * @param taker gets each event, by the thread of the tail; passes the event on to the shard
   */
  PacedTail(ReadableAppendLog log, long bytesMax, Consumer<AppendTail.Event> taker) {
    this.bytesMax = bytesMax;
    this.taker = taker;
    this.tail = log.tail(this::happened);
  }

  private void happened(AppendTail.Event event) {
    long bytes = event instanceof AppendTail.Read read ? read.bytes() : 0;
    if (waitingBytes.addAndGet(bytes) > bytesMax) {
      // The pause comes before the flag: a resume between the two would leave a tail that pauses
      // for ever. The flag comes before the event: the shard resumes after it has taken the event.
      tail.pause();
      isPaused = true;
    }
    taker.accept(event);
  }

  /** The tail, for the lanes of the shard. */
  AppendTail tail() {
    return tail;
  }

  /** The ends of partitions, see {@link AppendTail#ends}. */
  Map<Integer, CompletableFuture<AppendTail.End>> ends(Collection<Integer> partitions) {
    return tail.ends(partitions);
  }

  /** So many bytes of records may wait. */
  long bytesMax() {
    return bytesMax;
  }

  /** Bytes of records that wait. */
  long waitingBytes() {
    return waitingBytes.get();
  }

  /** The local log has records that waited. For the shard's thread. */
  void taken(long bytes) {
    waitingBytes.addAndGet(-bytes);
  }

  /** Reads again when few records wait. For the shard's thread. */
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
