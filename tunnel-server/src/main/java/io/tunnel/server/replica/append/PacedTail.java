package io.tunnel.server.replica.append;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reads the partitions of a shard, and pauses while more waits for the shard than may. Records wait
 * until the local log has them.
 *
 * <p>Records are counted besides their bytes: a record of one row takes the shard about as long as
 * a record of a hundred rows. Everything that the shard does for its other partitions, the first
 * writes to a new leader among it, waits for the records that were read before.
 */
final class PacedTail implements Closeable {

  /** Records that may wait: a fraction of a second of the shard's thread. */
  static final int RECORDS_MAX = 2_048;

  private final long bytesMax;
  private final Consumer<AppendTail.Event> taker;
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong waitingRecords = new AtomicLong();
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
    if (event instanceof AppendTail.Read read) {
      waitingBytes.addAndGet(read.bytes());
      waitingRecords.addAndGet(read.records().size());
    }
    if (waitingBytes.get() > bytesMax || waitingRecords.get() > RECORDS_MAX) {
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

  /** The local log has records that waited, with so many bytes. For the shard's thread. */
  void taken(long bytes, long records) {
    waitingBytes.addAndGet(-bytes);
    waitingRecords.addAndGet(-records);
  }

  /** Reads again when few records wait. For the shard's thread. */
  void resume() {
    if (isPaused && waitingBytes.get() <= bytesMax / 2 && waitingRecords.get() <= RECORDS_MAX / 2) {
      isPaused = false;
      tail.resume();
    }
  }

  @Override
  public void close() throws IOException {
    tail.close();
  }
}
