package io.tunnel.server.replica.append;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.LocalRetention;
import io.tunnel.server.replica.ReadIndex;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the replicas of a shard: begins and ends replicas, passes on what the tail reads and where
 * the logs end, has due claims made, and says which partitions are served.
 *
 * <p>A partition is served when its lane leads, and the local log and the table have every change
 * before the marker of the lane. A partition ceases to be served before the shard takes the first
 * change of another leader. So a reader that finds the same epoch served before and after the read
 * has seen the complete rows of one leader.
 *
 * <p>The shard's thread owns the state. Any thread may call the public methods.
 */
final class LaneKeeper implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(LaneKeeper.class);

  /** How long a strict read waits for the records before the end that it has asked for. */
  static final long STRICT_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

  /** Between two looks at the topics of a partition that the node is assigned to lead. */
  private static final long TOPICS_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Between two looks when the log did not answer. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int id;
  private final Shard shard;
  private final SharedShardLog log;
  private final SeenRecords seen;
  private final PacedTail tail;
  private final TopicProblems problems;
  private final Shard.Clock clock;
  private final Incidents incidents;
  private final Map<Integer, KeptLane> kept = new ConcurrentHashMap<>();
  private final StartingLanes starting;

  /** Whether a tick waits for the shard's thread. */
  private final AtomicBoolean isTicking = new AtomicBoolean();

  /** A shard that has ended runs at once what is posted, and the table is closed then. */
  private volatile boolean isClosed;

  /** Records that the lanes have taken, and that the local log may lack. */
  private long takenBytes;

  private long takenRecords;

  /** Lanes that were begun. */
  private long lanes;

  /**
   * What is opened of a shard before the keeper is there.
   *
   * @param seen what the table and the local log had at the start
   */
  record Opened(SeenRecords seen, SharedShardLog log, PacedTail tail, Incidents incidents) {}

  /** What a node is assigned to do with a partition. */
  enum Target {
    FOLLOW,
    LEAD,
    LEAVE
  }

  /**
   * A keeper without replicas.
   *
   * @param id of the shard
   */
  LaneKeeper(int id, Shard shard, Opened opened, AppendReplicas.Ports ports, Shard.Clock clock) {
    this.id = id;
    this.shard = shard;
    this.log = opened.log();
    this.seen = opened.seen();
    this.tail = opened.tail();
    this.incidents = opened.incidents();
    this.problems = ports.problems();
    this.starting = new StartingLanes(shard, ports.snapshots().starts(), clock, this::begin);
    this.clock = clock;
  }

  private void post(Runnable action) {
    shard.execute(Set.of(), action);
  }

  /** The replica of a partition. */
  Optional<LaneView> view(int partition) {
    return Optional.ofNullable(kept.get(partition)).map(replica -> replica.view);
  }

  /** The epoch in which a partition is served here; empty elsewhere. */
  OptionalLong served(int partition) {
    return view(partition).map(LaneView::served).orElse(OptionalLong.empty());
  }

  /** The partitions that have a replica. */
  Set<Integer> partitions() {
    return Set.copyOf(kept.keySet());
  }

  /** By partition, why no replica of the partition can begin. For any thread. */
  Map<Integer, String> unservable() {
    return starting.failed();
  }

  /** Why no replica of a partition can begin, if none can. For any thread. */
  Optional<String> unservable(int partition) {
    return Optional.ofNullable(starting.failed().get(partition));
  }

  /** How many replicas begin, and have no lane yet. For any thread. */
  int starting() {
    return starting.count();
  }

  Incidents incidents() {
    return incidents;
  }

  /** Bytes of records that wait. */
  long readBytes() {
    return tail.waitingBytes();
  }

  /** When the log has last confirmed the lead of a partition, by the clock of the shard. */
  OptionalLong confirmedNanos(int partition) {
    KeptLane replica = kept.get(partition);
    return replica == null ? OptionalLong.empty() : replica.lane.confirmedNanos();
  }

  /** The replica of a partition is to do that from now on. */
  void become(int partition, Target target) {
    post(() -> told(partition, target));
  }

  private void told(int partition, Target target) {
    KeptLane replica = kept.get(partition);
    if (replica != null) {
      told(replica, target);
    } else if (!starting.isTold(partition, target)
        && target != Target.LEAVE
        && !shard.hasFailed()) {
      LaneState known = seen.state(partition);
      if (known.follow().equals(FollowState.NONE)) {
        starting.start(partition, target);
      } else {
        begin(partition, known, target);
      }
    }
  }

  private void told(KeptLane replica, Target target) {
    replica.target = target;
    if (target == Target.LEAD) {
      askTopics(replica);
    } else {
      replica.barred = Optional.empty();
      replica.lane.follow();
    }
    touched(replica);
    if (target == Target.LEAVE) {
      // The writers of appends under way learn from the log what became of them.
      log.settled(replica.partition, () -> leave(replica));
    }
  }

  private void begin(int partition, LaneState state, Target target) {
    KeptLane replica = new KeptLane(partition, log.begin(partition, state), ++lanes);
    publish(replica);
    kept.put(partition, replica);
    askEnds(Set.of(partition));
    told(replica, target);
  }

  /** Before a claim, and again and again while the node is assigned to lead. */
  private void askTopics(KeptLane replica) {
    replica.askedNanos = clock.nanos();
    problems
        .of(replica.partition)
        .whenComplete((found, failure) -> post(() -> sawTopics(replica, found, failure)));
  }

  /** A leader whose log does not answer leads on: the topics were right before. */
  private void sawTopics(KeptLane replica, Optional<String> problem, Throwable failure) {
    if (kept.get(replica.partition) != replica || replica.target != Target.LEAD) {
      return;
    }
    boolean isRight = failure == null && problem.isEmpty();
    if (isRight) {
      replica.barred = Optional.empty();
      replica.lane.lead(clock.nanos());
      tick(replica);
    } else if (failure == null) {
      LOGGER.error(
          "this node does not lead partition {}: {}. Looks at the topics again in {} s",
          replica.partition,
          problem.get(),
          TimeUnit.NANOSECONDS.toSeconds(TOPICS_NANOS));
      replica.barred = problem;
      replica.lane.follow();
      touched(replica);
    } else {
      LOGGER.warn(
          "cannot look at the topics of partition {}: {}; will retry in {} s",
          replica.partition,
          failure.getMessage(),
          TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS));
      replica.askedNanos = clock.nanos() - TOPICS_NANOS + RETRY_NANOS;
    }
  }

  /** Takes an event of the tail; for the thread of the tail. */
  void happened(AppendTail.Event event) {
    post(() -> take(event));
    if (event instanceof AppendTail.Read) {
      // By then the local log has the records, unless the disk is full.
      post(this::resume);
    }
  }

  private void take(AppendTail.Event event) {
    if (event instanceof AppendTail.Read read) {
      takenBytes += read.bytes();
      takenRecords += read.records().size();
    }
    KeptLane replica = kept.get(event.partition());
    if (replica != null) {
      log.take(event);
      touched(replica);
    }
  }

  /** The log lacks what a replica has, or needs; for the shard's thread. */
  void lost(int partition, String cause) {
    post(
        () -> {
          KeptLane replica = kept.get(partition);
          if (replica != null && replica.lane.standing() == Standing.LOST) {
            if (replica.target == Target.LEAVE) {
              leave(replica);
              return;
            }
            incidents.count(Incident.BEGUN_ANEW, 1);
            LOGGER.warn(
                "the replica of partition {} cannot resume: {}; it is rebuilt", partition, cause);
            remove(replica);
            starting.start(partition, replica.target);
          }
        });
  }

  /** A control record counts; for the shard's thread. */
  void said(int partition, long offset, AppendValue value) {
    KeptLane replica = kept.get(partition);
    if (replica != null && value instanceof Snapshot snapshot) {
      replica.named = Optional.of(new LaneView.Named(offset, snapshot));
      publish(replica);
    }
  }

  /** Lets the tail read again, when the local log has what was read and the table keeps up. */
  private void resume() {
    if (!log.isBehind() && shard.unfoldedBytes() <= tail.bytesMax()) {
      tail.taken(takenBytes, takenRecords);
      takenBytes = 0;
      takenRecords = 0;
      tail.resume();
    }
  }

  /** Does what time has made due; to be called a few times a second, by any thread. */
  void tick() {
    if (isTicking.compareAndSet(false, true)) {
      post(
          () -> {
            isTicking.set(false);
            List.copyOf(kept.values()).forEach(this::tick);
            log.expire(clock.nanos());
            if (!isClosed) {
              starting.retry();
            }
            resume();
          });
    }
  }

  private void tick(KeptLane replica) {
    long now = clock.nanos();
    if (replica.target == Target.LEAD && now - replica.askedNanos >= TOPICS_NANOS) {
      askTopics(replica);
    }
    replica.lane.tick(now, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
    replica.strict.expire(now, ReadIndex.unconfirmed());
    touched(replica);
  }

  /** Trims the local log; {@code nowMicros} since 1970. */
  void retain(LocalRetention retention, long nowMicros) {
    post(
        () -> {
          Set<Integer> followed = Set.copyOf(kept.keySet());
          Set<Integer> left = new TreeSet<>(log.local().partitionIds());
          left.removeAll(followed);
          try {
            if (!shard.hasFailed() && !isClosed) {
              retention.look(id, followed, left, shard.meter(), nowMicros);
            }
          } catch (IOException e) {
            LOGGER.warn("shard {} cannot trim its local log now; will retry", id, e);
          }
        });
  }

  /** Asks where the logs of all replicas end; any thread. */
  void askEnds() {
    askEnds(kept.keySet());
  }

  private void askEnds(Set<Integer> partitions) {
    long asked = clock.nanos();
    tail.ends(partitions)
        .forEach(
            (partition, answer) ->
                answer.thenAccept(
                    end ->
                        post(
                            () ->
                                Optional.ofNullable(kept.get(partition))
                                    .ifPresent(replica -> sawEnd(replica, end, asked)))));
  }

  private void sawEnd(KeptLane replica, AppendTail.End end, long askedNanos) {
    if (replica.startEnd.isEmpty()) {
      replica.startEnd = OptionalLong.of(end.offset());
    }
    replica.end = end.offset();
    log.sawEnd(replica.partition, end, askedNanos);
    touched(replica);
  }

  /** See {@link SharedShardLog#passed}; any thread. */
  void passed(int partition, long micros, Runnable then) {
    post(() -> log.passed(partition, micros, then));
  }

  /** Runs a read once the replica has all that any client was told before the read came. */
  void read(int partition, Runnable action, Consumer<RefusedException> refused) {
    post(
        () -> {
          KeptLane replica = kept.get(partition);
          if (replica == null) {
            refused.accept(log.notLed(partition));
          } else if (replica.strict.add(
              new ReadIndex.Read(() -> readWhole(partition, action, refused), refused))) {
            askStrictEnd(replica);
          }
        });
  }

  /** The local log may lack records that the lane has read, while the disk is full. */
  private void readWhole(int partition, Runnable action, Consumer<RefusedException> refused) {
    if (log.isBehind(partition)) {
      refused.accept(
          new RefusedException(
              ErrorCode.BUSY,
              "the disk of this node is full, and the local log lacks changes of partition "
                  + partition
                  + "; try again later"));
    } else {
      action.run();
    }
  }

  private void askStrictEnd(KeptLane replica) {
    long asked = clock.nanos();
    CompletableFuture<AppendTail.End> answer =
        tail.ends(Set.of(replica.partition)).get(replica.partition);
    answer.whenComplete(
        (end, failure) -> post(() -> strictEnd(replica, Optional.ofNullable(end), asked)));
  }

  private void strictEnd(KeptLane replica, Optional<AppendTail.End> end, long askedNanos) {
    if (kept.get(replica.partition) != replica) {
      replica.strict.stop(log.notLed(replica.partition));
      return;
    }
    boolean isNext =
        end.isPresent()
            ? replica.strict.ended(end.get().offset(), clock.nanos() + STRICT_NANOS_MAX)
            : replica.strict.failed(ReadIndex.unconfirmed());
    if (isNext) {
      askStrictEnd(replica);
    }
    end.ifPresent(at -> sawEnd(replica, at, askedNanos));
  }

  /** Something has happened to a replica. */
  private void touched(KeptLane replica) {
    OptionalLong led = replica.lane.ledEpoch();
    if (!replica.view.served().equals(led)) {
      if (replica.view.served().isPresent()) {
        replica.view = replica.view.withdrawn();
      }
      if (led.isPresent() && !replica.awaited.equals(led)) {
        replica.awaited = led;
        shard.execute(Set.of(replica.partition), () -> folded(replica, led));
      }
    }
    for (Runnable read : replica.strict.take(replica.lane.next())) {
      shard.execute(replica.partition, read);
    }
    publish(replica);
  }

  /** Everything before the marker of an epoch is in the table, unless the disk is full. */
  private void folded(KeptLane replica, OptionalLong epoch) {
    replica.awaited = OptionalLong.empty();
    if (replica.lane.ledEpoch().equals(epoch) && !log.isBehind(replica.partition)) {
      incidents.count(Incident.LED, 1);
      replica.view = view(replica, epoch);
    }
  }

  private void remove(KeptLane replica) {
    replica.view = replica.view.withdrawn();
    replica.strict.stop(log.notLed(replica.partition));
    kept.remove(replica.partition);
    log.end(replica.partition);
    seen.drop(replica.partition);
  }

  private void leave(KeptLane replica) {
    if (kept.get(replica.partition) != replica || replica.target != Target.LEAVE) {
      return;
    }
    remove(replica);
    starting.delete(replica.partition);
  }

  private void publish(KeptLane replica) {
    OptionalLong served = replica.view == null ? OptionalLong.empty() : replica.view.served();
    replica.view = view(replica, served);
  }

  private static LaneView view(KeptLane replica, OptionalLong served) {
    SharedLane lane = replica.lane;
    LaneState state = lane.state();
    return new LaneView(
        lane.standing().word(lane.role()),
        lane.reason().or(() -> replica.barred),
        served,
        new KnownLog(replica.number, state.follow(), state.trimmed()),
        new LaneView.Progress(
            lane.standing().isFollowing(),
            lane.next(),
            Math.max(replica.end, lane.next()),
            replica.startEnd),
        replica.begun,
        state.lastMicros(),
        LaneView.incarnations(state.follow().stretches(), Optional.ofNullable(replica.view)),
        new LaneView.Counted(replica.number, replica.named, lane.countedBytes()));
  }

  /** Reads no more, and refuses strict reads; before the shard is closed. */
  @Override
  public void close() throws IOException {
    isClosed = true;
    tail.close();
    post(() -> kept.values().forEach(each -> each.strict.stop(PendingWrite.stopping())));
  }
}
