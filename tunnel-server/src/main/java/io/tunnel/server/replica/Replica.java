package io.tunnel.server.replica;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.replica.history.EpochHistory;
import io.tunnel.server.replica.history.LeaderEpochs;
import io.tunnel.server.replica.lead.Leader;
import io.tunnel.server.replica.lead.NumberedBatches;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.RecordValue;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Verdict;
import io.tunnel.server.replica.shared.ReplicaEnds;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * A node's replica of one partition: the records read, the rows folded from them, and the leader.
 * For the shard's thread, except {@link #view}.
 */
final class Replica {

  private final int partition;
  private final Port port;
  private final ReplicaConfig config;
  private final ReplicaCore core;
  private final Leader leader;
  private final RunCore runs;
  private final NumberedBatches numbered;
  private final ReplicaEnds ends;
  private final ReadIndex strict = new ReadIndex();

  /** Commit times never fall, although the clocks of the log's machines may differ. */
  private long lastMicros;

  private long floor;
  private boolean isDirty;

  /** NONE while the replica reads; the first reason to stop stays. */
  private ReplicaStop stop = ReplicaStop.NONE;

  private boolean isStale;

  /** What it was told to be last; also of a replica that failed, whose leader is not wanted. */
  private ReplicaTask.Target target = ReplicaTask.Target.FOLLOW;

  private EpochHistory epochHistory;

  /** Set before what was read is delivered, so that no reader is told an earlier incarnation. */
  private volatile LeaderEpochs epochs;

  private final AtomicLong queuedBytes = new AtomicLong();

  /** Written by the shard's thread alone. */
  private final AtomicLong withdrawals = new AtomicLong();

  private volatile View view;

  /**
   * The state of a replica, for other threads.
   *
   * @param role its role, or why it {@linkplain ReplicaStop stopped}
   * @param isServing whether rows are read and changes delivered here
   * @param isWritable whether writes are taken
   * @param next the position to read next: all records before it are folded
   * @param end of the log as last seen; -1 when it was not seen yet
   * @param startEnd of the log when the replica began; -1 when it was not seen yet
   * @param firstPosition the lowest position from which the local log has all changes
   * @param lastMicros commit time of the last change that was read; 0 when there was none
   * @param epochHistory which of the records read count
   */
  record View(
      String role,
      boolean isServing,
      boolean isWritable,
      long epoch,
      long next,
      long end,
      long startEnd,
      long firstPosition,
      long lastMicros,
      EpochHistory epochHistory) {

    boolean isCaughtUp() {
      return startEnd >= 0 && next >= startEnd;
    }

    long lag() {
      return Math.max(0, end - next);
    }

    /** A replica of this view under which rows are not read here. */
    private View withdrawn() {
      return new View(
          role, false, false, epoch, next, end, startEnd, firstPosition, lastMicros, epochHistory);
    }
  }

  /** What a replica needs of its shard. */
  interface Port extends Leader.Port, NumberedBatches.Port {
    /** Where the partition's leader is reached, as far as it is known. */
    Optional<String> leaderOf(int partition);

    /** How long the shared log keeps deletions at least. */
    long deletionMicros(int partition);

    /** Position of the last change in the local log. */
    long logged(int partition);

    /** Position from which on the local log has every change that was put there. */
    long keptFrom(int partition);
  }

  Replica(int partition, StoredReplica state, ReplicaConfig config, ReplicaStore store, Port port) {
    this.partition = partition;
    this.config = config;
    this.port = port;
    this.core = new ReplicaCore(state.replica());
    this.lastMicros = state.lastMicros();
    this.floor = state.floor();
    this.epochHistory = state.epochHistory();
    this.epochs = state.epochs();
    this.ends =
        new ReplicaEnds(
            state.origin(), state.replica().next() == 0 ? port.epochMicros() : state.freshMicros());
    this.runs = new RunCore(partition, config.batches().mergedBytesMax());
    this.numbered = new NumberedBatches(partition, store.writers(), port);
    this.leader = new Leader(partition, core, store.rows(), numbered, port, config);
    publish();
  }

  int partition() {
    return partition;
  }

  View view() {
    return view;
  }

  /** Bytes of batches that were accepted and not answered; any thread. */
  AtomicLong queuedBytes() {
    return queuedBytes;
  }

  /**
   * How often its rows ceased to be served; any thread. A read of rows looks here before it sees
   * that they are served, and again when it is done: if the number has changed, rows may have been
   * dropped under the read, or another leader's may have come in.
   */
  long withdrawals() {
    return withdrawals.get();
  }

  /**
   * Stops serving rows. Must run before any change to the rows that a reader must not see. The view
   * changes before the counter, so that no reader sees the new counter together with served rows.
   */
  void withdraw() {
    view = view.withdrawn();
    withdrawals.incrementAndGet();
  }

  /**
   * Withdraws when a record just read shows that a different leader has served these rows since.
   */
  void withdrawIfLost() {
    boolean goesOn = isServing() && core.epoch() == view.epoch();
    if (view.isServing() && !goesOn) {
      withdraw();
    }
  }

  private boolean isServing() {
    return isCaughtUp() && !isFailed() && !ends.isLost() && leader.isServing();
  }

  Leader leader() {
    return leader;
  }

  long next() {
    return core.next();
  }

  /** Whether something was read that is not stored yet. */
  boolean isDirty() {
    return isDirty;
  }

  /** Whether it has {@linkplain ReplicaStop stopped}. */
  boolean isFailed() {
    return stop != ReplicaStop.NONE;
  }

  /** What is to be stored with the rows. */
  StoredReplica state() {
    numbered.settle();
    return new StoredReplica(
        core.state(),
        port.logged(partition),
        lastMicros,
        floor,
        ends.storeFresh(),
        ends.origin(),
        epochHistory,
        epochs);
  }

  long floor() {
    return floor;
  }

  /** Who led the log in what was read; any thread. */
  LeaderEpochs epochs() {
    return epochs;
  }

  /** No change before is to be read from the shared log, which is not the one that had it. */
  long barrier() {
    return epochHistory.barrier();
  }

  /** No change before {@code position} is to be read from the local log. */
  private void raiseFloor(long position) {
    floor = Math.max(floor, position);
  }

  /** Takes what was read; {@link #takeRuns} then has what is to be logged and folded. */
  void read(long from, List<Stored> records, long next, long readMicros, long nowNanos) {
    if (from > core.next() || isFailed() || isStale || ends.isLost()) {
      // Read for a replica that was here before.
      return;
    }
    // Asked once: neither changes before what is read here is folded.
    Chunk chunk = new Chunk(youngAfterMicros(readMicros), port.logged(partition), nowNanos);
    try {
      for (Stored record : records) {
        if (record.offset() >= core.next() && epochs.contradicts(record)) {
          lose(0);
          return;
        }
        if (record.offset() >= core.next() && !findsHole(record.offset(), readMicros)) {
          read(record, chunk);
        }
      }
      if (next > core.next() && !findsHole(next, readMicros)) {
        skipTo(next, nowNanos);
      }
      ends.read(core.next());
    } catch (NewerFormatException e) {
      stop(ReplicaStop.OUTDATED, "the log has a record of a newer build; upgrade this node");
      throw e;
    } catch (MalformedException e) {
      stop(ReplicaStop.FAILED, "a record of the log cannot be read");
      throw e;
    } finally {
      isDirty = true;
    }
  }

  /** Reads, leads and serves nothing from now on, and keeps what it has. */
  void stop(ReplicaStop why, String reason) {
    stop = isFailed() ? stop : why;
    withdraw();
    leader.stop(notLeader(), reason);
  }

  /** The log has no record where the replica goes on, and begins at {@code first}. */
  void lose(long first) {
    ends.lose(first, port.epochMicros());
    withdraw();
    leader.refuseWaiting(notLeader());
  }

  /** What it knows of its log. */
  ReplicaEnds ends() {
    return ends;
  }

  /** Linearizable reads: they see every write acknowledged before they began. */
  ReadIndex strict() {
    return strict;
  }

  /** Whether it cannot go on there, because it may have missed deletions. */
  private boolean findsHole(long offset, long readMicros) {
    isStale |=
        offset > core.next()
            && ends.mayHaveMissedDeletions(readMicros, port.deletionMicros(partition));
    return isStale;
  }

  /**
   * Whether the replica was behind for so long that it may have deleted rows: the node must rebuild
   * it.
   */
  boolean isStale() {
    return isStale;
  }

  private void skipTo(long offset, long nowNanos) {
    core.skipTo(offset);
    numbered.skipped();
    epochHistory = epochHistory.skipped();
    raiseFloor(offset);
    leader.skipped(nowNanos);
  }

  /**
   * Values shared by all records of one read.
   *
   * @param youngAfterMicros records that the log took later cannot have been compacted
   * @param logged position of the last change in the local log
   */
  private record Chunk(long youngAfterMicros, long logged, long nowNanos) {}

  private void read(Stored record, Chunk chunk) {
    Entry entry = record.entry();
    RecordHeader.requireKnown(entry);
    LeaderEpochs epochsThen = epochs.read(core.next(), record);
    if (record.offset() > core.next()) {
      skipTo(record.offset(), chunk.nowNanos());
    }
    Optional<BatchRow> own = leader.row(record);
    Optional<RecordValue> value =
        own.isPresent() || entry.kind() == SharedLog.Kind.MARKER
            ? Optional.empty()
            : entry.value().map(bytes -> RecordCodec.decode(entry.key(), bytes));
    // Only now: the replica may have stopped in front of the record.
    epochs = epochsThen;
    boolean isYoung = record.timeMicros() > chunk.youngAfterMicros();
    if (isYoung) {
      core.wholeFromHere();
    } else {
      // It may go at any moment, and with it what the local log would have to have.
      raiseFloor(record.offset() + 1);
    }
    Verdict verdict = core.read(record);
    epochHistory = epochHistory.read(record, core);
    numbered.read(record, verdict == Verdict.CHANGE || verdict == Verdict.REPAIR);
    switch (verdict) {
      case CHANGE, REPAIR -> {
        boolean isLogged = record.offset() <= chunk.logged();
        counted(record, own, value, verdict == Verdict.REPAIR || !isYoung || isLogged);
        leader.counted(record, chunk.nowNanos());
      }
      case MARKER -> leader.marked(record, notLeader(), chunk.nowNanos());
      case FENCED -> {
        port.count(Incident.FENCED, 1);
        leader.fenced(record, chunk.nowNanos());
      }
      case SEEN -> throw new IllegalStateException(record + " was read before");
    }
  }

  private long youngAfterMicros(long readMicros) {
    long retention = port.retentionMicros(partition);
    long margin = TimeUnit.MILLISECONDS.toMicros(config.times().youngMarginMs());
    return retention == Long.MAX_VALUE ? Long.MIN_VALUE : readMicros - retention + margin;
  }

  /** With the row as this leader holds it, or else the value of the record. */
  private void counted(
      Stored record, Optional<BatchRow> own, Optional<RecordValue> value, boolean isRowOnly) {
    Entry entry = record.entry();
    lastMicros = Math.max(lastMicros, record.timeMicros());
    if (own.isPresent()) {
      runs.add(record.offset(), lastMicros, isRowOnly, own.get());
    } else {
      boolean isRepair = entry.kind() == SharedLog.Kind.REPAIR;
      long micros = isRepair ? entry.rowMicros() : lastMicros;
      runs.add(record.offset(), micros, isRowOnly, new RunCore.Row(entry, value));
    }
  }

  /** What was read since the last time. */
  List<RunCore.Run> takeRuns() {
    return runs.take();
  }

  /**
   * What was read is folded and stored.
   *
   * @return rows that were rejected by their condition
   */
  int folded() {
    isDirty = false;
    publish();
    return leader.answer(notLeader());
  }

  /** Of the log that it is a replica of. */
  void sawEnd(SharedLog.End seen, ReplicaEnds.Asked asked) {
    isDirty |= ends.saw(seen, asked, core.next(), port.deletionMicros(partition));
  }

  /** Is to be that from now on; one that failed leads nothing. */
  void become(ReplicaTask.Target told) {
    target = told;
    leader.want(told == ReplicaTask.Target.LEAD && !isFailed());
  }

  ReplicaTask.Target target() {
    return target;
  }

  private boolean isCaughtUp() {
    return ends.isReadTo(core.next());
  }

  boolean isLeaving() {
    return target == ReplicaTask.Target.LEAVE;
  }

  /** Whether it can go. */
  boolean canGo() {
    return isLeaving() && leader.isIdle();
  }

  /**
   * Does what is to be done next; everything that was read is folded.
   *
   * @param mayGoOn see {@link Leader#advance}
   */
  void advance(long nowNanos, BooleanSupplier mayGoOn) {
    if (!isFailed()) {
      leader.advance(isCaughtUp(), nowNanos, mayGoOn);
    }
    strict.expire(nowNanos, ReadIndex.unconfirmed());
    publish();
  }

  /** What was read cannot be folded, for lack of room. */
  void stall(RefusedException busy, long nowNanos) {
    leader.stall(busy, nowNanos);
    strict.expire(nowNanos, ReadIndex.unconfirmed());
  }

  Optional<Long> nextNanos() {
    Optional<Long> first = strict.nextNanos();
    Optional<Long> second = leader.nextNanos(isCaughtUp());
    if (first.isEmpty() || second.isEmpty()) {
      return first.or(() -> second);
    }
    return first.get() - second.get() < 0 ? first : second;
  }

  /** Says how things are, for {@link #view}. */
  void publish() {
    boolean isServing = isServing();
    if (view != null) {
      withdrawIfLost();
    }
    ends.atLeast(core.next());
    view =
        new View(
            isFailed() ? stop.name() : core.role().name(),
            isServing,
            isServing && leader.isWritable(),
            core.epoch(),
            core.next(),
            ends.end(),
            ends.startEnd(),
            firstPosition(),
            lastMicros,
            epochHistory);
  }

  private long firstPosition() {
    long whole = core.wholeFrom() == Long.MAX_VALUE ? core.next() : core.wholeFrom();
    return Math.max(Math.max(whole, floor), Math.max(1, port.keptFrom(partition)));
  }

  RefusedException notLeader() {
    View seen = view;
    String reason =
        seen == null || seen.isCaughtUp()
            ? "this node does not lead partition " + partition
            : "this node is still reading partition "
                + partition
                + ": "
                + seen.next()
                + " of "
                + (seen.startEnd() < 0 ? "an unknown number" : seen.startEnd());
    boolean isAwaited = leader != null && leader.isWanted();
    return RefusedException.notLeader(
        reason, isAwaited ? Optional.empty() : port.leaderOf(partition));
  }
}
