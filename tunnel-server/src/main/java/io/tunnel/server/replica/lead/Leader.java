package io.tunnel.server.replica.lead;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Role;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The part of a replica that leads: claims, appends one group at a time, and knows what became of
 * it. For the shard's thread.
 *
 * <p>The fate of a group is certain when all of it was read back, when another epoch began, or when
 * a record of its own epoch does not count: what was not read back by then never counts. A group
 * whose append failed is therefore left as it is, and the leader claims again: at the latest its
 * own marker settles the group. What was settled is answered after the next fold.
 */
public final class Leader {

  /** Markers whose outcome is unknown and that are remembered. */
  static final int CLAIMS_MAX = 1_000;

  /** The rows that its writes are judged by. */
  public interface Rows extends ConditionCore.StoredRows {
    /** When the row was committed, in microseconds since 1970; 0 without a row. */
    @Override
    long commitMicros(int partition, Bytes key);
  }

  /** Where it appends, and how it names itself. */
  public interface Port {
    /**
     * Appends to the partition's log; what becomes of it is told to {@link Leader#appended} with
     * the same number.
     */
    void append(int partition, long number, List<Entry> entries);

    /** A value that no other marker has. */
    Bytes marker();

    /** Counts what happened. */
    void count(Incident what, long times);
  }

  private final int partition;
  private final ReplicaCore core;
  private final GroupMaker maker;
  private final Port port;
  private final ReplicaConfig.Times times;

  /**
   * Writes that no whole group has yet. Empty behind each {@link #advance} of a leader that takes
   * no writes.
   */
  private final ArrayDeque<PendingWrite> waiting = new ArrayDeque<>();

  /** Groups that wait for the next fold to be answered. */
  private final List<Settled> settled = new ArrayList<>();

  /**
   * Markers of this replica that may still come, at most {@link #CLAIMS_MAX}; the newest is there.
   */
  private final Set<Bytes> claims = new HashSet<>();

  /**
   * The group in flight: appended but not settled. The leader appends no second group meanwhile.
   */
  private Optional<AppendGroup> group = Optional.empty();

  /** Whether the node was told to lead; the next {@link #advance} acts on it. */
  private boolean isWanted;

  private State state = State.FOLLOWING;

  /** Times that it has to claim again since it was told to lead, or since a whole group counted. */
  private int failures;

  /** Of the last append, marker or group: only what became of that one matters. */
  private long number;

  /** When to claim in a state that {@link State#awaitsClaim awaits a claim}; empty: at once. */
  private Optional<Long> claimNanos = Optional.empty();

  /** When the slice of the unfinished group ended. */
  private long slicedNanos;

  /** The deadline for reading back the group in flight. */
  private long deadlineNanos;

  /**
   * How far it is. {@code CUT_OFF} and {@code RECLAIMING} have led and read no marker of another.
   */
  private enum State {
    /** Nothing is under way. */
    FOLLOWING,
    /** Claims when its time has come. */
    WAITING,
    /** A marker is under way. */
    CLAIMING,
    /** Its own marker was read, and nothing has ended the lead since. */
    LEADING,
    /** An append failed, or the lead was lost to nobody: serves rows, and claims as WAITING. */
    CUT_OFF,
    /** Serves rows, and a marker is under way. */
    RECLAIMING,
    /** Is not to lead any more, and what became of its last group is not known. */
    RESIGNING;

    boolean isServing() {
      return this == LEADING || this == CUT_OFF || this == RECLAIMING;
    }

    boolean awaitsClaim() {
      return this == WAITING || this == CUT_OFF;
    }

    boolean hasClaimed() {
      return this == CLAIMING || this == RECLAIMING;
    }

    /** What it is when that has happened. */
    State after(Event event) {
      return switch (event) {
        case WANTED -> this == LEADING || this == CUT_OFF ? CUT_OFF : hasClaimed() ? this : WAITING;
        case UNWANTED -> hasClaimed() ? CLAIMING : this == FOLLOWING ? FOLLOWING : RESIGNING;
        case SETTLED -> FOLLOWING;
        case CLAIMED -> isServing() ? RECLAIMING : CLAIMING;
        case LED -> LEADING;
        case FAILED -> isServing() ? CUT_OFF : this == CLAIMING ? WAITING : this;
        case OTHER_LED -> hasClaimed() ? CLAIMING : isServing() ? WAITING : this;
      };
    }
  }

  /** The cause of a change of state. */
  private enum Event {
    /** Told to lead. */
    WANTED,
    /** Told to stop leading; a marker in flight may still arrive. */
    UNWANTED,
    /** Told to stop leading, and the last group is answered. */
    SETTLED,
    /** Its marker is appended; only when it awaited that. */
    CLAIMED,
    /** Its own newest marker was read. */
    LED,
    /** An append failed, or its records do not count any more. */
    FAILED,
    /** The marker of another leader was read. */
    OTHER_LED
  }

  /** A group whose fate is certain, and why what was not read back is refused. */
  private record Settled(AppendGroup group, RefusedException reason) {}

  /** Of a replica that {@code core} reads, with the rows that are folded. */
  public Leader(
      int partition,
      ReplicaCore core,
      Rows rows,
      NumberedBatches numbered,
      Port port,
      ReplicaConfig config) {
    this.partition = partition;
    this.core = core;
    this.maker = new GroupMaker(partition, rows, numbered, config.batches());
    this.port = port;
    this.times = config.times();
  }

  /** What a writer is told when the shared log leaves its leader without an answer. */
  public static RefusedException unavailable() {
    return new RefusedException(
        ErrorCode.LOG_UNAVAILABLE,
        "the log that the nodes share cannot be reached; nothing was written, try again later");
  }

  private void move(Event event) {
    state = state.after(event);
  }

  /** Whether it is to lead. */
  public void want(boolean isToLead) {
    if (isToLead && !isWanted) {
      failures = 0;
      claimNanos = Optional.empty();
      move(Event.WANTED);
    }
    isWanted = isToLead;
  }

  public boolean isWanted() {
    return isWanted;
  }

  /**
   * Whether rows may be read here: it leads, or it has led and only cannot reach the log, so that
   * it does not know of another leader.
   */
  public boolean isServing() {
    return isWanted && state.isServing();
  }

  /** Whether writes are taken. */
  public boolean isWritable() {
    return isWanted && state == State.LEADING;
  }

  /** Takes a write, or refuses it. */
  public void write(PendingWrite write, RefusedException notLeader) {
    if (isWritable()) {
      waiting.add(write);
    } else {
      write.refused(isServing() ? unavailable() : notLeader);
    }
  }

  /** Whether all appended groups are answered and no write waits. */
  public boolean isIdle() {
    return group.isEmpty() && settled.isEmpty() && waiting.isEmpty();
  }

  /**
   * The row of a record that is about to be read, as its writer sent it: there if this leader
   * appended the record and still holds the writer's batch.
   */
  public Optional<BatchRow> row(Stored record) {
    return group.flatMap(under -> under.row(record));
  }

  /** A record that counts was read. */
  public void counted(Stored record, long nowNanos) {
    group.ifPresent(
        under -> {
          under.read(record);
          if (under.isWhole()) {
            failures = 0;
            settle(unavailable());
          }
        });
    // The record may have a newer epoch whose marker was compacted away.
    lostLead(nowNanos);
  }

  /** A record that does not count was read. */
  public void fenced(Stored record, long nowNanos) {
    boolean isOwn = group.isPresent() && group.get().epoch() == record.entry().epoch();
    if (isOwn && record.entry().epoch() == core.epoch()) {
      settle(unavailable());
    }
    lostLead(nowNanos);
  }

  /** A marker was read. */
  public void marked(Stored record, RefusedException notLeader, long nowNanos) {
    boolean isOwn = record.entry().value().filter(claims::remove).isPresent();
    settle(isOwn ? unavailable() : notLeader);
    if (core.role() == Role.LEADING) {
      port.count(Incident.LED, 1);
      move(Event.LED);
      return;
    }
    lostLead(nowNanos);
    if (!isOwn) {
      move(Event.OTHER_LED);
    }
  }

  /** There is a hole before the next record, and what was in it is not known. */
  public void skipped(long nowNanos) {
    settle(PendingWrite.unknown("the log gave up records before this node read them"));
    if (state.hasClaimed()) {
      // Its marker may have been in the hole.
      fail(nowNanos);
    }
    lostLead(nowNanos);
  }

  private void lostLead(long nowNanos) {
    if (core.role() == Role.FOLLOWING && isWritable()) {
      fail(nowNanos);
    }
  }

  private void settle(RefusedException reason) {
    group.ifPresent(certain -> settled.add(new Settled(certain, reason)));
    group = Optional.empty();
  }

  /** What became of an append. Entries that were all read back are no longer of interest. */
  public void appended(long ofNumber, Optional<IOException> failure, long nowNanos) {
    boolean isUnderWay = group.isPresent() || state.hasClaimed();
    if (ofNumber == number && isUnderWay && failure.isPresent()) {
      port.count(Incident.APPEND_FAILED, 1);
      fail(nowNanos);
    }
  }

  /** Claims again, but not at once. */
  private void fail(long nowNanos) {
    move(Event.FAILED);
    long pauseMs = times.claimPauseMs() << Math.min(failures, 16);
    failures++;
    pauseMs = Math.min(pauseMs, times.claimPauseMsMax());
    claimNanos = Optional.of(nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMs));
  }

  /**
   * All that was read is folded: answers what is certain.
   *
   * @return rows that were rejected by their condition
   */
  public int answer(RefusedException notLeader) {
    int rejected = 0;
    for (Settled certain : settled) {
      rejected += certain.group().answer(certain.reason());
    }
    settled.clear();
    if (!isWritable()) {
      refuseWaiting(isServing() ? unavailable() : notLeader);
    }
    return rejected;
  }

  /** Refuses the writes that no group has yet: the log has lost what they would be judged by. */
  public void refuseWaiting(RefusedException reason) {
    maker.clear();
    for (PendingWrite write = waiting.poll(); write != null; write = waiting.poll()) {
      write.refused(reason);
    }
  }

  /**
   * Takes the next step. To be called when all records read are folded.
   *
   * @param isCaughtUp whether the replica has caught up with the log's end as of its start
   * @param mayGoOn asked after each row of a group that is made; false leaves the rest of the group
   *     to the next call, for which the time has come at once
   */
  public void advance(boolean isCaughtUp, long nowNanos, BooleanSupplier mayGoOn) {
    if (group.isPresent() && nowNanos - deadlineNanos >= 0 && !group.get().isAnswered()) {
      group.get().answer(PendingWrite.unknown("the log did not answer in time"));
      port.count(Incident.APPEND_FAILED, 1);
      fail(nowNanos);
      refuseWaiting(unavailable());
    }
    if (!isWanted) {
      resign();
    } else if (state.awaitsClaim()) {
      claim(isCaughtUp, nowNanos);
    } else if (state == State.LEADING && group.isEmpty() && !core.isAppending()) {
      append(nowNanos, mayGoOn);
    }
    if (!isWritable()) {
      refuseWaiting(isServing() ? unavailable() : leadsNoMore());
    }
  }

  private RefusedException leadsNoMore() {
    return RefusedException.notLeader(
        "this node no longer leads partition " + partition, Optional.empty());
  }

  /**
   * What was read cannot be folded, so nothing is appended, and nothing answered for which rows
   * would be missing. What waits for that too long has no certain outcome.
   */
  public void stall(RefusedException busy, long nowNanos) {
    refuseWaiting(busy);
    boolean isOpen = !settled.isEmpty() || (group.isPresent() && !group.get().isAnswered());
    if (isOpen && nowNanos - deadlineNanos >= 0) {
      RefusedException unknown = PendingWrite.unknown("the disk of the node is full");
      settled.forEach(certain -> certain.group().refuse(unknown));
      settled.clear();
      group.ifPresent(open -> open.refuse(unknown));
      fail(nowNanos);
    }
  }

  private void resign() {
    move(Event.UNWANTED);
    boolean isSettled = group.isEmpty() || group.get().isAnswered();
    if (isSettled && state != State.FOLLOWING) {
      group = Optional.empty();
      move(Event.SETTLED);
      core.resign();
    }
  }

  private void claim(boolean isCaughtUp, long nowNanos) {
    boolean isEarly = claimNanos.isPresent() && nowNanos - claimNanos.get() < 0;
    if (!isCaughtUp || isEarly) {
      return;
    }
    Bytes value = port.marker();
    if (claims.size() == CLAIMS_MAX) {
      claims.clear();
    }
    claims.add(value);
    core.claim(value);
    move(Event.CLAIMED);
    port.count(Incident.CLAIMED, 1);
    Entry marker = new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value));
    port.append(partition, ++number, List.of(marker));
  }

  private void append(long nowNanos, BooleanSupplier mayGoOn) {
    if (!core.unrepaired().isEmpty() && !maker.isMaking()) {
      group = Optional.of(maker.repairs(core.keysToRepair(), core.epoch(), core::take));
      port.count(Incident.REPAIRED, group.get().entries().size());
    } else if (!waiting.isEmpty()) {
      group = maker.writes(waiting, core.epoch(), core::take, mayGoOn);
      slicedNanos = nowNanos;
    }
    if (group.isPresent()) {
      deadlineNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(times.outcomeDeadlineMs());
      port.append(partition, ++number, group.get().entries());
    }
  }

  /** When {@link #advance} is to be called again even if nothing happens. */
  public Optional<Long> nextNanos(boolean isCaughtUp) {
    if (maker.isMaking()) {
      return Optional.of(slicedNanos);
    }
    Optional<Long> next = Optional.empty();
    if (group.isPresent() && !group.get().isAnswered()) {
      next = Optional.of(deadlineNanos);
    }
    Optional<Long> claims =
        isCaughtUp && isWanted && state.awaitsClaim() ? claimNanos : Optional.empty();
    boolean isFirst = next.isEmpty() || (claims.isPresent() && claims.get() - next.get() < 0);
    return isFirst ? claims : next;
  }

  /** Answers everything, because nothing more will be known. */
  public void stop(RefusedException waitingReason, String why) {
    isWanted = false;
    move(Event.UNWANTED);
    answer(waitingReason);
    refuseWaiting(waitingReason);
    group.ifPresent(lost -> lost.answer(PendingWrite.unknown(why)));
    group = Optional.empty();
  }
}
