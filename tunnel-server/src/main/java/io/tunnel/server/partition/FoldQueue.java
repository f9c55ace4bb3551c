package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Groups that are in the log and acknowledged, and not in the table yet.
 *
 * <p>A thread of the queue's own folds them, so that the shard's thread can append and acknowledge
 * the next group meanwhile. A fold is made in slices of {@value #SLICE_MS} ms, under {@link
 * #folding}, which is fair: a caller that needs the changes of one partition in the table takes the
 * next slice for that partition, and the caller waits for one slice and not for all folds. {@link
 * UnfoldedCore} says what is folded in which order. The rows are changed under that lock only.
 *
 * <p>The queue's thread lets groups gather, because the more rows are folded together, the nearer
 * to each other are the places that RocksDB looks for: a row of 20,000 costs a third to a half less
 * than one of 500. No other thread waits for the gathering.
 *
 * <p>What could not be folded stays in front, and nothing else is folded until the shard's thread,
 * which is woken, has looked at the failure. A crash loses nothing: the log has all of it.
 *
 * <p>Order of locks: {@link #folding}, then the monitor of {@link #unfolded}, which is held
 * briefly.
 */
final class FoldQueue {

  /** A slice of a fold is over after so much time; one row is folded at least. */
  static final long SLICE_MS = 2;

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(SLICE_MS);

  private final ShardRows rows;
  private final Together together;
  private final Timing timing;
  private final Runnable wakeOwner;

  /** Guarded by its monitor. */
  private final UnfoldedCore unfolded;

  private final ReentrantLock folding = new ReentrantLock(true);
  private final Semaphore added = new Semaphore(0);
  private final Thread folder;
  private volatile boolean hasThread;
  private volatile boolean isStopping;

  /** Why {@link #failed} is not folded; null as long as nothing failed. Written under the lock. */
  private volatile Throwable failure;

  /** The folds of the parts that were begun, by partition; under the lock. */
  private final Map<Integer, BegunFold> begun = new HashMap<>();

  /** The part whose fold failed; a retry begins with this part. Under the lock. */
  private Optional<UnfoldedCore.Part> failed = Optional.empty();

  /**
   * What the table lacked at the start, or when a replica was rebuilt; folded before all groups.
   */
  private Optional<Rest> rest = Optional.empty();

  /** The fold of a part, and the time that it took. */
  private static final class BegunFold {
    private final TableFold fold;
    private long nanos;

    BegunFold(TableFold fold) {
      this.fold = fold;
    }
  }

  /**
   * What is folded together, and how much may wait for that.
   *
   * @param bytesMax up to which groups are folded at once
   * @param waitingBytesMax of groups that wait, before the shard's thread folds before it continues
   * @param lingerNanos how long the queue's thread lets them gather; no other thread waits for that
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

  /** Receives how long folds take, by the thread that folds. */
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
    /** Folds all of them, or resumes where the disk had no space. */
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
    this.unfolded = new UnfoldedCore(together.bytesMax());
    this.folder = new Thread(this::foldAsTheyCome, name);
  }

  /** Call before {@link #start}: the disk had no space for {@code lacking}, which folds first. */
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

  /**
   * Adds a group after all others. For the shard's thread.
   *
   * @param end of the group in the log
   * @param beside what is stored alongside the rows, as far as it was raised
   */
  void add(List<ChangeBatch> batches, long end, BesideRows beside) {
    synchronized (unfolded) {
      unfolded.add(batches, end, beside);
    }
    added.release();
  }

  /** Bytes that are held of batches that are not folded. */
  long bytes() {
    synchronized (unfolded) {
      return unfolded.bytes();
    }
  }

  /** Whether the table has all that was added. */
  boolean isEmpty() {
    synchronized (unfolded) {
      return unfolded.isEmpty();
    }
  }

  /** Whether the table has all that was added of a partition, and of the log from before. */
  boolean isFolded(int partition) {
    return isFolded(partition, Long.MAX_VALUE);
  }

  private boolean isFolded(int partition, long end) {
    synchronized (unfolded) {
      return failure == null && unfolded.isFolded(partition, end);
    }
  }

  /** Whether a fold failed; {@link #finish} says how. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Whether so much waits that no group may be added before some of it is folded. */
  boolean isFull() {
    return failure == null && bytes() > together.waitingBytesMax();
  }

  /** Folds a slice of the oldest part; returns false when nothing waits, or a fold failed. */
  boolean foldNext() {
    return foldSlice(OptionalInt.empty());
  }

  /**
   * Folds a slice of a partition's changes; returns false when the table has all of them, or a fold
   * failed.
   */
  boolean foldNext(int partition) {
    return foldSlice(OptionalInt.of(partition));
  }

  private boolean foldSlice(OptionalInt partition) {
    folding.lock();
    try {
      return failure == null && foldFirst(partition);
    } catch (Throwable e) {
      failure = e;
      return false;
    } finally {
      folding.unlock();
    }
  }

  private boolean foldFirst(OptionalInt partition) throws IOException {
    if (rest.isPresent()) {
      rest.get().fold();
      rest = Optional.empty();
      return true;
    }
    Optional<UnfoldedCore.Part> part = failed.isPresent() ? failed : choose(partition);
    if (part.isEmpty()) {
      return false;
    }
    failed = part;
    fold(part.get());
    failed = Optional.empty();
    return true;
  }

  private Optional<UnfoldedCore.Part> choose(OptionalInt partition) {
    synchronized (unfolded) {
      if (partition.isEmpty()) {
        return unfolded.isEmpty() ? Optional.empty() : Optional.of(unfolded.begin());
      }
      int wanted = partition.getAsInt();
      return unfolded.isFolded(wanted) ? Optional.empty() : Optional.of(unfolded.begin(wanted));
    }
  }

  private void fold(UnfoldedCore.Part part) throws IOException {
    TableFold.Offsets offsets;
    synchronized (unfolded) {
      offsets = unfolded.offsets(part);
    }
    BegunFold of = begun.computeIfAbsent(part.partition(), id -> begin(part));
    long begunNanos = timing.nanos();
    int[] rowCount = {0};
    // Reads the clock for every fourth row, because most rows take less time than that.
    boolean isWhole =
        of.fold.run(
            offsets, () -> ++rowCount[0] % 4 != 0 || timing.nanos() - begunNanos < SLICE_NANOS);
    of.nanos += timing.nanos() - begunNanos;
    if (isWhole) {
      begun.remove(part.partition());
      timing.folded(of.nanos);
      synchronized (unfolded) {
        unfolded.folded(part);
      }
    }
  }

  private BegunFold begin(UnfoldedCore.Part part) {
    return new BegunFold(rows.begin(part.batches(), part.beside()));
  }

  /**
   * Folds the changes of a partition that were added before this call; for any thread. When a fold
   * failed, now or before, the remaining changes stay unfolded.
   */
  void foldAdded(int partition) {
    long end;
    synchronized (unfolded) {
      end = unfolded.addedEnd();
    }
    while (!isFolded(partition, end) && foldNext(partition)) {
      // foldNext() ends the loop when a fold fails.
    }
    if (hasFailed()) {
      wakeOwner.run();
    }
  }

  /** Changes rows otherwise than by a fold. For the shard's thread. */
  void change(RowsChange change) throws IOException {
    folding.lock();
    try {
      change.run();
    } finally {
      folding.unlock();
    }
  }

  /** A change of the rows that is no fold. */
  @FunctionalInterface
  interface RowsChange {
    /** Makes it. */
    void run() throws IOException;
  }

  /**
   * Folds all added groups, and retries a fold that failed for lack of disk space. Only the shard's
   * thread calls this method and adds groups, so no group arrives during the call.
   *
   * @throws DiskFullException when the disk still lacks space; no change is lost
   * @throws IOException when a fold failed for another reason, now or before: the contents of the
   *     table are unknown
   */
  void finish() throws IOException {
    folding.lock();
    try {
      if (failure instanceof DiskFullException) {
        failure = null;
      }
      while (foldNext()) {
        // foldNext() ends the loop when a fold fails or nothing is left.
      }
      requireNone(failure);
    } finally {
      folding.unlock();
    }
  }

  /**
   * Leaves to the next {@link #finish} to store that the table has all of the log before {@code
   * end}: no start reads any of the log before again. All groups are folded. For the shard's
   * thread.
   *
   * @param beside as {@link #add} has it
   */
  void leaveUpTo(long end, BesideRows beside) {
    folding.lock();
    try {
      BesideRows raised;
      synchronized (unfolded) {
        raised = unfolded.raise(beside);
      }
      TableFold fold = rows.begin(List.of(), raised);
      rest = Optional.of(() -> pass(fold, end, raised));
    } finally {
      folding.unlock();
    }
  }

  private void pass(TableFold nothing, long end, BesideRows raised) throws IOException {
    boolean isWhole = false;
    while (!isWhole) {
      isWhole = nothing.run(new TableFold.Offsets(end, end, end), () -> true);
    }
    synchronized (unfolded) {
      unfolded.passed(end, raised);
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
