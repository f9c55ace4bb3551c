package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.ReplicaEnds;
import io.tunnel.server.replica.shared.SharedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a shard: when one begins, is made again because the log is another one than it
 * has read, and goes. For the shard's thread, but for {@link #all}, {@link #tail}, {@link
 * #incidents} and {@link #askEnds}.
 *
 * <p>What a replica has is deleted for one of these reasons: its partition was dropped or is
 * followed elsewhere; the log of its partition has truncated what it had read; or the table has no
 * noted origin and the log has another one than before. A log of an origin that is not the table's
 * own is never read: the replica may be all that is left, and stands still.
 */
final class ShardReplicas {

  private static final Logger LOGGER = LoggerFactory.getLogger(ShardReplicas.class);

  /** How long a strict read waits for the records before the end that it has asked for. */
  static final long STRICT_MS_MAX = 3_000;

  /**
   * The replicas that lead make groups for so long in one step of the shard, and for one row each
   * at least. The appends of usual size, 1 MiB, are made in one slice.
   */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReplicaConfig config;
  private final ReplicaStore store;
  private final ReplicaRoom room;
  private final Replicas.Ports ports;
  private final Shard.Clock clock;
  private final Consumer<ReplicaTask> queue;
  private final Map<Integer, Replica> replicas = new ConcurrentHashMap<>();
  private final DueReplicas due = new DueReplicas();
  private final Incidents incidents = new Incidents();
  private final ShardTail tail;
  private final Replica.Port port;
  private boolean endsAreMissing;
  private long askEndsNanos;

  /** No replicas yet; {@code queue} is the shard's. */
  ShardReplicas(
      ReplicaConfig config,
      ReplicaStore store,
      ReplicaRoom room,
      Replicas.Ports ports,
      Shard.Clock clock,
      Consumer<ReplicaTask> queue) {
    this.config = config;
    this.store = store;
    this.room = room;
    this.ports = ports;
    this.clock = clock;
    this.queue = queue;
    this.tail = new ShardTail(ports.log(), config.batches().readBytesMax(), queue);
    this.port = new ShardPort(ports, store, clock, queue, incidents);
  }

  Map<Integer, Replica> all() {
    return replicas;
  }

  Incidents incidents() {
    return incidents;
  }

  ShardTail tail() {
    return tail;
  }

  Optional<Replica> find(int partition) {
    return Optional.ofNullable(replicas.get(partition));
  }

  /** The replica is told something, and is looked at next. */
  void touch(Replica replica) {
    due.add(replica);
  }

  /** Takes the replicas that got a task or whose timer has expired. */
  List<Replica> takeTold() {
    return due.take(clock.nanos());
  }

  /** Until something is to be done without a word from anybody. */
  long leftNanos(long nowNanos) {
    long nanos = due.leftNanos(nowNanos);
    return endsAreMissing ? Math.min(nanos, askEndsNanos - nowNanos) : nanos;
  }

  /**
   * Lets replicas do what is next, everything that was read being folded.
   *
   * @throws DiskFullException when there is no room to say that a replica is gone; it is tried
   *     again by the next call
   */
  void advance(List<Replica> told) throws IOException {
    long now = clock.nanos();
    BooleanSupplier mayGoOn = () -> clock.nanos() - now < SLICE_NANOS;
    for (Replica replica : told) {
      replica.advance(now, mayGoOn);
      due.looked(replica);
    }
    for (Replica replica : told) {
      if (replica.canGo()) {
        go(replica);
      }
    }
    tail.resume();
    if (endsAreMissing && now - askEndsNanos >= 0) {
      askMissingEnds(now);
    }
  }

  private void go(Replica replica) throws IOException {
    tail.unfollow(replica.partition());
    replica.withdraw();
    replica.strict().stop(replica.notLeader());
    try {
      store.drop(replica.partition(), 0, new ReplicaStore.Left(replica));
    } catch (DiskFullException e) {
      // It may be wanted again before there is room.
      tail.follow(replica.partition(), replica.next(), replica.epochs().last());
      throw e;
    }
    due.remove(replica);
    replicas.remove(replica.partition());
  }

  /** Begins to follow a partition, or goes on with what is stored of it. */
  Replica begin(int partition) throws IOException {
    Replica replica =
        new Replica(
            partition,
            store.begin(partition, ports.partitions().origin(partition)),
            config,
            store,
            port);
    replicas.put(partition, replica);
    due.add(replica);
    tail.follow(partition, replica.next(), replica.epochs().last());
    endsAreMissing = true;
    askEndsNanos = clock.nanos();
    return replica;
  }

  /** The log was seen to end there. */
  void sawEnd(Replica replica, ReplicaTask.End seen) throws IOException {
    if (seen.end().isEmpty()) {
      return;
    }
    SharedLog.End end = seen.end().get();
    Bytes noted = ports.partitions().origin(replica.partition());
    boolean isOf = replica.ends().isOf(end);
    if (noted.length() > 0 && !noted.equals(end.origin())) {
      strange(replica, noted, end.origin());
    } else if (isOf && !replica.ends().isLostBefore(seen.asked().micros())) {
      replica.sawEnd(end, seen.asked());
    } else if (room.isStuck()) {
      awaitRoom(replica);
    } else if (!isOf) {
      LOGGER.warn(
          "the log of partition {} was deleted and made anew; its replica is made again",
          replica.partition());
      makeAgainFrom(replica, 0, end.origin());
    } else {
      LOGGER.warn(
          "the log of partition {} was cut off before record {}, or begins behind it, at {}; its"
              + " replica is made again",
          replica.partition(),
          replica.next(),
          replica.ends().lostFirst());
      makeAgainFrom(replica, replica.ends().lostFirst(), end.origin());
    }
  }

  /**
   * The replica has to be made again, and what was read before has to be stored first. The replica
   * serves nothing meanwhile; the end of its log is asked for when there is room, and that answer
   * makes the replica again.
   */
  private void awaitRoom(Replica replica) {
    if (!replica.ends().isLost()) {
      replica.lose(0);
    }
    lookForLost();
  }

  private void strange(Replica replica, Bytes noted, Bytes found) {
    if (!replica.isFailed()) {
      LOGGER.error(
          "the log of partition {} has the origin {}, and its table that of {}: what was in it is"
              + " lost, its replica is kept and serves nothing. Restore the topic from a backup of"
              + " Kafka, or drop the table",
          replica.partition(),
          found,
          noted);
      tail.unfollow(replica.partition());
      replica.stop(
          ReplicaStop.FAILED,
          "the log of partition " + replica.partition() + " is not the one of its table");
    }
  }

  /**
   * The log has no record where the replica goes on. Whether the log was truncated or is another
   * one is seen from its origin, which is asked for first.
   */
  void lost(Replica replica, ReplicaTask.Lost lost) {
    if (replica.next() == lost.offset()) {
      replica.lose(lost.first());
      lookForLost();
    }
  }

  /** A replica has lost its place in the log. */
  void lookForLost() {
    endsAreMissing = true;
    askEndsNanos = clock.nanos();
  }

  /** The log has nothing of what was read of the former one. */
  private void makeAgainFrom(Replica replica, long next, Bytes origin) throws IOException {
    long floor = store.log().committed(replica.partition()) + 1;
    makeAgain(replica, next, new ReplicaStore.Left(floor, Math.max(floor, replica.next()), origin));
  }

  /**
   * Gives up all that a replica has; what it appended last has an unknown outcome.
   *
   * @throws DiskFullException when there is no room to say that the replica is gone: it stays,
   *     neither leads nor serves, and is to be made again when there is room
   */
  void makeAgain(Replica replica, long next, ReplicaStore.Left left) throws IOException {
    replica.leader().stop(replica.notLeader(), "this node's replica is made again");
    replica.withdraw();
    replica.strict().stop(replica.notLeader());
    due.remove(replica);
    store.drop(replica.partition(), next, left);
    incidents.count(Incident.BEGUN_ANEW, 1);
    // What the replica was told, since its leader was stopped, perhaps by a call that found no
    // room.
    begin(replica.partition()).become(replica.target());
  }

  /**
   * Asks for the ends of the logs of replicas that do not know where theirs was when they began.
   */
  private void askMissingEnds(long nowNanos) {
    List<Integer> missing =
        replicas.values().stream()
            .filter(replica -> !replica.ends().isKnown())
            .map(Replica::partition)
            .toList();
    endsAreMissing = !missing.isEmpty();
    askEnds(missing);
    askEndsNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(config.times().claimPauseMsMax());
  }

  /** Any thread. */
  void askEnds(Collection<Integer> partitions) {
    ReplicaEnds.Asked asked = new ReplicaEnds.Asked(clock.epochMicros(), clock.nanos());
    ports
        .log()
        .ends(partitions)
        .forEach(
            (partition, answer) ->
                answer.whenComplete(
                    (end, failure) ->
                        queue.accept(
                            new ReplicaTask.End(partition, Optional.ofNullable(end), asked))));
  }

  /** A strict read comes. */
  void read(Replica replica, ReadIndex.Read read) {
    if (replica.strict().add(read)) {
      askStrictEnd(replica);
    }
  }

  private void askStrictEnd(Replica replica) {
    ports
        .log()
        .end(replica.partition())
        .whenComplete(
            (end, failure) ->
                queue.accept(new ReplicaTask.StrictEnd(replica, Optional.ofNullable(end))));
  }

  /** The end that strict reads have asked for is known, or cannot be. */
  void strictEnd(ReplicaTask.StrictEnd seen) {
    Replica replica = seen.replica();
    if (replicas.get(replica.partition()) != replica) {
      replica.strict().stop(replica.notLeader());
      return;
    }
    Optional<SharedLog.End> end = seen.end().filter(replica.ends()::isOf);
    long deadline = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(STRICT_MS_MAX);
    boolean isNext =
        end.isPresent()
            ? replica.strict().ended(end.get().offset(), deadline)
            : replica.strict().failed(ReadIndex.unconfirmed());
    due.add(replica);
    if (isNext) {
      askStrictEnd(replica);
    }
  }

  /** Strict reads that may be done now, everything that was read being folded. */
  List<Runnable> takeStrict(List<Replica> told) {
    List<Runnable> taken = new ArrayList<>();
    told.forEach(replica -> taken.addAll(replica.strict().take(replica.next())));
    return taken;
  }
}
