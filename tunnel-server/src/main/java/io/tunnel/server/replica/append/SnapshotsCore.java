package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.SnapshotStep.Ask;
import io.tunnel.server.replica.append.SnapshotStep.Delete;
import io.tunnel.server.replica.append.SnapshotStep.Kind;
import io.tunnel.server.replica.append.SnapshotStep.Recall;
import io.tunnel.server.replica.append.SnapshotStep.Search;
import io.tunnel.server.replica.append.SnapshotStep.Take;
import io.tunnel.server.replica.append.SnapshotStep.Verify;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.DueCore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What a node does next for the snapshots of its replicas: which snapshot to take, to read back, to
 * ask other nodes about, what to trim and what to delete. {@link DueCore} says when a snapshot is
 * due, and {@link TrimCore} what a log needs no more.
 *
 * <p>A step that was given out stays under way until its result comes; a result of a replica that
 * has gone, or of a former epoch, changes nothing. At most one snapshot of the node is taken, one
 * is read back, and one replica looks for its former snapshots. A partition has no trim under way
 * while a snapshot of the partition is taken, since a lane appends one control record at a time.
 */
final class SnapshotsCore {

  /** Between two questions to the other replicas. */
  static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Between two attempts to trim. */
  static final long TRIM_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Between two attempts to read. */
  static final long READ_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Between the first two attempts to delete; each further pause is twice as long. */
  static final long DELETE_NANOS_MIN = TimeUnit.SECONDS.toNanos(10);

  private static final int DELETE_DOUBLINGS_MAX = 6;

  private final DueCore due;
  private final long trimWaitNanos;
  private final Map<Integer, SnapshotReplica> replicas = new TreeMap<>();

  /** The snapshot that is taken. */
  private Optional<Take> taking = Optional.empty();

  /** Whether the scan of {@link #taking} was taken. */
  private boolean hasBegun;

  private Optional<Verify> verifying = Optional.empty();
  private Optional<Recall> recalling = Optional.empty();

  /**
   * A node without replicas.
   *
   * @param trimWaitNanos as of {@link TrimCore}; no longer lies between two attempts to trim
   */
  SnapshotsCore(DueCore.Limits limits, long trimWaitNanos) {
    due = new DueCore(limits);
    this.trimWaitNanos = trimWaitNanos;
  }

  /** The partitions that have a replica, as the core knows. */
  List<Integer> partitions() {
    return List.copyOf(replicas.keySet());
  }

  /** The node has a replica. To be told about once a second. */
  void see(int partition, SeenReplica seen, long nowNanos) {
    SnapshotReplica before = replicas.get(partition);
    if (before != null && before.seen.lane() != seen.lane()) {
      gone(partition);
      before = null;
    }
    SnapshotReplica replica = before == null ? new SnapshotReplica(seen, nowNanos) : before;
    replicas.put(partition, replica);
    replica.seen = seen;
    FollowState follow = seen.log().follow();
    Kept next = new Kept(follow.position(), follow.next());
    replica.marks.saw(seen.bytes(), next, seen.keptBytes());
    if (replica.trims.isPresent()) {
      read(replica, replica.trims.get(), nowNanos);
      lead(partition, replica);
    }
  }

  /** The replica is gone, or is rebuilt. */
  void gone(int partition) {
    SnapshotReplica replica = replicas.remove(partition);
    if (replica == null) {
      return;
    }
    unlead(partition, replica);
    if (verifying.filter(step -> step.partition() == partition).isPresent()) {
      verifying = Optional.empty();
    }
    if (recalling.filter(step -> step.partition() == partition).isPresent()) {
      recalling = Optional.empty();
    }
  }

  private void unlead(int partition, SnapshotReplica replica) {
    if (replica.led.isPresent()) {
      due.leave(partition);
    }
    if (taking.filter(step -> step.partition() == partition).isPresent()) {
      taking = Optional.empty();
    }
    replica.led = OptionalLong.empty();
    replica.isTrimming = false;
  }

  private static void read(SnapshotReplica replica, TrimCore trims, long nowNanos) {
    SeenReplica seen = replica.seen;
    if (seen.named().filter(named -> named.snapshot().id() > replica.newestId).isPresent()) {
      Snapshot newest = withoutEpochs(seen.named().get().snapshot());
      trims.read(Verdict.COUNTS, newest, nowNanos);
      replica.newestId = newest.id();
      replica.newestNanos = nowNanos;
      replica.bytesBefore = -seen.bytes();
    }
    if (!seen.log().trimmed().equals(trims.trimmed())) {
      trims.read(Verdict.COUNTS, seen.log().trimmed(), nowNanos);
    }
  }

  /** Trims need no epochs, and {@link TrimCore} may remember many snapshots. */
  private static Snapshot withoutEpochs(Snapshot named) {
    FollowState at = named.at();
    FollowState position =
        new FollowState(
            at.next(),
            at.position(),
            at.number(),
            at.hasBegun(),
            at.snapshot(),
            at.snapshotBefore(),
            List.of());
    return new Snapshot(named.id(), position, named.lastMicros(), named.trimmed(), named.blocks());
  }

  private void lead(int partition, SnapshotReplica replica) {
    SeenReplica seen = replica.seen;
    if (replica.led.equals(seen.epoch())) {
      if (replica.led.isPresent()) {
        due.logged(partition, seen.bytes() - replica.charged, replica.rowBytes());
      }
    } else {
      unlead(partition, replica);
      replica.led = seen.epoch();
      replica.attempts = 0;
      if (seen.epoch().isPresent()) {
        long logBytes = Math.max(0, replica.bytesBefore + seen.bytes());
        due.lead(partition, replica.rowBytes(), logBytes);
      }
    }
    replica.charged = seen.bytes();
  }

  private Optional<SnapshotReplica> replica(SnapshotStep step) {
    return Optional.ofNullable(replicas.get(step.partition()))
        .filter(replica -> replica.seen.lane() == step.lane());
  }

  /** What is to be begun now; each step is given out once. */
  List<SnapshotStep> look(long nowNanos) {
    List<SnapshotStep> steps = new ArrayList<>();
    for (Map.Entry<Integer, SnapshotReplica> each : replicas.entrySet()) {
      int partition = each.getKey();
      SnapshotReplica replica = each.getValue();
      recall(partition, replica, nowNanos, steps);
      verify(partition, replica, nowNanos, steps);
      if (replica.led.isPresent()) {
        ask(partition, replica, nowNanos, steps);
        trim(partition, replica, nowNanos, steps);
        delete(partition, replica, Kind.LOG, nowNanos, steps);
        delete(partition, replica, Kind.BLOCKS, nowNanos, steps);
      }
    }
    take(nowNanos, steps);
    return steps;
  }

  private void recall(
      int partition, SnapshotReplica replica, long nowNanos, List<SnapshotStep> steps) {
    if (recalling.isPresent() || replica.trims.isPresent() || nowNanos - replica.recallNanos < 0) {
      return;
    }
    FollowState follow = replica.seen.log().follow();
    List<Long> offsets = new ArrayList<>();
    for (long offset : List.of(follow.snapshotBefore(), follow.snapshot())) {
      if (offset != AppendHeader.NO_SNAPSHOT) {
        offsets.add(offset);
      }
    }
    recalling = Optional.of(new Recall(partition, replica.seen.lane(), offsets));
    steps.add(recalling.get());
  }

  private void verify(
      int partition, SnapshotReplica replica, long nowNanos, List<SnapshotStep> steps) {
    Optional<Snapshot> newest =
        replica
            .newest()
            .filter(found -> found.id() > replica.verified && found.id() != replica.damaged);
    if (verifying.isEmpty()
        && newest.isPresent()
        && replica.isVerifier()
        && nowNanos - replica.readNanos >= 0) {
      verifying = Optional.of(new Verify(partition, replica.seen.lane(), newest.get()));
      steps.add(verifying.get());
    }
  }

  private static void ask(
      int partition, SnapshotReplica replica, long nowNanos, List<SnapshotStep> steps) {
    if (replica.seen.hasOthers()
        && nowNanos - replica.askNanos >= 0
        && replica.trims.orElseThrow().unverified(true).isPresent()) {
      replica.askNanos = nowNanos + ASK_NANOS;
      steps.add(new Ask(partition, replica.seen.lane()));
    }
  }

  private void trim(
      int partition, SnapshotReplica replica, long nowNanos, List<SnapshotStep> steps) {
    boolean isTaken = taking.filter(step -> step.partition() == partition).isPresent();
    if (replica.isTrimming || isTaken || nowNanos - replica.trimNanos < 0) {
      return;
    }
    Kept nothing = new Kept(Long.MAX_VALUE, Long.MAX_VALUE);
    if (replica.trims.orElseThrow().due(nothing, replica.seen.hasOthers(), nowNanos).isPresent()) {
      replica.isTrimming = true;
      steps.add(new Search(partition, replica.seen.lane(), replica.led.getAsLong()));
    }
  }

  private static void delete(
      int partition, SnapshotReplica replica, Kind kind, long nowNanos, List<SnapshotStep> steps) {
    SnapshotReplica.Deletion deletion = replica.of(kind);
    long target = replica.target(kind);
    if (deletion.done < target && !deletion.isUnderWay && nowNanos - deletion.retryNanos >= 0) {
      deletion.isUnderWay = true;
      steps.add(new Delete(partition, replica.seen.lane(), kind, target));
    }
  }

  private void take(long nowNanos, List<SnapshotStep> steps) {
    OptionalInt next = taking.isPresent() ? OptionalInt.empty() : due.next(nowNanos);
    if (next.isEmpty() || replicas.get(next.getAsInt()).isTrimming) {
      return;
    }
    SnapshotReplica replica = replicas.get(next.getAsInt());
    replica.attempts++;
    taking =
        Optional.of(
            new Take(
                next.getAsInt(), replica.seen.lane(), replica.led.getAsLong(), replica.attempts));
    hasBegun = false;
    steps.add(taking.get());
  }

  /**
   * The records of former snapshots are read.
   *
   * @param found in the order of the log; without trimmed ones
   * @param logBytes of the log after the newest of them, as far as the node knows
   */
  void recalled(Recall step, List<Snapshot> found, long logBytes, long nowNanos) {
    if (!recalling.equals(Optional.of(step))) {
      return;
    }
    recalling = Optional.empty();
    SnapshotReplica replica = replicas.get(step.partition());
    TrimCore trims = new TrimCore(replica.seen.log().trimmed(), trimWaitNanos);
    List<Snapshot> rising = new ArrayList<>(found);
    rising.sort(Comparator.comparingLong(Snapshot::id));
    for (Snapshot each : rising) {
      trims.read(Verdict.COUNTS, withoutEpochs(each), nowNanos);
      replica.newestId = each.id();
    }
    replica.bytesBefore = logBytes - replica.seen.bytes();
    replica.trims = Optional.of(trims);
    see(step.partition(), replica.seen, nowNanos);
  }

  /** The log could not be read now. */
  void notRecalled(Recall step, long nowNanos) {
    if (recalling.equals(Optional.of(step))) {
      recalling = Optional.empty();
      replicas.get(step.partition()).recallNanos = nowNanos + READ_NANOS;
    }
  }

  /** Whether the snapshot is still to be taken; false when the node leads no more. */
  boolean isTaking(Take step) {
    return taking.equals(Optional.of(step));
  }

  /** The scan of a snapshot was taken. */
  void began(Take step) {
    if (isTaking(step)) {
      hasBegun = true;
      due.began(step.partition());
    }
  }

  /** The record of a snapshot counts. */
  void counted(Take step) {
    if (isTaking(step)) {
      due.counted(step.partition());
      taking = Optional.empty();
    }
  }

  /** There is no snapshot. */
  void failed(Take step, long nowNanos) {
    if (isTaking(step)) {
      if (!hasBegun) {
        due.began(step.partition());
      }
      due.failed(step.partition(), nowNanos);
      taking = Optional.empty();
    }
  }

  /** Whether the snapshot is still to be read back. */
  boolean isVerifying(Verify step) {
    return verifying.equals(Optional.of(step));
  }

  /** All blocks of a snapshot are intact. */
  void verified(Verify step) {
    if (isVerifying(step)) {
      verifying = Optional.empty();
      SnapshotReplica replica = replicas.get(step.partition());
      replica.verified = step.snapshot().id();
      replica.trims.orElseThrow().verified(step.snapshot().id(), false);
    }
  }

  /** No node can begin with the snapshot. */
  void damaged(Verify step) {
    if (isVerifying(step)) {
      verifying = Optional.empty();
      replicas.get(step.partition()).damaged = step.snapshot().id();
    }
  }

  /** The blocks cannot be read now. */
  void unread(Verify step, long nowNanos) {
    if (isVerifying(step)) {
      verifying = Optional.empty();
      replicas.get(step.partition()).readNanos = nowNanos + READ_NANOS;
    }
  }

  /** The newest snapshot that this node has read back and found intact. */
  OptionalLong verified(int partition) {
    SnapshotReplica replica = replicas.get(partition);
    return replica == null || replica.verified == 0
        ? OptionalLong.empty()
        : OptionalLong.of(replica.verified);
  }

  /** Another node has read a snapshot back. */
  void verifiedElsewhere(Ask step, long id) {
    replica(step).flatMap(replica -> replica.trims).ifPresent(trims -> trims.verified(id, true));
  }

  /**
   * The answer to a search; empty when the log cannot be searched now.
   *
   * @return the trim that the leader is to append; {@link #trimmed} follows
   */
  Optional<Trim> kept(Search step, Optional<Kept> byTime, long nowNanos) {
    Optional<SnapshotReplica> found = trimming(step);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    SnapshotReplica replica = found.get();
    Optional<Trim> trim =
        byTime
            .map(kept -> later(kept, replica))
            .flatMap(
                kept -> replica.trims.orElseThrow().due(kept, replica.seen.hasOthers(), nowNanos));
    if (trim.isEmpty()) {
      trimmed(step, nowNanos);
    }
    return trim;
  }

  /** A change may go as soon as time or size lets it. */
  private static Kept later(Kept byTime, SnapshotReplica replica) {
    Optional<Kept> bySize = replica.marks.newest(replica.seen.keptBytes());
    return bySize.filter(kept -> kept.position() > byTime.position()).orElse(byTime);
  }

  private Optional<SnapshotReplica> trimming(Search step) {
    return replica(step)
        .filter(replica -> replica.isTrimming && replica.led.equals(OptionalLong.of(step.epoch())));
  }

  /** The append of a trim has ended, or was not due. */
  void trimmed(Search step, long nowNanos) {
    trimming(step)
        .ifPresent(
            replica -> {
              replica.isTrimming = false;
              replica.trimNanos = nowNanos + Math.min(TRIM_NANOS, trimWaitNanos);
            });
  }

  /** A deletion has ended. */
  void deleted(Delete step, boolean isDone, long nowNanos) {
    Optional<SnapshotReplica> found = replica(step);
    if (found.isEmpty()) {
      return;
    }
    SnapshotReplica.Deletion deletion = found.get().of(step.of());
    deletion.isUnderWay = false;
    if (isDone) {
      deletion.done = step.offset();
      deletion.failures = 0;
      deletion.retryNanos = nowNanos;
    } else {
      deletion.retryNanos = nowNanos + (DELETE_NANOS_MIN << deletion.failures);
      deletion.failures = Math.min(DELETE_DOUBLINGS_MAX, deletion.failures + 1);
    }
  }

  /** Bytes a second for the snapshot that is taken. */
  long paceBytes() {
    return due.paceBytes();
  }

  /** Whether writes outrun snapshots. */
  boolean isOutrun() {
    return due.isOutrun();
  }

  /** Bytes of the logs after the snapshots of all led partitions. */
  long logBytes() {
    return due.logBytes();
  }

  /** The longest time since this node has learned of the newest snapshot of a led partition. */
  long ageNanos(long nowNanos) {
    return replicas.values().stream()
        .filter(replica -> replica.led.isPresent() && replica.newestId > 0)
        .mapToLong(replica -> nowNanos - replica.newestNanos)
        .max()
        .orElse(0);
  }
}
