package io.tunnel.server.replica;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shard;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;
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
 * <p>After a failure of the disk, or an error on its thread, it leads nothing and reads no more:
 * other nodes have everything that counts.
 */
final class ReplicaShard implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaShard.class);
  private static final int QUEUE_CHUNK = 1024;
  private static final long PROGRESS_RECORDS = 1_000_000;

  private final int id;
  private final ReplicaConfig config;
  private final CopyStore store;
  private final Replicas.Ports ports;
  private final Shard.Meter meter;
  private final Shard.Clock clock;
  private final MpscUnboundedArrayQueue<ReplicaTask> queue =
      new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
  private final Map<Integer, Copy> copies = new ConcurrentHashMap<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final ShardTail tail;
  private final List<Integer> storedAtOpen;
  private final LocalRetention retention;
  private final Copy.Port port;
  private final DueCopies due = new DueCopies();
  private final Incidents incidents = new Incidents();
  private final Thread owner;
  private volatile boolean isParked;
  private volatile boolean isStopping;
  private volatile boolean hasEnded;
  private volatile boolean hasFailed;
  private boolean endsAreMissing;
  private long askEndsNanos;

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
    this.tail = new ShardTail(ports.log(), config.batches().readBytesMax(), this::post);
    this.storedAtOpen = store.partitions();
    this.retention =
        new LocalRetention(
            store.log(), config.history().localBytesMax(), ports.retentionMicros(), ports.isLive());
    this.port = new ShardPort(ports, store, clock, this::post, incidents);
    this.owner = new Thread(this::run, "copies-" + id);
  }

  void start() {
    owner.start();
  }

  LocalLog log() {
    return store.log();
  }

  CopyRows rows() {
    return store.rows();
  }

  /** Partitions that are stored, or copied. */
  Map<Integer, Copy> copies() {
    return copies;
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
    left.removeAll(copies.keySet());
    try {
      if (!hasFailed) {
        retention.look(id, copies.keySet(), left, meter, nowMicros);
        copies.values().forEach(Copy::publish);
      }
    } catch (IOException e) {
      // The next look tries again; a log that may accept no more refuses the next change itself.
      LOGGER.warn("shard {} could not give up changes that are kept no longer", id, e);
    }
  }

  boolean isStopping() {
    return isStopping;
  }

  boolean hasFailed() {
    return hasFailed;
  }

  /** Bytes of records that wait. */
  long readBytes() {
    return tail.waitingBytes();
  }

  Incidents incidents() {
    return incidents;
  }

  /** Whether nothing waits. */
  boolean isIdle() {
    return queue.isEmpty();
  }

  void post(ReplicaTask task) {
    queue.add(task);
    if (isParked) {
      LockSupport.unpark(owner);
    }
    if (hasEnded) {
      endLeftovers();
    }
  }

  private void run() {
    while (true) {
      if (!stepOrFail()) {
        if (isStopping) {
          return;
        }
        park();
      }
    }
  }

  private boolean stepOrFail() {
    try {
      return step();
    } catch (Error e) {
      fail(e);
      return true;
    }
  }

  private void park() {
    long now = clock.nanos();
    long nanos = due.leftNanos(now);
    if (endsAreMissing) {
      nanos = Math.min(nanos, askEndsNanos - now);
    }
    isParked = true;
    if (queue.isEmpty() && !isStopping && nanos > 0) {
      LockSupport.parkNanos(this, nanos);
    }
    isParked = false;
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
      long bytes = 0;
      ReplicaTask task = queue.poll();
      while (task != null) {
        hadTask = true;
        bytes += take(task, barriers);
        task = bytes < config.batches().appendBytesMax() ? queue.poll() : null;
      }
      if (!hasFailed) {
        settle();
      }
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
    barriers.forEach(Answers::run);
    return hadTask;
  }

  /** Returns the bytes that were read. */
  private long take(ReplicaTask task, List<Runnable> barriers) throws IOException {
    if (task instanceof ReplicaTask.Read read) {
      read(read);
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
      sawEnd(end);
    } else if (task instanceof ReplicaTask.Lost lost) {
      lost(lost);
    } else if (task instanceof ReplicaTask.AfterWrites after) {
      copy(after.partition())
          .ifPresentOrElse(
              copy -> copy.leader().afterWrites(after.action()),
              () -> barriers.add(after.action()));
    }
    return 0;
  }

  /** A copy that is told something. */
  private Optional<Copy> copy(int partition) {
    Optional<Copy> copy = hasFailed ? Optional.empty() : Optional.ofNullable(copies.get(partition));
    copy.ifPresent(due::add);
    return copy;
  }

  private void takeWrite(ReplicaTask.Write write) {
    copy(write.partition())
        .ifPresentOrElse(
            copy -> copy.leader().write(write.write(), copy.notLeader()),
            () -> Answers.refused(write.write(), notLeader(write.partition())));
  }

  RefusedException notLeader(int partition) {
    return RefusedException.notLeader(
        "this node does not lead partition " + partition, ports.leaders().apply(partition));
  }

  private void read(ReplicaTask.Read read) throws IOException {
    tail.taken(read.bytes());
    Optional<Copy> found = copy(read.partition());
    if (found.isEmpty()) {
      return;
    }
    Copy copy = found.get();
    long before = copy.next();
    try {
      copy.read(read.from(), read.records(), read.next(), read.readMicros(), clock.nanos());
    } catch (MalformedException e) {
      tail.unfollow(read.partition());
      LOGGER.error(
          "the copy of partition {} stops before position {}: a record of the log cannot be read",
          read.partition(),
          copy.next(),
          e);
    }
    if (copy.isStale()) {
      LOGGER.warn(
          "the copy of partition {} was behind for so long that the log may have forgotten"
              + " deletions behind position {}; it is made again",
          read.partition(),
          copy.next() - 1);
      makeAgain(copy, 0, copy.floor(), copy.barrier());
    } else {
      report(copy, before);
    }
  }

  private void sawEnd(ReplicaTask.End seen) throws IOException {
    Optional<Copy> found = copy(seen.partition()).filter(copy -> seen.end().isPresent());
    if (found.isEmpty()) {
      return;
    }
    Copy copy = found.get();
    if (copy.isOf(seen.end().get())) {
      copy.sawEnd(seen.end().get(), seen.askedMicros());
      return;
    }
    LOGGER.warn(
        "the log of partition {} was deleted and made anew; its copy is made again",
        seen.partition());
    makeAgainFrom(copy, 0);
  }

  /** Of another log, which has nothing of what was read of the former one. */
  private void makeAgainFrom(Copy copy, long next) throws IOException {
    long floor = store.log().committed(copy.partition()) + 1;
    makeAgain(copy, next, floor, Math.max(floor, copy.next()));
  }

  /** Gives up all that a copy has; what it appended last has an unknown outcome. */
  private void makeAgain(Copy copy, long next, long floor, long barrier) throws IOException {
    incidents.count(Incident.BEGUN_ANEW, 1);
    boolean isWanted = copy.leader().isWanted();
    copy.leader().stop(copy.notLeader(), "this node's copy is made again");
    copy.withdraw();
    due.remove(copy);
    store.drop(copy.partition(), next, floor, barrier);
    Copy again = begin(copy.partition());
    if (isWanted) {
      again.lead();
    } else if (copy.isLeaving()) {
      again.leave();
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
      return;
    }
    Copy copy = found.isPresent() ? found.get() : begin(partition);
    if (wish == ReplicaTask.Wish.LEAD) {
      copy.lead();
    } else {
      copy.follow();
    }
  }

  private Copy begin(int partition) throws IOException {
    Copy copy = new Copy(partition, store.begin(partition), config, store.rows(), port);
    copies.put(partition, copy);
    due.add(copy);
    tail.follow(partition, copy.next());
    endsAreMissing = true;
    askEndsNanos = clock.nanos();
    return copy;
  }

  /** The copy is of another log: all of it is made again. */
  private void lost(ReplicaTask.Lost lost) throws IOException {
    Optional<Copy> found = copy(lost.partition()).filter(copy -> copy.next() == lost.offset());
    if (found.isEmpty()) {
      return;
    }
    LOGGER.warn(
        "the log of partition {} has no record {} any more, it begins at {}; its copy is made again",
        lost.partition(),
        lost.offset(),
        lost.first());
    makeAgainFrom(found.get(), lost.first());
  }

  /** Logs, folds, answers, and goes on. */
  private void settle() throws IOException {
    List<Copy> told = due.take(clock.nanos());
    List<Copy> dirty = told.stream().filter(Copy::isDirty).toList();
    if (!dirty.isEmpty()) {
      fold(dirty);
    }
    long now = clock.nanos();
    for (Copy copy : told) {
      copy.advance(now);
      due.looked(copy);
      if (copy.canGo()) {
        due.remove(copy);
        tail.unfollow(copy.partition());
        copy.withdraw();
        copies.remove(copy.partition());
        store.drop(copy.partition(), 0, copy.floor(), copy.barrier());
      }
    }
    tail.resume();
    if (endsAreMissing && now - askEndsNanos >= 0) {
      askEnds(now);
    }
  }

  private void fold(List<Copy> dirty) throws IOException {
    dirty.forEach(Copy::withdrawIfLost);
    store.fold(dirty);
    for (Copy copy : dirty) {
      int rejected = copy.folded();
      if (rejected > 0) {
        meter.rejected(id, rejected);
      }
      store.log().wake(copy.partition());
    }
  }

  /** Asks for the ends of the logs of copies that do not know where theirs was when they began. */
  private void askEnds(long nowNanos) {
    List<Integer> missing =
        copies.values().stream().filter(copy -> !copy.hasSeenEnd()).map(Copy::partition).toList();
    endsAreMissing = !missing.isEmpty();
    askEnds(missing);
    askEndsNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(config.times().claimPauseMsMax());
  }

  /** Any thread. */
  void askEnds(Collection<Integer> partitions) {
    long askedMicros = clock.epochMicros();
    ports
        .log()
        .ends(partitions)
        .forEach(
            (partition, asked) ->
                asked.whenComplete(
                    (end, failure) ->
                        post(
                            new ReplicaTask.End(
                                partition, Optional.ofNullable(end), askedMicros))));
  }

  private void fail(Throwable cause) {
    if (!hasFailed) {
      LOGGER.error(
          "shard {} leads and copies no more: its disk failed, or an error hit it", id, cause);
    }
    hasFailed = true;
    for (Copy copy : copies.values()) {
      tail.unfollow(copy.partition());
      copy.leader().stop(notLeader(copy.partition()), "the node's disk failed (" + cause + ")");
    }
  }

  /** Ends what was posted while the thread ended; nobody else takes from the queue any more. */
  private synchronized void endLeftovers() {
    for (ReplicaTask task = queue.poll(); task != null; task = queue.poll()) {
      if (task instanceof ReplicaTask.Write write) {
        Answers.refused(write.write(), Answers.stopping());
      } else if (task instanceof ReplicaTask.Barrier barrier) {
        Answers.run(barrier.action());
      } else if (task instanceof ReplicaTask.AfterWrites after) {
        Answers.run(after.action());
      }
    }
  }

  /** Stops reading and the thread, answers what waits, and closes table and log. */
  @Override
  public void close() throws IOException {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    isStopping = true;
    LockSupport.unpark(owner);
    boolean interrupted = false;
    while (owner.isAlive()) {
      try {
        owner.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    hasEnded = true;
    endLeftovers();
    copies.values().forEach(copy -> copy.leader().stop(Answers.stopping(), "the server stops"));
    try (store;
        tail) {
      // Both are closed, whatever becomes of one.
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
