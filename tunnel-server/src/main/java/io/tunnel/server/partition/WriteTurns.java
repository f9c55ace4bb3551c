package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.judge.ConditionCore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What a shard takes next. A write of many rows that must be judged by the rows that are stored is
 * judged in slices, and what other partitions want is taken in between: a read or a write of
 * another partition waits for a slice, not for the write.
 *
 * <p>What keeps order and conditions: writes of the partition that is being judged wait behind it,
 * and so do all later writes of a partition of which one waits. So nothing changes the rows by
 * which the write is judged, and writes of one partition keep their order. Actions do not wait: a
 * read needs what was acknowledged before, which a write that is being judged was not. One write is
 * judged in slices at a time; other long ones wait for it. For the shard's thread.
 */
final class WriteTurns {

  /** Rows that are judged at once; a write with more is judged in slices. */
  static final int AT_ONCE_ROWS_MAX = 128;

  /** After so much time a slice is over, and after as much the write has its turn again. */
  static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final OwnerLoop<ShardTask> loop;
  private final ConditionCore conditions;
  private final long queueBytesMax;
  private final LongSupplier nanos;
  private final AtomicLong queuedBytes = new AtomicLong();

  /** What waits for the write that is being judged, in order; before all of the loop's tasks. */
  private final Deque<ShardTask> held = new ArrayDeque<>();

  /** At least the partitions of writes in {@link #held}. */
  private final Set<Integer> heldPartitions = new HashSet<>();

  private Optional<LongWrite> judging = Optional.empty();
  private long sliceEndNanos;

  /** A write that is judged in slices. */
  private static final class LongWrite {
    private final PendingWrite write;
    private final ConditionCore.Judging judging;
    private boolean isJudged;

    LongWrite(PendingWrite write, ConditionCore.Judging judging) {
      this.write = write;
      this.judging = judging;
    }
  }

  /** A write all of whose rows are judged. */
  record Done(PendingWrite write, ConditionCore.Judged judged) {}

  /** Takes tasks from {@code loop}, and judges long writes by {@code rows}. */
  WriteTurns(
      OwnerLoop<ShardTask> loop,
      ConditionCore.StoredRows rows,
      long queueBytesMax,
      LongSupplier nanos) {
    this.loop = loop;
    this.conditions = new ConditionCore(rows);
    this.queueBytesMax = queueBytesMax;
    this.nanos = nanos;
  }

  /**
   * Adds a write behind all others. Any thread.
   *
   * @throws RefusedException BUSY when too much waits
   */
  void post(PendingWrite write) {
    int bytes = write.batch().byteCount();
    if (queuedBytes.addAndGet(bytes) > queueBytesMax) {
      queuedBytes.addAndGet(-bytes);
      throw new RefusedException(
          ErrorCode.BUSY,
          "more than " + queueBytesMax + " bytes wait to be written; try again later");
    }
    loop.post(write);
  }

  /** Bytes of batches that wait; of one that is being judged they do not count. */
  long queuedBytes() {
    return queuedBytes.get();
  }

  /** The next task that need not wait for the write that is being judged; null without one. */
  ShardTask peek() {
    if (judging.isEmpty() && !held.isEmpty()) {
      return held.peek();
    }
    ShardTask next = loop.peek();
    while (next != null && mustWait(next)) {
      hold(loop.poll());
      next = loop.peek();
    }
    return next;
  }

  /** Takes what {@link #peek} showed. */
  void take() {
    ShardTask next = judging.isPresent() || held.isEmpty() ? loop.poll() : pollHeld();
    if (next instanceof PendingWrite write) {
      queuedBytes.addAndGet(-write.batch().byteCount());
    }
  }

  private ShardTask pollHeld() {
    ShardTask next = held.poll();
    if (held.isEmpty()) {
      heldPartitions.clear();
    }
    return next;
  }

  private boolean mustWait(ShardTask task) {
    if (judging.isEmpty()) {
      return false;
    }
    if (task instanceof PendingWrite write) {
      int partition = write.batch().partition();
      return isLong(write)
          || partition == judging.get().write.batch().partition()
          || heldPartitions.contains(partition);
    }
    return task instanceof ShardTask.Barrier barrier && barrier.isBehindWrites();
  }

  private void hold(ShardTask task) {
    held.add(task);
    if (task instanceof PendingWrite write) {
      heldPartitions.add(write.batch().partition());
    }
  }

  /** Whether a write is judged in slices if it must be judged. */
  static boolean isLong(PendingWrite write) {
    return write.isConditional() && write.batch().rowCount() > AT_ONCE_ROWS_MAX;
  }

  /** Takes the next task, a long write, to be judged in slices by what the table has now. */
  void begin(PendingWrite write) {
    if (judging.isPresent() || peek() != write) {
      throw new IllegalStateException("a write is judged that is not the next one");
    }
    take();
    judging = Optional.of(new LongWrite(write, conditions.begin(write.batch())));
    sliceEndNanos = nanos.getAsLong() - SLICE_NANOS;
  }

  /** Judges a slice when nobody else has anything to do, or has had as much time. */
  void judgeInTurn() {
    if (judging.isEmpty() || judging.get().isJudged) {
      return;
    }
    boolean isAlone = peek() == null;
    long begunNanos = nanos.getAsLong();
    if (isAlone || begunNanos - sliceEndNanos >= SLICE_NANOS) {
      LongWrite write = judging.get();
      int[] left = {AT_ONCE_ROWS_MAX};
      write.isJudged =
          write.judging.run(() -> --left[0] > 0 && nanos.getAsLong() - begunNanos < SLICE_NANOS);
      sliceEndNanos = nanos.getAsLong();
    }
  }

  /** Whether a write is judged and waits to be committed. */
  boolean hasJudged() {
    return judging.isPresent() && judging.get().isJudged;
  }

  /** Takes the write that is judged, if one is; what waited for it is next. */
  Optional<Done> takeJudged() {
    if (!hasJudged()) {
      return Optional.empty();
    }
    LongWrite write = judging.get();
    forget();
    return Optional.of(new Done(write.write, write.judging.judged()));
  }

  private void forget() {
    judging = Optional.empty();
    conditions.clear();
  }

  /** Whether no write is being judged, and none waits for that. */
  boolean isEmpty() {
    return judging.isEmpty() && held.isEmpty();
  }

  /** Takes all writes that wait, in order: that which is being judged first. */
  void takeWrites(Consumer<PendingWrite> taker) {
    Optional<LongWrite> first = judging;
    forget();
    first.ifPresent(write -> taker.accept(write.write));
    Deque<ShardTask> actions = new ArrayDeque<>();
    while (!held.isEmpty() || loop.peek() instanceof PendingWrite) {
      ShardTask next = peek();
      take();
      if (next instanceof PendingWrite write) {
        taker.accept(write);
      } else {
        actions.add(next);
      }
    }
    held.addAll(actions);
  }
}
