package io.tunnel.server.replica;

import io.tunnel.model.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies of a shard: when one begins, is made again because the log is another one than it has
 * read, and goes. For the shard's thread, but for {@link #all}, {@link #tail}, {@link #incidents}
 * and {@link #askEnds}.
 *
 * <p>What a copy has is deleted for one of these reasons: its partition was dropped or is copied
 * elsewhere; the log of its partition has truncated what it had read; or the table has no noted
 * origin and the log has another one than before. A log of an origin that is not the table's own is
 * never read: the copy may be all that is left, and stands still.
 */
final class ShardCopies {

  private static final Logger LOGGER = LoggerFactory.getLogger(ShardCopies.class);

  /** How long a strict read waits for the records before the end that it has asked for. */
  static final long STRICT_MS_MAX = 3_000;

  private final ReplicaConfig config;
  private final CopyStore store;
  private final Replicas.Ports ports;
  private final Shard.Clock clock;
  private final Consumer<ReplicaTask> queue;
  private final Map<Integer, Copy> copies = new ConcurrentHashMap<>();
  private final DueCopies due = new DueCopies();
  private final Incidents incidents = new Incidents();
  private final ShardTail tail;
  private final Copy.Port port;
  private boolean endsAreMissing;
  private long askEndsNanos;

  /** No copies yet; {@code queue} is the shard's. */
  ShardCopies(
      ReplicaConfig config,
      CopyStore store,
      Replicas.Ports ports,
      Shard.Clock clock,
      Consumer<ReplicaTask> queue) {
    this.config = config;
    this.store = store;
    this.ports = ports;
    this.clock = clock;
    this.queue = queue;
    this.tail = new ShardTail(ports.log(), config.batches().readBytesMax(), queue);
    this.port = new ShardPort(ports, store, clock, queue, incidents);
  }

  Map<Integer, Copy> all() {
    return copies;
  }

  Incidents incidents() {
    return incidents;
  }

  ShardTail tail() {
    return tail;
  }

  Optional<Copy> find(int partition) {
    return Optional.ofNullable(copies.get(partition));
  }

  /** The copy is told something, and is looked at next. */
  void touch(Copy copy) {
    due.add(copy);
  }

  /** Those that were told something, or whose time has come. */
  List<Copy> takeTold() {
    return due.take(clock.nanos());
  }

  /** Until something is to be done without a word from anybody. */
  long leftNanos(long nowNanos) {
    long nanos = due.leftNanos(nowNanos);
    return endsAreMissing ? Math.min(nanos, askEndsNanos - nowNanos) : nanos;
  }

  /**
   * Lets copies do what is next, everything that was read being folded.
   *
   * @throws DiskFullException when there is no room to say that a copy is gone; it is tried again
   *     by the next call
   */
  void advance(List<Copy> told) throws IOException {
    long now = clock.nanos();
    for (Copy copy : told) {
      copy.advance(now);
      due.looked(copy);
    }
    for (Copy copy : told) {
      if (copy.canGo()) {
        go(copy);
      }
    }
    tail.resume();
    if (endsAreMissing && now - askEndsNanos >= 0) {
      askMissingEnds(now);
    }
  }

  private void go(Copy copy) throws IOException {
    tail.unfollow(copy.partition());
    copy.withdraw();
    copy.strict().stop(copy.notLeader());
    try {
      store.drop(copy.partition(), 0, new CopyStore.Left(copy));
    } catch (DiskFullException e) {
      // It may be wanted again before there is room.
      tail.follow(copy.partition(), copy.next(), copy.epochs().last());
      throw e;
    }
    due.remove(copy);
    copies.remove(copy.partition());
  }

  /** Begins to copy a partition, or goes on with what is stored of it. */
  Copy begin(int partition) throws IOException {
    Copy copy =
        new Copy(
            partition,
            store.begin(partition, ports.partitions().origin(partition)),
            config,
            store.rows(),
            port);
    copies.put(partition, copy);
    due.add(copy);
    tail.follow(partition, copy.next(), copy.epochs().last());
    endsAreMissing = true;
    askEndsNanos = clock.nanos();
    return copy;
  }

  /** The log was seen to end there. */
  void sawEnd(Copy copy, ReplicaTask.End seen) throws IOException {
    if (seen.end().isEmpty()) {
      return;
    }
    SharedLog.End end = seen.end().get();
    Bytes noted = ports.partitions().origin(copy.partition());
    if (noted.length() > 0 && !noted.equals(end.origin())) {
      strange(copy, noted, end.origin());
    } else if (!copy.ends().isOf(end)) {
      LOGGER.warn(
          "the log of partition {} was deleted and made anew; its copy is made again",
          copy.partition());
      makeAgainFrom(copy, 0, end.origin());
    } else if (copy.ends().isLostBefore(seen.askedMicros())) {
      LOGGER.warn(
          "the log of partition {} was cut off before record {}, or begins behind it, at {}; its"
              + " copy is made again",
          copy.partition(),
          copy.next(),
          copy.ends().lostFirst());
      makeAgainFrom(copy, copy.ends().lostFirst(), end.origin());
    } else {
      copy.sawEnd(seen, end);
    }
  }

  private void strange(Copy copy, Bytes noted, Bytes found) {
    if (!copy.isFailed()) {
      LOGGER.error(
          "the log of partition {} has the origin {}, and its table that of {}: what was in it is"
              + " lost, its copy is kept and serves nothing. Restore the topic from a backup of"
              + " Kafka, or drop the table",
          copy.partition(),
          found,
          noted);
      tail.unfollow(copy.partition());
      copy.fail("the log of partition " + copy.partition() + " is not the one of its table");
    }
  }

  /**
   * The log has no record where the copy goes on. Whether the log was truncated or is another one
   * is seen from its origin, which is asked for first.
   */
  void lost(Copy copy, ReplicaTask.Lost lost) {
    if (copy.next() == lost.offset()) {
      copy.lose(lost.first());
      lookForLost();
    }
  }

  /** A copy has lost its place in the log. */
  void lookForLost() {
    endsAreMissing = true;
    askEndsNanos = clock.nanos();
  }

  /** The log has nothing of what was read of the former one. */
  private void makeAgainFrom(Copy copy, long next, Bytes origin) throws IOException {
    long floor = store.log().committed(copy.partition()) + 1;
    makeAgain(copy, next, new CopyStore.Left(floor, Math.max(floor, copy.next()), origin));
  }

  /** Gives up all that a copy has; what it appended last has an unknown outcome. */
  void makeAgain(Copy copy, long next, CopyStore.Left left) throws IOException {
    incidents.count(Incident.BEGUN_ANEW, 1);
    boolean isWanted = copy.leader().isWanted();
    copy.leader().stop(copy.notLeader(), "this node's copy is made again");
    copy.withdraw();
    copy.strict().stop(copy.notLeader());
    due.remove(copy);
    store.drop(copy.partition(), next, left);
    Copy again = begin(copy.partition());
    if (isWanted) {
      again.lead();
    } else if (copy.isLeaving()) {
      again.leave();
    }
  }

  /** Asks for the ends of the logs of copies that do not know where theirs was when they began. */
  private void askMissingEnds(long nowNanos) {
    List<Integer> missing =
        copies.values().stream()
            .filter(copy -> !copy.ends().isKnown())
            .map(Copy::partition)
            .toList();
    endsAreMissing = !missing.isEmpty();
    askEnds(missing);
    askEndsNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(config.times().claimPauseMsMax());
  }

  /** Any thread. */
  void askEnds(Collection<Integer> partitions) {
    long askedMicros = clock.epochMicros();
    long askedNanos = clock.nanos();
    ports
        .log()
        .ends(partitions)
        .forEach(
            (partition, asked) ->
                asked.whenComplete(
                    (end, failure) ->
                        queue.accept(
                            new ReplicaTask.End(
                                partition, Optional.ofNullable(end), askedMicros, askedNanos))));
  }

  /** A strict read comes. */
  void read(Copy copy, ReadIndex.Read read) {
    if (copy.strict().add(read)) {
      askStrictEnd(copy);
    }
  }

  private void askStrictEnd(Copy copy) {
    ports
        .log()
        .end(copy.partition())
        .whenComplete(
            (end, failure) ->
                queue.accept(new ReplicaTask.StrictEnd(copy, Optional.ofNullable(end))));
  }

  /** The end that strict reads have asked for is known, or cannot be. */
  void strictEnd(ReplicaTask.StrictEnd seen) {
    Copy copy = seen.copy();
    if (copies.get(copy.partition()) != copy) {
      copy.strict().stop(copy.notLeader());
      return;
    }
    Optional<SharedLog.End> end = seen.end().filter(copy.ends()::isOf);
    long deadline = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(STRICT_MS_MAX);
    boolean isNext =
        end.isPresent()
            ? copy.strict().ended(end.get().offset(), deadline)
            : copy.strict().failed(Copy.unconfirmed());
    due.add(copy);
    if (isNext) {
      askStrictEnd(copy);
    }
  }

  /** Strict reads that may be done now, everything that was read being folded. */
  List<Runnable> takeStrict(List<Copy> told) {
    List<Runnable> taken = new ArrayList<>();
    told.forEach(copy -> taken.addAll(copy.strict().take(copy.next())));
    return taken;
  }
}
