package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.ShardTask.Barrier.Order;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.table.PassedTime;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * The one thread that writes to a shard's log, and decides what goes into its table.
 *
 * <p>The thread takes what waits as one group (group commit), evaluates conditions, appends and
 * syncs the group, acknowledges it, and leaves it to the {@link FoldQueue}. No write waits for the
 * fold of another. A posted action, and a write that must look at rows, wait until all acknowledged
 * changes of their partition are folded, and for no other fold. No task holds the thread for longer
 * than a group or a few slices of 2 ms. Package-private methods are for this thread.
 *
 * <p>After a failure of the disk, or an error on its thread, it is unknown what the disk holds:
 * every write from then on is refused with STORAGE_FAILED until the server is started again and
 * recovers from the log. Rows are read as long as the table has all that was acknowledged. A full
 * disk is no failure: writes are refused as BUSY until the disk has space ({@link ShardState}).
 */
public final class Shard implements Closeable, PartitionHost {

  private final int id;
  private final ShardLog log;
  private final ShardRows rows;
  private final Meter meter;
  private final Clock clock;
  private final OwnerLoop<ShardTask> loop;
  private final Lanes lanes;
  private final WriteTurns turns;
  private final Gathering gathering;
  private final ShardExpiry expiry;
  private final SeenChanges seen;
  private final ShardDisk disk;
  private final FoldQueue folds;
  private final FoldState folding;
  private volatile boolean isRefusing;

  /** A shard over an open log and the rows folded from it, which it closes. */
  Shard(int id, ShardConfig config, ShardLog log, ShardRows rows, Meter meter, Clock clock) {
    this.id = id;
    this.log = log;
    this.rows = rows;
    this.meter = meter;
    this.clock = clock;
    this.seen = rows.seen();
    RowBounds bounds = seen.bounds();
    this.lanes =
        new Lanes(
            log,
            all -> new OpenGroup(config.mergedBytesMax(), rows, seen, clock::epochMicros, all),
            config.groupBytesMax());
    this.disk = new ShardDisk(id, config.freeBytesMin(), log.local(), clock);
    OwnerLoop.Work<ShardTask> work =
        new OwnerLoop.Work<>(this::step, () -> OwnerLoop.FOREVER_NANOS, this::fail, ShardTask::end);
    this.loop = new OwnerLoop<>("shard-" + id, work);
    this.turns =
        new WriteTurns(
            loop, new ConditionCore(rows, bounds), config.queueBytesMax(), clock::nanos, lanes);
    this.folds =
        new FoldQueue(
            "fold-" + id,
            rows,
            FoldQueue.Together.of(config.groupBytesMax()),
            FoldQueue.Timing.of(clock::nanos, foldNanos -> meter.folded(id, foldNanos)),
            this::lookForRoom);
    this.expiry = new ShardExpiry(rows, folds, lanes, clock);
    this.folding = new FoldState(folds, disk, this::fail);
    this.gathering =
        new Gathering(lanes, turns, new ConditionCore(rows, bounds), bounds, expiry, folding);
  }

  /** Call before {@link #start}: the disk has no space to fold {@code rest} into the table. */
  void beginBehind(FoldQueue.Rest rest, DiskFullException full) {
    folds.beginBehind(rest, full);
    disk.move(ShardState.FOLDING, "the table lacks the end of the log");
    disk.filled(full.getMessage());
  }

  /** Begins to work. */
  public void start() {
    folds.start();
    loop.start();
  }

  /** The log, for readers. */
  public LocalLog log() {
    return log.local();
  }

  @Override
  public TableRows table() {
    return expiry.readable();
  }

  @Override
  public TableRows tableNow(int partition) {
    folds.foldAdded(partition);
    return table();
  }

  /** All that can be done with the rows. */
  public TableStore store() {
    return rows.store();
  }

  ShardRows rows() {
    return rows;
  }

  /** Removes all rows of a partition. For the shard's own thread. */
  void dropPartition(int partition) throws IOException {
    folds.change(() -> rows.dropPartition(partition));
    expiry.drop(partition);
    seen.drop(partition);
  }

  /** Lets replicas be rebuilt. For the shard's own thread. */
  public PartitionRenewal renewal() {
    return new PartitionRenewal(log.local(), rows, folds, folding, seen, expiry);
  }

  /** Whether changes of a partition are appended here. For the shard's own thread. */
  boolean mayWrite(int partition) {
    return log.refusal(partition).filter(why -> why.code() == ErrorCode.NOT_LEADER).isEmpty();
  }

  ShardExpiry expiry() {
    return expiry;
  }

  BoundRows bound() {
    return seen.bound();
  }

  /** What the shard tells its meter; for any thread. */
  public Meter meter() {
    return meter;
  }

  /** Bytes of batches that wait. */
  public long queuedBytes() {
    return turns.queuedBytes();
  }

  /** Bytes that are held of batches that are committed and not in the table yet. */
  public long unfoldedBytes() {
    return folds.bytes();
  }

  /** Whether it writes nothing until the next start. */
  public boolean hasFailed() {
    return condition() == DiskCondition.STORAGE_FAILED;
  }

  /** How its disk does. May be called by any thread, and waits for nothing. */
  public DiskCondition condition() {
    return disk.condition();
  }

  /** Checks whether its disk has space, though no writer writes. May be called by any thread. */
  public void lookForRoom() {
    execute(Set.of(), folding::look);
  }

  @Override
  public void requireWhole() {
    disk.requireRowsWhole();
    if (folds.hasFailed()) {
      // The shard's thread has not looked at it yet.
      throw new RefusedException(
          ErrorCode.BUSY, "the last writes are not in the table yet; try again later");
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws RefusedException BUSY or SHUTTING_DOWN; the outcome is not told then
   */
  @Override
  public void write(PendingWrite write) {
    if (isRefusing) {
      throw PendingWrite.stopping();
    }
    turns.post(write);
  }

  @Override
  public void execute(int partition, Runnable action) {
    loop.post(new ShardTask.Barrier(Set.of(partition), action, Order.READ));
  }

  /**
   * Runs {@code action} on the shard's thread when everything of {@code partitions} that was
   * acknowledged before is folded, and before any later write to them.
   */
  public void execute(Set<Integer> partitions, Runnable action) {
    loop.post(new ShardTask.Barrier(partitions, action, Order.BETWEEN_WRITES));
  }

  /**
   * Refuses writes from now on, and returns when those accepted before are committed and answered.
   */
  public void drain() {
    isRefusing = true;
    CountDownLatch isDrained = new CountDownLatch(1);
    loop.post(new ShardTask.Barrier(Set.of(), isDrained::countDown, Order.BEHIND_WRITES));
    try {
      isDrained.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Does what waits first; false when nothing does. For the shard's thread, or in its place. */
  boolean step() {
    settleInTurn();
    judgeInTurn();
    foldInTurn();
    boolean isFull = folds.isFull();
    turns.setMayWrite(!isFull && !lanes.isFull());
    if (isFull && !folds.foldNext()) {
      folding.look();
    }
    ShardTask next = turns.peek();
    if ((turns.mayWrite() && turns.hasJudged()) || next instanceof PendingWrite) {
      if (disk.state() == ShardState.BEHIND || folds.hasFailed()) {
        folding.foldAll();
      }
      commitGroup();
    } else if (next instanceof ShardTask.Barrier barrier) {
      if (!folding.foldFor(barrier)) {
        turns.park();
      } else if (turns.peek() == barrier) {
        turns.take();
        expiry.pass();
        OwnerLoop.runPosted(barrier.action());
      }
    } else {
      return isFull || turns.hasWork() || folding.foldInPlace();
    }
    return true;
  }

  /** A slice of the fold that a task waits for. */
  private void foldInTurn() {
    ShardTask waiting = turns.nextParked();
    if (waiting == null) {
      return;
    }
    if (folding.foldFor(waiting)) {
      // A fold that failed has refused what waited, and let it go.
      if (turns.nextParked() == waiting) {
        turns.unpark();
      }
    } else {
      turns.parkAgain();
    }
  }

  private void judgeInTurn() {
    try {
      turns.judgeInTurn();
    } catch (RuntimeException e) {
      folding.foldAll();
      fail(e);
    }
  }

  boolean hasPosted() {
    return !loop.isIdle();
  }

  boolean isIdle() {
    return loop.isIdle() && turns.isEmpty() && !folding.isInPlace();
  }

  private void commitGroup() {
    try {
      if (disk.state().isFinal()) {
        throw new IOException("the disk of shard " + id + " failed before");
      }
      disk.requireRoom();
      gathering.gather();
      for (OpenGroup group : lanes.gathered()) {
        append(group);
      }
      if (disk.state() == ShardState.FULL) {
        disk.move(ShardState.SERVING, "there is space");
      }
    } catch (DiskFullException e) {
      folding.foldAll();
      if (!disk.state().isFinal()) {
        // The log has no waiting write.
        disk.filled(e.getMessage());
        RefusedException reason = ShardDisk.refusal(e.getMessage());
        lanes.refuseOpen(reason);
        turns.takeWrites(write -> write.refused(reason));
      }
    } catch (IOException | RuntimeException e) {
      // What was acknowledged before may still be read after the log failed, once it is folded.
      folding.foldAll();
      fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    } finally {
      gathering.end();
    }
  }

  private void append(OpenGroup group) throws IOException {
    disk.began();
    try {
      long nowMicros = expiry.commitMicros();
      group.begin(clock.nanos(), nowMicros);
      log.append(group, () -> nowMicros);
      lanes.begin(group);
      settle();
    } finally {
      disk.ended();
    }
  }

  private void settleInTurn() {
    try {
      settle();
    } catch (IOException | RuntimeException e) {
      folding.foldAll();
      fail(e);
    }
  }

  /** Does what is left to do with what the log has settled. */
  private void settle() throws IOException {
    for (ShardLog.Settled settled : takeSettled()) {
      if (settled instanceof ShardLog.Counted counted) {
        live(counted.beside()).forEach(seen::saw);
        counts(counted, clock.nanos() - counted.group().begunNanos());
        end(counted.group());
      } else if (settled instanceof ShardLog.NeverCounts never) {
        never.group().refuse(never.reason());
        end(never.group());
      } else if (settled instanceof ShardLog.Followed followed) {
        follows(followed);
      }
    }
  }

  /** On a full disk, what the log has settled waits for space. */
  private List<ShardLog.Settled> takeSettled() throws IOException {
    try {
      return log.takeSettled();
    } catch (DiskFullException e) {
      disk.filled(e.getMessage());
      return List.of();
    }
  }

  private void end(OpenGroup group) {
    lanes.end(group);
    turns.settled(group.lane());
  }

  /** Folds changes of another leader, as a start folds those of the log. */
  private void follows(ShardLog.Followed followed) {
    if (followed.isChange()) {
      turns.changed(followed.partition());
    }
    List<ChangeBatch> live = live(followed.batches());
    live.forEach(seen::saw);
    List<ChangeBatch> changes = live.stream().filter(batch -> batch.rowCount() > 0).toList();
    if (!changes.isEmpty()) {
      expiry.follows(changes);
      disk.move(ShardState.FOLDING, "changes of the leader are in the log");
      folds.add(changes, followed.end(), seen.takeRaised());
    }
  }

  private List<ChangeBatch> live(List<ChangeBatch> batches) {
    return batches.stream().filter(batch -> rows.isLive(batch.partition())).toList();
  }

  private void counts(ShardLog.Counted counted, long commitNanos) {
    OpenGroup group = counted.group();
    if (!group.batches().isEmpty()) {
      disk.move(ShardState.FOLDING, "the group is committed");
    }
    group.committed();
    leaveToFolds(group, counted.end(), commitNanos);
    meter.rejected(id, group.acknowledge());
    meter.expired(id, group.expiredRows());
    meter.numbered(id, seen.writers().taken());
  }

  /** Queues a group for folding before its acknowledgement, so {@link #tableNow} misses none. */
  private void leaveToFolds(OpenGroup group, long end, long commitNanos) {
    if (group.batches().isEmpty()) {
      return;
    }
    List<ChangeBatch> batches = group.parts();
    long rows = batches.stream().mapToLong(ChangeBatch::rowCount).sum();
    meter.committed(id, rows, group.batches().byteCount(), commitNanos);
    if (!batches.isEmpty()) {
      folds.add(batches, end, seen.takeRaised());
    }
  }

  /** An error, as when memory runs out, leaves as much unknown as a failure of the disk. */
  private void fail(Throwable cause) {
    String message = cause instanceof Error ? cause.toString() : cause.getMessage();
    disk.fail(cause, message);
    refuseAll(PendingWrite.diskFailed(message));
  }

  private void refuseAll(RefusedException reason) {
    lanes.refuseAll(reason);
    turns.takeWrites(write -> write.refused(reason));
  }

  /** Commits what waits, stops the thread, and closes table and log. */
  @Override
  public void close() throws IOException {
    isRefusing = true;
    loop.close(this::closeFiles);
  }

  private void closeFiles() throws IOException {
    try (log;
        rows) {
      folds.stop();
      lanes.refuseAll(PendingWrite.unknown("the server stops"));
      folding.foldAll();
      log.local().sync();
    }
  }

  /** The two clocks of a shard, injected. */
  public interface Clock {

    /** Microseconds since 1970; may be set back. */
    long epochMicros();

    /** Which time has certainly passed; no life ends early by it although the clock jumped. */
    default PassedTime passed() {
      return PassedTime.at(epochMicros());
    }

    /** Nanoseconds from an arbitrary time; never goes back. */
    long nanos();
  }

  /** Observes what a shard does, by the shard's thread or the one that folds. */
  public interface Meter {

    /** A group was committed, synced or not. */
    void committed(int shard, long rows, long bytes, long commitNanos);

    /** One group or several were folded. */
    void folded(int shard, long foldNanos);

    /** Rows whose condition did not hold. */
    void rejected(int shard, long rows);

    /** What happened to the writers that number since the last call, and what is kept of them. */
    default void numbered(int shard, Writers.Figures figures) {}

    /** Rows expired: the log has a DELETE of each. */
    default void expired(int shard, long rows) {}

    /** The log has a DELETE of so many rows whose session has ended. */
    default void unbound(int shard, long rows) {}

    /** Changes that are kept no longer, and the files that went with them; often none of either. */
    void trimmed(int shard, long changes, long segments, long bytes);
  }
}
