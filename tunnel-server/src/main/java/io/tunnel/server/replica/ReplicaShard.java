package io.tunnel.server.replica;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.DiskCondition;
import io.tunnel.server.partition.OwnerLoop;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that reads, logs, folds and leads the copies of a shard.
 *
 * <p>It takes what waits, puts all that was read into the local log and then into the table,
 * answers the writes whose fate is certain by that, and lets each leader append what it has next.
 * So whatever runs on this thread finds everything that was acknowledged, and a read need not wait
 * for an append that is under way, which may take as long as the shared log cannot be reached.
 *
 * <p>Without room on its disk it goes on as {@link CopyRoom} says. After a failure of the disk, or
 * an error on its thread, it leads nothing and reads no more: other nodes have everything that
 * counts.
 */
final class ReplicaShard implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaShard.class);
  private static final long PROGRESS_RECORDS = 1_000_000;

  private final int id;
  private final ReplicaConfig config;
  private final CopyStore store;
  private final Replicas.Ports ports;
  private final Shard.Meter meter;
  private final Shard.Clock clock;
  private final OwnerLoop<ReplicaTask> loop;
  private final List<Integer> storedAtOpen;
  private final LocalRetention retention;
  private final ShardCopies copies;
  private final CopyRoom room;
  private volatile boolean hasFailed;

  ReplicaShard(
      int id,
      ReplicaConfig config,
      CopyStore store,
      Replicas.Ports ports,
      Shard.Meter meter,
      Shard.Clock clock) {
    this.id = id;
    this.config = config;
    this.store = store;
    this.ports = ports;
    this.meter = meter;
    this.clock = clock;
    this.storedAtOpen = store.partitions();
    this.retention =
        new LocalRetention(
            store.log(),
            config.history().localBytesMax(),
            ports.retentionMicros(),
            partition -> !ports.partitions().isDropped(partition));
    this.loop =
        new OwnerLoop<>(
            "copies-" + id,
            new OwnerLoop.Work<>(this::step, this::idleNanos, this::fail, ReplicaShard::end));
    this.copies = new ShardCopies(config, store, ports, clock, loop::post);
    this.room = new CopyRoom(store.disk());
  }

  void start() {
    loop.start();
  }

  LocalLog log() {
    return store.log();
  }

  CopyRows rows() {
    return store.rows();
  }

  /** Partitions that are stored, or copied. */
  Map<Integer, Copy> copies() {
    return copies.all();
  }

  /** Partitions of which there was a copy when it was opened. */
  List<Integer> storedAtOpen() {
    return storedAtOpen;
  }

  /** Any thread. */
  void retain(long nowMicros) {
    post(new ReplicaTask.Barrier(() -> trim(nowMicros)));
  }

  private void trim(long nowMicros) {
    Set<Integer> left = new TreeSet<>(store.known());
    left.removeAll(copies().keySet());
    try {
      if (!hasFailed) {
        retention.look(id, copies().keySet(), left, meter, nowMicros);
        if (!room.isStuck()) {
          copies().values().forEach(Copy::publish);
        }
      }
    } catch (IOException e) {
      // The next look tries again; a log that may accept no more refuses the next change itself.
      LOGGER.warn("shard {} could not give up changes that are kept no longer", id, e);
    }
  }

  /** Throws when the log has not confirmed for too long what a copy has: another may lead since. */
  void requireFresh(Copy copy) {
    long msMax = config.times().readAgeMsMax();
    long nanosMax = TimeUnit.MILLISECONDS.toNanos(msMax);
    if (msMax > 0 && copy.ends().word().isOlder(nanosMax, clock.nanos())) {
      incidents().count(Incident.READ_TOO_OLD, 1);
      throw RefusedException.notLeader(
          "this node has not heard from the log of partition "
              + copy.partition()
              + " for more than "
              + msMax
              + " ms, and another may lead it",
          ports.leaders().apply(copy.partition()));
    }
  }

  boolean isStopping() {
    return loop.isClosing();
  }

  boolean hasFailed() {
    return hasFailed;
  }

  /** How its disk does; any thread. */
  DiskCondition condition() {
    return store.disk().condition();
  }

  /** Bytes of records that wait. */
  long readBytes() {
    return copies.tail().waitingBytes();
  }

  Incidents incidents() {
    return copies.incidents();
  }

  /** Whether nothing waits. */
  boolean isIdle() {
    return loop.isIdle();
  }

  /** Asks the log where it ends; any thread. */
  void askEnds() {
    copies.askEnds(copies().keySet());
  }

  /** Any thread. */
  void post(ReplicaTask task) {
    loop.post(task);
  }

  private long idleNanos() {
    long now = clock.nanos();
    long left = room.isStuck() ? OwnerLoop.FOREVER_NANOS : copies.leftNanos(now);
    return Math.min(left, room.leftNanos(now));
  }

  /**
   * Does what waits, and what it is time for. For the shard's thread, or in its place.
   *
   * @return whether anything waited
   */
  boolean step() {
    List<Runnable> barriers = new ArrayList<>();
    boolean hadTask = false;
    try {
      if (room.begin(clock.nanos()) && !hasFailed) {
        barriers.addAll(settle());
      }
      long bytes = 0;
      ReplicaTask task = poll();
      while (task != null) {
        hadTask = true;
        bytes += takeOrHold(task, barriers);
        task = bytes < config.batches().appendBytesMax() ? poll() : null;
      }
      if (!hasFailed) {
        barriers.addAll(settle());
      }
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
    barriers.forEach(OwnerLoop::run);
    return hadTask;
  }

  private ReplicaTask poll() {
    ReplicaTask held = room.poll();
    return held == null ? loop.poll() : held;
  }

  /** Returns the bytes that were read. */
  private long takeOrHold(ReplicaTask task, List<Runnable> barriers) throws IOException {
    if (room.isStuck() && isHeld(task)) {
      room.hold(task);
      return 0;
    }
    try {
      return take(task, barriers);
    } catch (DiskFullException e) {
      room.lacks(e, clock.nanos());
      if (isHeld(task)) {
        room.holdFirst(task);
      }
      return 0;
    }
  }

  /** Whether it has to wait for room. Ends of logs are asked for again and again. */
  private boolean isHeld(ReplicaTask task) {
    boolean begins =
        task instanceof ReplicaTask.Become become && copies.find(become.partition()).isEmpty();
    return !hasFailed
        && (begins || task instanceof ReplicaTask.Read || task instanceof ReplicaTask.Lost);
  }

  /** Returns the bytes that were read. */
  private long take(ReplicaTask task, List<Runnable> barriers) throws IOException {
    if (task instanceof ReplicaTask.Read read) {
      read(read);
      copies.tail().taken(read.bytes());
      return read.bytes();
    }
    if (task instanceof ReplicaTask.Barrier barrier) {
      barriers.add(barrier.action());
    } else if (task instanceof ReplicaTask.Write write) {
      takeWrite(write);
    } else if (task instanceof ReplicaTask.Become become) {
      become(become.partition(), become.wish());
    } else if (task instanceof ReplicaTask.Appended appended) {
      copy(appended.partition())
          .ifPresent(
              copy -> copy.leader().appended(appended.number(), appended.failure(), clock.nanos()));
    } else if (task instanceof ReplicaTask.End end) {
      Optional<Copy> copy = copy(end.partition());
      if (copy.isPresent()) {
        copies.sawEnd(copy.get(), end);
      }
    } else if (task instanceof ReplicaTask.Lost lost) {
      copy(lost.partition()).ifPresent(copy -> copies.lost(copy, lost));
    } else if (task instanceof ReplicaTask.StrictRead strict) {
      copy(strict.partition())
          .ifPresentOrElse(
              copy -> copies.read(copy, strict.read()),
              () -> strict.read().refused().accept(notLeader(strict.partition())));
    } else if (task instanceof ReplicaTask.StrictEnd seen) {
      copies.strictEnd(seen);
    }
    return 0;
  }

  /** A copy that is told something. */
  private Optional<Copy> copy(int partition) {
    Optional<Copy> copy = hasFailed ? Optional.empty() : copies.find(partition);
    copy.ifPresent(copies::touch);
    return copy;
  }

  private void takeWrite(ReplicaTask.Write write) {
    Optional<Copy> found = copy(write.partition());
    if (found.isEmpty()) {
      write.write().refused(notLeader(write.partition()));
      return;
    }
    Copy copy = found.get();
    Optional<RefusedException> full =
        copy.leader().isWritable() ? room.refusal(clock.nanos()) : Optional.empty();
    if (full.isPresent()) {
      write.write().refused(full.get());
    } else {
      copy.leader().write(write.write(), copy.notLeader());
    }
  }

  RefusedException notLeader(int partition) {
    return RefusedException.notLeader(
        "this node does not lead partition " + partition, ports.leaders().apply(partition));
  }

  private void read(ReplicaTask.Read read) throws IOException {
    Optional<Copy> found = copy(read.partition());
    if (found.isEmpty()) {
      return;
    }
    Copy copy = found.get();
    long before = copy.next();
    try {
      copy.read(read.from(), read.records(), read.next(), read.readMicros(), clock.nanos());
    } catch (MalformedException e) {
      copies.tail().unfollow(read.partition());
      LOGGER.error(
          "the copy of partition {} stops before position {}: a record of the log cannot be read",
          read.partition(),
          copy.next(),
          e);
    }
    if (copy.ends().isLost()) {
      copies.lookForLost();
    }
    if (copy.isStale()) {
      LOGGER.warn(
          "the copy of partition {} was behind for so long that the log may have forgotten"
              + " deletions behind position {}; it is made again",
          read.partition(),
          copy.next() - 1);
      copies.makeAgain(copy, 0, new CopyStore.Left(copy));
    } else {
      report(copy, before);
    }
  }

  /** Only a copy that is being made is worth a line. */
  private static void report(Copy copy, long before) {
    Copy.View view = copy.view();
    boolean isRebuilt = !view.isCaughtUp() && view.startEnd() > PROGRESS_RECORDS;
    if (isRebuilt && before / PROGRESS_RECORDS != copy.next() / PROGRESS_RECORDS) {
      LOGGER.info("copying partition {}: {} of {}", copy.partition(), copy.next(), view.startEnd());
    }
  }

  private void become(int partition, ReplicaTask.Wish wish) throws IOException {
    if (hasFailed) {
      return;
    }
    Optional<Copy> found = copy(partition);
    if (wish == ReplicaTask.Wish.NOTHING) {
      found.ifPresent(Copy::leave);
      found.ifPresent(this::withdrawIfStuck);
      return;
    }
    Copy copy = found.isPresent() ? found.get() : copies.begin(partition);
    if (wish == ReplicaTask.Wish.LEAD) {
      copy.lead();
    } else {
      copy.follow();
      withdrawIfStuck(copy);
    }
  }

  /** Nobody else says that it serves no more before there is room. */
  private void withdrawIfStuck(Copy copy) {
    if (room.isStuck()) {
      copy.withdraw();
    }
  }

  /** Logs, folds, answers, and goes on; returns the strict reads that may be done then. */
  private List<Runnable> settle() throws IOException {
    if (room.isStuck()) {
      return stall();
    }
    List<Copy> told = copies.takeTold();
    List<Copy> dirty = told.stream().filter(Copy::isDirty).toList();
    try {
      fold(dirty);
      copies.advance(told);
    } catch (DiskFullException e) {
      room.lacks(e, clock.nanos());
      told.forEach(copies::touch);
      return stall();
    }
    return copies.takeStrict(told);
  }

  /** What has to be stored first cannot be: refuses what waits for more than that. */
  private List<Runnable> stall() {
    long now = clock.nanos();
    List<Copy> clean = new ArrayList<>();
    for (Copy copy : copies().values()) {
      copy.stall(room.busy(), now);
      if (!copy.isDirty()) {
        clean.add(copy);
      }
    }
    return copies.takeStrict(clean);
  }

  private void fold(List<Copy> dirty) throws IOException {
    dirty.forEach(Copy::withdrawIfLost);
    // A copy that leaves makes room.
    store.fold(dirty, copies().values().stream().anyMatch(Copy::isLeaving));
    for (Copy copy : dirty) {
      int rejected = copy.folded();
      if (rejected > 0) {
        meter.rejected(id, rejected);
      }
      store.log().wake(copy.partition());
    }
  }

  private void fail(Throwable cause) {
    if (!hasFailed) {
      LOGGER.error(
          "shard {} leads and copies no more: its disk failed, or an error hit it", id, cause);
      store.disk().fail(cause, String.valueOf(cause.getMessage()));
    }
    hasFailed = true;
    for (Copy copy : copies().values()) {
      copies.tail().unfollow(copy.partition());
      copy.leader().stop(notLeader(copy.partition()), "the node's disk failed (" + cause + ")");
      copy.strict().stop(notLeader(copy.partition()));
    }
  }

  /** Stops reading and the thread, answers what waits, and closes table and log. */
  @Override
  public void close() throws IOException {
    loop.close(this::closeCopies);
  }

  private void closeCopies() throws IOException {
    for (Copy copy : copies().values()) {
      copy.leader().stop(PendingWrite.stopping(), "the server stops");
      copy.strict().stop(PendingWrite.stopping());
    }
    try (store) {
      copies.tail().close();
    }
  }

  private static void end(ReplicaTask task) {
    if (task instanceof ReplicaTask.Write write) {
      write.write().refused(PendingWrite.stopping());
    } else if (task instanceof ReplicaTask.Barrier barrier) {
      OwnerLoop.run(barrier.action());
    } else if (task instanceof ReplicaTask.StrictRead strict) {
      strict.read().refused().accept(PendingWrite.stopping());
    }
  }
}
