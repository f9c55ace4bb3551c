package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.ShardTask.Barrier.Order;
import io.tunnel.server.partition.judge.AliveAt;
import io.tunnel.server.partition.judge.ConditionCore;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Chooses the next task of a shard. The shard evaluates a write of many rows against the stored
 * rows in slices. A task that needs unfolded rows of a partition waits while the shard folds these
 * rows in slices. Between two slices the shard runs the tasks of other partitions, so these tasks
 * wait for one slice at most, never for the complete write or the complete fold.
 *
 * <p>Order and conditions: while the shard evaluates a write, or a task waits for a fold, later
 * writes to this partition wait. While a write to a partition waits, all later writes to the
 * partition wait too. So no write changes the rows that decide another write, the writes to a
 * partition keep their order, and no write adds to a fold that a task waits for. Reads between
 * writes do not end the group that is being gathered: they wait for the group. A read never waits
 * for a write under evaluation: reads need acknowledged changes only, and the shard has not
 * acknowledged the write yet. The shard evaluates one write in slices at a time; other long writes
 * wait. For the shard's thread.
 */
final class WriteTurns {

  /** Rows that are evaluated at once; a write with more is evaluated in slices. */
  static final int AT_ONCE_ROWS_MAX = 128;

  /** A group is gathered for no longer, so that reads and writes after it have their turn. */
  private static final long GATHER_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(10);

  /** After so much time a slice is over, and after as much the write has its turn again. */
  static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final OwnerLoop<ShardTask> loop;
  private final ConditionCore conditions;
  private final long queueBytesMax;
  private final LongSupplier nanos;
  private final Lanes lanes;
  private final AtomicLong queuedBytes = new AtomicLong();

  /** Tasks that wait until rows of their partitions are folded; no partition is in two of them. */
  private final Deque<ShardTask> parked = new ArrayDeque<>();

  /** The partitions of the tasks in {@link #parked}. */
  private final Set<Integer> parkedPartitions = new HashSet<>();

  /** Tasks that wait for those in {@link #parked} or {@link #judging}, in order. */
  private final Deque<ShardTask> held = new ArrayDeque<>();

  /** At least the partitions of the writes in {@link #held}. */
  private final Set<Integer> heldPartitions = new HashSet<>();

  /** By lane, writes that wait for groups of their lane, which are under way, in order. */
  private final Map<Integer, Deque<ShardTask>> unsettled = new HashMap<>();

  /** Tasks that need not wait any more, or may have to wait again; before all of the loop's. */
  private final Deque<ShardTask> ready = new ArrayDeque<>();

  /** Writes that wait and have few rows, which took longer than a slice to evaluate. */
  private final Set<PendingWrite> slow = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Reads that wait for the group that is being gathered, in order. */
  private final Deque<ShardTask> passed = new ArrayDeque<>();

  private long groupBegunNanos;
  private boolean mayWrite = true;
  private Optional<LongWrite> judging = Optional.empty();
  private long sliceEndNanos;

  /** A write that is evaluated in slices. */
  private static final class LongWrite {
    private final PendingWrite write;
    private final ConditionCore.Judging judging;
    private boolean isJudged;

    LongWrite(PendingWrite write, ConditionCore.Judging judging) {
      this.write = write;
      this.judging = judging;
    }
  }

  /** A write all of whose rows are evaluated. */
  record Done(PendingWrite write, ConditionCore.Judged judged) {}

  /** Takes tasks from {@code loop}, and evaluates long writes by {@code conditions}. */
  WriteTurns(
      OwnerLoop<ShardTask> loop,
      ConditionCore conditions,
      long queueBytesMax,
      LongSupplier nanos,
      Lanes lanes) {
    this.loop = loop;
    this.conditions = conditions;
    this.queueBytesMax = queueBytesMax;
    this.nanos = nanos;
    this.lanes = lanes;
  }

  /**
   * Adds a write after all others. Any thread.
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

  /** The total size of the waiting batches; a batch under evaluation does not count. */
  long queuedBytes() {
    return queuedBytes.get();
  }

  /** The next task that need not wait; null without one. */
  ShardTask peek() {
    ShardTask next = peekAny();
    while (next != null && mustWait(next)) {
      hold(pollAny());
      next = peekAny();
    }
    return next;
  }

  private void hold(ShardTask task) {
    if (task instanceof PendingWrite write) {
      if (waitsForLane(write)) {
        unsettled.get(laneOf(write)).add(task);
        return;
      }
      heldPartitions.addAll(task.partitions());
    }
    held.add(task);
  }

  /** Lets a write, which {@link #peek} showed, wait until a group of its lane is settled. */
  void holdForLane(PendingWrite write) {
    unsettled.computeIfAbsent(laneOf(write), any -> new ArrayDeque<>()).add(pollAny());
  }

  private boolean waitsForLane(PendingWrite write) {
    return !unsettled.isEmpty() && unsettled.containsKey(laneOf(write));
  }

  private int laneOf(PendingWrite write) {
    return lanes.laneOf(write.batch().partition());
  }

  /** A group of a lane is settled: the writes that waited for it are next. */
  void settled(int lane) {
    Deque<ShardTask> waiting = unsettled.remove(lane);
    while (waiting != null && !waiting.isEmpty()) {
      ready.addFirst(waiting.removeLast());
    }
  }

  private ShardTask peekAny() {
    return ready.isEmpty() ? loop.peek() : ready.peek();
  }

  private ShardTask pollAny() {
    return ready.isEmpty() ? loop.poll() : ready.poll();
  }

  /** Takes what {@link #peek} showed. */
  void take() {
    if (pollAny() instanceof PendingWrite write) {
      queuedBytes.addAndGet(-write.batch().byteCount());
      slow.remove(write);
    }
  }

  /** A group is gathered from now on. */
  void beginGroup() {
    groupBegunNanos = nanos.getAsLong();
  }

  /**
   * As {@link #peek}, for a group that is being gathered; null also when the group has gathered for
   * long enough. Where the group has writes, the reads that are next wait for the group, and later
   * writes join it: otherwise each read would end a group, and each write would be synced alone.
   */
  ShardTask peekOfGroup(boolean hasWrites) {
    if (nanos.getAsLong() - groupBegunNanos >= GATHER_NANOS_MAX) {
      return null;
    }
    while (hasWrites
        && peek() instanceof ShardTask.Barrier barrier
        && barrier.order() == Order.READ) {
      passed.add(pollAny());
    }
    return peek();
  }

  /** The group is done: the reads that waited for it are next, in their order. */
  void takePassedReads() {
    while (!passed.isEmpty()) {
      ready.addFirst(passed.removeLast());
    }
  }

  private boolean mustWait(ShardTask task) {
    if (task instanceof PendingWrite write) {
      int partition = write.batch().partition();
      return !mayWrite
          || parkedPartitions.contains(partition)
          || heldPartitions.contains(partition)
          || waitsForLane(write)
          || (judging.isPresent()
              && (isLong(write) || partition == judging.get().write.batch().partition()));
    }
    if (task instanceof ShardTask.Barrier barrier && barrier.order() == Order.BEHIND_WRITES) {
      return judging.isPresent()
          || !parked.isEmpty()
          || !held.isEmpty()
          || !unsettled.isEmpty()
          || !lanes.areQuiet();
    }
    return !Collections.disjoint(parkedPartitions, task.partitions());
  }

  /** Writes are not taken from now on, or are taken again; what waits keeps its order. */
  void setMayWrite(boolean mayTakeWrites) {
    if (mayTakeWrites && !mayWrite) {
      letGo();
    }
    mayWrite = mayTakeWrites;
  }

  boolean mayWrite() {
    return mayWrite;
  }

  /** Makes all held tasks ready in their order; the next turn may hold some of them again. */
  private void letGo() {
    while (!held.isEmpty()) {
      ready.addFirst(held.removeLast());
    }
    heldPartitions.clear();
  }

  /** Lets what {@link #peek} showed wait until rows of its partitions are folded. */
  void park() {
    ShardTask task = pollAny();
    parked.add(task);
    parkedPartitions.addAll(task.partitions());
  }

  /** The task that has waited longest for a slice of a fold; null without one. */
  ShardTask nextParked() {
    return parked.peek();
  }

  /** The next parked task had its slice, and waits on after the others. */
  void parkAgain() {
    parked.add(parked.remove());
  }

  /** What the next parked task waited for is folded: it is taken next. */
  void unpark() {
    ShardTask task = parked.remove();
    parkedPartitions.removeAll(task.partitions());
    letGo();
    ready.addFirst(task);
  }

  /** Whether a write is evaluated in slices if it must be evaluated. */
  boolean isLong(PendingWrite write) {
    return slow.contains(write)
        || (write.isConditional() && write.batch().rowCount() > AT_ONCE_ROWS_MAX);
  }

  /**
   * Evaluates a write with the group of {@code ofGroup}, but for no longer than a slice and a row:
   * few rows may be large.
   *
   * @param aliveAt of its partition
   * @return empty when the slice is over; the write {@linkplain #isLong is long} from then on
   */
  Optional<ConditionCore.Judged> judgeAtOnce(
      PendingWrite write, ConditionCore ofGroup, AliveAt aliveAt) {
    long begunNanos = nanos.getAsLong();
    Optional<ConditionCore.Judged> judged =
        ofGroup.judgeWhile(
            write.batch(),
            write.place(),
            aliveAt,
            () -> nanos.getAsLong() - begunNanos < SLICE_NANOS);
    write.looked(ofGroup.takeLooked());
    if (judged.isEmpty()) {
      slow.add(write);
    }
    return judged;
  }

  /** Takes the next task, a long write, to be evaluated in slices by what the table has now. */
  void begin(PendingWrite write, AliveAt aliveAt) {
    if (judging.isPresent() || peek() != write) {
      throw new IllegalStateException("a write is evaluated that is not the next one");
    }
    take();
    judging =
        Optional.of(new LongWrite(write, conditions.begin(write.batch(), write.place(), aliveAt)));
    sliceEndNanos = nanos.getAsLong() - SLICE_NANOS;
  }

  /** Evaluates a slice when no other task waits, or when the others have had as much time. */
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
      write.write.looked(conditions.takeLooked());
      sliceEndNanos = nanos.getAsLong();
    }
  }

  /** Whether a write is evaluated and waits to be committed. */
  boolean hasJudged() {
    return judging.isPresent() && judging.get().isJudged;
  }

  /** Takes the evaluated write, if there is one; what waited for it is next. */
  Optional<Done> takeJudged() {
    if (!hasJudged()) {
      return Optional.empty();
    }
    LongWrite write = judging.get();
    forget();
    return Optional.of(new Done(write.write, write.judging.judged()));
  }

  /**
   * Rows of a partition changed that no write of this shard has changed: a write under evaluation
   * was checked against other rows, and is refused.
   */
  void changed(int partition) {
    Optional<LongWrite> stale =
        judging.filter(write -> write.write.batch().partition() == partition);
    if (stale.isPresent()) {
      forget();
      stale
          .get()
          .write
          .refused(
              RefusedException.notLeader(
                  "another node led partition " + partition + " while the rows were evaluated",
                  Optional.empty()));
    }
  }

  private void forget() {
    judging = Optional.empty();
    conditions.clear();
    letGo();
  }

  /** Whether nothing waits but what is in the loop. */
  boolean isEmpty() {
    return judging.isEmpty()
        && parked.isEmpty()
        && ready.isEmpty()
        && held.isEmpty()
        && unsettled.isEmpty();
  }

  /** Whether something waits for the shard's thread alone, and not for the log. */
  boolean hasWork() {
    boolean mayJudge = judging.isPresent() && (mayWrite || !hasJudged());
    return mayJudge || !parked.isEmpty() || !ready.isEmpty();
  }

  /** Takes all writes that wait; those of one partition in order. */
  void takeWrites(Consumer<PendingWrite> taker) {
    Optional<LongWrite> first = judging;
    forget();
    first.ifPresent(write -> taker.accept(write.write));
    while (!parked.isEmpty()) {
      unpark();
    }
    List.copyOf(unsettled.keySet()).forEach(this::settled);
    Deque<ShardTask> actions = new ArrayDeque<>();
    while (!ready.isEmpty() || loop.peek() instanceof PendingWrite) {
      ShardTask next = peekAny();
      take();
      if (next instanceof PendingWrite write) {
        taker.accept(write);
      } else {
        actions.add(next);
      }
    }
    ready.addAll(actions);
  }
}
