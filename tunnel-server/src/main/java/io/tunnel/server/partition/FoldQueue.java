package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Groups that are in the log and acknowledged, and not in the table yet, in the order of the log.
 *
 * <p>A thread of the queue's own folds them, so that the shard's thread can append and acknowledge
 * the next group meanwhile. When the shard's thread needs all of them in the table, it does not
 * wait for that thread but folds what is left itself: groups are taken from the queue under {@link
 * #folding} alone, and folded before it is given back, so they are folded one after the other and
 * in their order, by whatever thread. The rows are changed under that lock only.
 *
 * <p>That thread lets groups gather, because the more rows are folded together, the nearer to each
 * other are the places that RocksDB looks for: a row of 20,000 costs a third to a half less than
 * one of 500. Who needs the table does not wait for that either.
 *
 * <p>What could not be folded stays in front, and nothing behind it is folded until the shard's
 * thread, which is woken, has looked at the failure. A crash loses nothing: the log has all of it.
 */
final class FoldQueue {

  private final ShardRows rows;
  private final Together together;
  private final Timing timing;
  private final Runnable wakeOwner;
  private final Queue<Group> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final ReentrantLock folding = new ReentrantLock();
  private final Semaphore added = new Semaphore(0);
  private final Thread folder;
  private volatile boolean hasThread;

  /** Where the last group that was added ends in the log. */
  private volatile long addedEnd;

  /** Where the last group that was folded ends in the log. */
  private volatile long foldedEnd;

  private volatile boolean isStopping;

  /** Why {@link #next} is not folded; null as long as nothing failed. Written under the lock. */
  private volatile Throwable failure;

  /** What is folded next, once it was tried; under the lock. */
  private Group next;

  /** What the table lacks of the log from before; folded before all groups. */
  private Optional<Rest> rest = Optional.empty();

  /**
   * Batches of one group, or of several that are folded together.
   *
   * @param end of the last of them in the log
   * @param bytes that are held of them
   * @param bounds what their rows do not exceed, as far as it was raised for them
   */
  record Group(List<ChangeBatch> batches, long end, long bytes, Map<Integer, Bytes> bounds) {

    /** The objects of a batch, and of its request. */
    private static final int BATCH_OBJECT_BYTES = 128;

    /**
     * Batches as they came. Each holds all of its request, also what the log has once for many: a
     * row of some bytes may have come with 60 KiB of names.
     */
    static Group of(List<ChangeBatch> batches, long end, Map<Integer, Bytes> bounds) {
      long held = 0;
      for (ChangeBatch batch : batches) {
        held += batch.array().length + BATCH_OBJECT_BYTES;
      }
      return new Group(batches, end, held, bounds);
    }
  }

  /**
   * What is folded together, and how much may wait for that.
   *
   * @param bytesMax up to which groups are folded at once
   * @param waitingBytesMax of groups that wait, before the shard's thread folds before it goes on
   * @param lingerNanos how long the queue's thread lets them gather; nobody else waits for that
   */
  record Together(int bytesMax, long waitingBytesMax, long lingerNanos) {

    private static final int GROUPS = 4;
    private static final long GROUPS_WAITING_MAX = 16;
    private static final int BYTES = 4 << 20;
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    /** As a shard does whose groups have {@code groupBytesMax}. */
    static Together of(int groupBytesMax) {
      return new Together(
          Math.min(GROUPS * groupBytesMax, Math.max(groupBytesMax, BYTES)),
          GROUPS_WAITING_MAX * groupBytesMax,
          LINGER_NANOS);
    }
  }

  /** Where it is told how long folds take, by the thread that folds. */
  interface Timing {
    long nanos();

    void folded(long foldNanos);

    static Timing of(LongSupplier clock, LongConsumer meter) {
      return new Timing() {
        @Override
        public long nanos() {
          return clock.getAsLong();
        }

        @Override
        public void folded(long foldNanos) {
          meter.accept(foldNanos);
        }
      };
    }
  }

  /** Changes from before, which the log has and the table lacks. */
  @FunctionalInterface
  interface Rest {
    /** Folds all of them, or goes on where there was no room. */
    void fold() throws IOException;
  }

  /**
   * A queue of nothing.
   *
   * @param wakeOwner called by the queue's thread when a fold failed
   */
  FoldQueue(String name, ShardRows rows, Together together, Timing timing, Runnable wakeOwner) {
    this.rows = rows;
    this.together = together;
    this.timing = timing;
    this.wakeOwner = wakeOwner;
    this.folder = new Thread(this::foldAsTheyCome, name);
  }

  /** Before it starts: there was no room for {@code lacking}, which comes before all groups. */
  void beginBehind(Rest lacking, DiskFullException full) {
    rest = Optional.of(lacking);
    failure = full;
  }

  /**
   * Begins to fold by a thread of its own. Without that, groups are folded when that is asked for.
   */
  void start() {
    hasThread = true;
    folder.start();
  }

  boolean hasThread() {
    return hasThread;
  }

  /** Adds a group behind all others. For the shard's thread. */
  void add(Group group) {
    bytes.addAndGet(group.bytes());
    waiting.add(group);
    addedEnd = group.end();
    added.release();
  }

  /** Bytes that are held of batches that are not folded. */
  long bytes() {
    return bytes.get();
  }

  /** Whether the table has all that was added. */
  boolean isEmpty() {
    return bytes.get() == 0;
  }

  /** Whether a fold failed; {@link #finish} says how. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Folds what waits first; returns false when nothing waits, or a fold failed. */
  boolean foldNext() {
    folding.lock();
    try {
      return failure == null && foldFirst();
    } catch (Throwable e) {
      failure = e;
      return false;
    } finally {
      folding.unlock();
    }
  }

  private boolean foldFirst() throws IOException {
    if (rest.isPresent()) {
      rest.get().fold();
      rest = Optional.empty();
      return true;
    }
    boolean isAgain = next != null;
    if (!isAgain && !takeNext()) {
      return false;
    }
    long begunNanos = timing.nanos();
    if (isAgain) {
      rows.foldAgain();
    } else {
      rows.fold(next.batches(), next.end(), new BesideRows(Map.of(), next.bounds()));
    }
    timing.folded(timing.nanos() - begunNanos);
    bytes.addAndGet(-next.bytes());
    foldedEnd = next.end();
    next = null;
    return true;
  }

  private boolean takeNext() {
    Group last = waiting.poll();
    if (last == null) {
      return false;
    }
    List<ChangeBatch> batches = new ArrayList<>(last.batches());
    Map<Integer, Bytes> bounds = new HashMap<>(last.bounds());
    long sum = last.bytes();
    for (Group behind = waiting.peek();
        behind != null && sum + behind.bytes() <= together.bytesMax();
        behind = waiting.peek()) {
      last = waiting.remove();
      batches.addAll(last.batches());
      bounds.putAll(last.bounds());
      sum += last.bytes();
    }
    next = new Group(batches, last.end(), sum, bounds);
    return true;
  }

  /** Folds until no more waits than may. For the shard's thread. */
  void foldBeyondBound() {
    while (bytes() > together.waitingBytesMax() && foldNext()) {
      // Until that is so, or one fails.
    }
  }

  /**
   * Folds what was added before; for any thread. When a fold failed, now or before, the rest stays
   * as it is.
   */
  void foldAdded() {
    long end = addedEnd;
    while (foldedEnd < end && foldNext()) {
      // Until all of it is folded, or one fails.
    }
    if (hasFailed()) {
      wakeOwner.run();
    }
  }

  /**
   * Returns when the table has all that was added. What found no room before is tried again. For
   * the shard's thread, so that nothing is added meanwhile.
   *
   * @throws DiskFullException when there is no room still; nothing is lost
   * @throws IOException when a fold failed otherwise, now or before: nobody knows what the table
   *     has
   */
  void finish() throws IOException {
    folding.lock();
    try {
      if (failure instanceof DiskFullException) {
        failure = null;
      }
      while (foldNext()) {
        // Until nothing is left, or one fails.
      }
      requireNone(failure);
    } finally {
      folding.unlock();
    }
  }

  private static void requireNone(Throwable failure) throws IOException {
    if (failure instanceof IOException failed) {
      throw failed;
    } else if (failure instanceof RuntimeException failed) {
      throw failed;
    } else if (failure instanceof Error failed) {
      throw failed;
    }
  }

  private void foldAsTheyCome() {
    while (!isStopping) {
      added.acquireUninterruptibly();
      do {
        awaitMore();
      } while (!isStopping && foldNext());
      if (hasFailed()) {
        wakeOwner.run();
      }
    }
  }

  /** Returns when there is enough to be folded together, or what there is has waited. */
  private void awaitMore() {
    long endNanos = timing.nanos() + together.lingerNanos();
    try {
      for (long left = together.lingerNanos();
          left > 0 && bytes() < together.bytesMax() && !isStopping;
          left = endNanos - timing.nanos()) {
        if (!added.tryAcquire(left, TimeUnit.NANOSECONDS)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      // Groups that are folded at once, without others, are folded as well.
      Thread.currentThread().interrupt();
    }
    var unused = added.drainPermits();
  }

  /** Ends its thread, and leaves what is not folded. */
  void stop() {
    isStopping = true;
    added.release();
    boolean wasInterrupted = false;
    while (folder.isAlive()) {
      try {
        folder.join();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
