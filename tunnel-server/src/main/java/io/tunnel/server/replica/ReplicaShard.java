package io.tunnel.server.replica;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
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
 * The one thread that reads, logs, folds and leads the replicas of a shard.
 *
 * <p>It takes what waits, puts all that was read into the local log and then into the table,
 * answers the writes whose fate is certain by that, and lets each leader append what it has next.
 * So whatever runs on this thread finds everything that was acknowledged, and a read need not wait
 * for an append that is under way, which may take as long as the shared log cannot be reached.
 *
 * <p>Without room on its disk it goes on as {@link ReplicaRoom} says. After a failure of the disk,
 * or an error on its thread, it leads nothing and reads no more: other nodes have everything that
 * counts.
 */
final class ReplicaShard implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaShard.class);
  private static final long PROGRESS_RECORDS = 1_000_000;

  private final int id;
  private final ReplicaConfig config;
  private final ReplicaStore store;
  private final Replicas.Ports ports;
  private final Shard.Meter meter;
  private final Shard.Clock clock;
  private final OwnerLoop<ReplicaTask> loop;
  private final List<Integer> storedAtOpen;
  private final LocalRetention retention;
  private final ShardReplicas replicas;
  private final ReplicaRoom room;
  private volatile boolean hasFailed;

  ReplicaShard(
      int id,
      ReplicaConfig config,
      ReplicaStore store,
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
            partition -> !ports.partitions().isDropped(partition),
            LocalRetention.Table.NONE);
    this.loop =
        new OwnerLoop<>(
            "replicas-" + id,
            new OwnerLoop.Work<>(this::step, this::idleNanos, this::fail, ReplicaShard::end));
    this.room = new ReplicaRoom(store.disk());
    this.replicas = new ShardReplicas(config, store, room, ports, clock, loop::post);
  }

  void start() {
    loop.start();
  }

  LocalLog log() {
    return store.log();
  }

  ReplicaRows rows() {
    return store.rows();
  }

  /** By partition. */
  Map<Integer, Replica> replicas() {
    return replicas.all();
  }

  /** Partitions that had a replica on disk when the shard was opened. */
  List<Integer> storedAtOpen() {
    return storedAtOpen;
  }

  /** Any thread. */
  void retain(long nowMicros) {
    post(new ReplicaTask.Barrier(() -> trim(nowMicros)));
  }

  private void trim(long nowMicros) {
    Set<Integer> left = new TreeSet<>(store.known());
    left.removeAll(replicas().keySet());
    try {
      if (!hasFailed) {
        room.look();
        retention.look(id, replicas().keySet(), left, meter, nowMicros);
        if (!room.isStuck()) {
          replicas().values().forEach(Replica::publish);
        }
      }
    } catch (IOException e) {
      // The next look tries again; a log that may accept no more refuses the next change itself.
      LOGGER.warn("shard {} could not give up changes that are kept no longer", id, e);
    }
  }

  /**
   * Throws when the log has not confirmed for too long what a replica has: another may lead since.
   */
  void requireFresh(Replica replica) {
    long msMax = config.times().readAgeMsMax();
    long nanosMax = TimeUnit.MILLISECONDS.toNanos(msMax);
    if (msMax > 0 && replica.ends().isUnconfirmed(nanosMax, clock.nanos())) {
      incidents().count(Incident.READ_TOO_OLD, 1);
      throw RefusedException.notLeader(
          "this node has not heard from the log of partition "
              + replica.partition()
              + " for more than "
              + msMax
              + " ms, and another may lead it",
          ports.leaders().apply(replica.partition()));
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
    return replicas.tail().waitingBytes();
  }

  Incidents incidents() {
    return replicas.incidents();
  }

  /** Whether nothing waits. */
  boolean isIdle() {
    return loop.isIdle();
  }

  /** Asks the log where it ends; any thread. */
  void askEnds() {
    replicas.askEnds(replicas().keySet());
  }

  /** Any thread. */
  void post(ReplicaTask task) {
    loop.post(task);
  }

  private long idleNanos() {
    long now = clock.nanos();
    long left = room.isStuck() ? OwnerLoop.FOREVER_NANOS : replicas.leftNanos(now);
    return Math.min(left, room.leftNanos(now));
  }

  /**
   * Runs the queued tasks and the timers that have expired. For the shard's thread, or in its
   * place.
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
    } finally {
      // Also behind an error: the thread that posted a barrier waits for it.
      barriers.forEach(OwnerLoop::runPosted);
    }
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
        task instanceof ReplicaTask.Become become && replicas.find(become.partition()).isEmpty();
    return !hasFailed
        && (begins || task instanceof ReplicaTask.Read || task instanceof ReplicaTask.Lost);
  }

  /** Returns the bytes that were read. */
  private long take(ReplicaTask task, List<Runnable> barriers) throws IOException {
    if (task instanceof ReplicaTask.Read read) {
      read(read);
      replicas.tail().taken(read.bytes());
      return read.bytes();
    }
    if (task instanceof ReplicaTask.Barrier barrier) {
      barriers.add(barrier.action());
    } else if (task instanceof ReplicaTask.Write write) {
      takeWrite(write);
    } else if (task instanceof ReplicaTask.Become become) {
      become(become.partition(), become.target());
    } else if (task instanceof ReplicaTask.Appended appended) {
      replica(appended.partition())
          .ifPresent(
              replica ->
                  replica.leader().appended(appended.number(), appended.failure(), clock.nanos()));
    } else if (task instanceof ReplicaTask.End end) {
      Optional<Replica> replica = replica(end.partition());
      if (replica.isPresent()) {
        replicas.sawEnd(replica.get(), end);
      }
    } else if (task instanceof ReplicaTask.Lost lost) {
      replica(lost.partition()).ifPresent(replica -> replicas.lost(replica, lost));
    } else if (task instanceof ReplicaTask.StrictRead strict) {
      replica(strict.partition())
          .ifPresentOrElse(
              replica -> replicas.read(replica, strict.read()),
              () -> strict.read().refused().accept(notLeader(strict.partition())));
    } else if (task instanceof ReplicaTask.StrictEnd seen) {
      replicas.strictEnd(seen);
    }
    return 0;
  }

  /** A replica that is told something. */
  private Optional<Replica> replica(int partition) {
    Optional<Replica> replica = hasFailed ? Optional.empty() : replicas.find(partition);
    replica.ifPresent(replicas::touch);
    return replica;
  }

  private void takeWrite(ReplicaTask.Write write) {
    Optional<Replica> found = replica(write.partition());
    if (found.isEmpty() || found.get().ends().isLost()) {
      write.write().refused(notLeader(write.partition()));
      return;
    }
    Replica replica = found.get();
    Optional<RefusedException> full =
        replica.leader().isWritable() ? room.refusal(clock.nanos()) : Optional.empty();
    if (full.isPresent()) {
      write.write().refused(full.get());
    } else {
      replica.leader().write(write.write(), replica.notLeader());
    }
  }

  RefusedException notLeader(int partition) {
    return RefusedException.notLeader(
        "this node does not lead partition " + partition, ports.leaders().apply(partition));
  }

  private void read(ReplicaTask.Read read) throws IOException {
    Optional<Replica> found = replica(read.partition());
    if (found.isEmpty()) {
      return;
    }
    Replica replica = found.get();
    long before = replica.next();
    try {
      replica.read(read.from(), read.records(), read.next(), read.readMicros(), clock.nanos());
    } catch (NewerFormatException e) {
      replicas.tail().unfollow(read.partition());
      LOGGER.error(
          "the replica of partition {} stops in front of position {}: {}. Nothing is lost: upgrade"
              + " this node, and the replica reads on",
          read.partition(),
          replica.next(),
          e.getMessage());
    } catch (MalformedException e) {
      replicas.tail().unfollow(read.partition());
      LOGGER.error(
          "the replica of partition {} stops before position {}: a record of the log cannot be read",
          read.partition(),
          replica.next(),
          e);
    }
    if (replica.ends().isLost()) {
      replicas.lookForLost();
    }
    if (replica.isStale()) {
      LOGGER.warn(
          "the replica of partition {} was behind for so long that the log may have forgotten"
              + " deletions behind position {}; it is made again",
          read.partition(),
          replica.next() - 1);
      replicas.makeAgain(replica, 0, new ReplicaStore.Left(replica));
    } else {
      report(replica, before);
    }
  }

  /** Only a replica that is being made is worth a line. */
  private static void report(Replica replica, long before) {
    Replica.View view = replica.view();
    boolean isRebuilt = !view.isCaughtUp() && view.startEnd() > PROGRESS_RECORDS;
    if (isRebuilt && before / PROGRESS_RECORDS != replica.next() / PROGRESS_RECORDS) {
      LOGGER.info(
          "making the replica of partition {}: {} of {}",
          replica.partition(),
          replica.next(),
          view.startEnd());
    }
  }

  private void become(int partition, ReplicaTask.Target target) throws IOException {
    if (hasFailed) {
      return;
    }
    Optional<Replica> found = replica(partition);
    if (found.isEmpty() && target == ReplicaTask.Target.LEAVE) {
      return;
    }
    Replica replica = found.isPresent() ? found.get() : replicas.begin(partition);
    replica.become(target);
    if (target != ReplicaTask.Target.LEAD) {
      withdrawIfStuck(replica);
    }
  }

  /** Withdraws the replica at once: while the disk is full, no later step would do so. */
  private void withdrawIfStuck(Replica replica) {
    if (room.isStuck()) {
      replica.withdraw();
    }
  }

  /** Logs, folds, answers, and goes on; returns the strict reads that may be done then. */
  private List<Runnable> settle() throws IOException {
    if (room.isStuck()) {
      return stall();
    }
    List<Replica> told = replicas.takeTold();
    List<Replica> dirty = told.stream().filter(Replica::isDirty).toList();
    try {
      fold(dirty);
      replicas.advance(told);
      meter.numbered(id, store.writers().taken());
    } catch (DiskFullException e) {
      room.lacks(e, clock.nanos());
      told.forEach(replicas::touch);
      return stall();
    }
    return replicas.takeStrict(told);
  }

  /** What has to be stored first cannot be: refuses what waits for more than that. */
  private List<Runnable> stall() {
    long now = clock.nanos();
    List<Replica> clean = new ArrayList<>();
    for (Replica replica : replicas().values()) {
      replica.stall(room.busy(), now);
      if (!replica.isDirty()) {
        clean.add(replica);
      }
    }
    return replicas.takeStrict(clean);
  }

  private void fold(List<Replica> dirty) throws IOException {
    dirty.forEach(Replica::withdrawIfLost);
    // A replica that leaves makes room.
    store.fold(dirty, replicas().values().stream().anyMatch(Replica::isLeaving));
    for (Replica replica : dirty) {
      int rejected = replica.folded();
      if (rejected > 0) {
        meter.rejected(id, rejected);
      }
      store.log().wake(replica.partition());
    }
  }

  private void fail(Throwable cause) {
    if (!hasFailed) {
      LOGGER.error(
          "shard {} leads and follows no more: its disk failed, or an error hit it", id, cause);
      store.disk().fail(cause, String.valueOf(cause.getMessage()));
    }
    hasFailed = true;
    for (Replica replica : replicas().values()) {
      replicas.tail().unfollow(replica.partition());
      replica
          .leader()
          .stop(notLeader(replica.partition()), "the node's disk failed (" + cause + ")");
      replica.strict().stop(notLeader(replica.partition()));
    }
  }

  /** Stops reading and the thread, answers what waits, and closes table and log. */
  @Override
  public void close() throws IOException {
    loop.close(this::closeReplicas);
  }

  private void closeReplicas() throws IOException {
    for (Replica replica : replicas().values()) {
      replica.leader().stop(PendingWrite.stopping(), "the server stops");
      replica.strict().stop(PendingWrite.stopping());
    }
    try (store) {
      replicas.tail().close();
    }
  }

  private static void end(ReplicaTask task) {
    if (task instanceof ReplicaTask.Write write) {
      write.write().refused(PendingWrite.stopping());
    } else if (task instanceof ReplicaTask.Barrier barrier) {
      OwnerLoop.runPosted(barrier.action());
    } else if (task instanceof ReplicaTask.StrictRead strict) {
      strict.read().refused().accept(PendingWrite.stopping());
    }
  }
}
