package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.LaneEvent.Counts;
import io.tunnel.server.replica.append.LaneEvent.Follows;
import io.tunnel.server.replica.append.LaneEvent.Lost;
import io.tunnel.server.replica.append.LaneEvent.Refused;
import io.tunnel.server.replica.append.LaneEvent.Said;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import io.tunnel.server.replica.append.LeadCore.Settled;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A replica of one partition of a shared log: reads the records that count, and appends groups and
 * control records while its node leads. For the shard's thread, unless a method says otherwise.
 *
 * <p>The lane of a leader rests: the leader knows its appends, so the tail reads nothing. Each
 * doubt wakes the lane, which then reads from the place that is {@linkplain ReadBackCore proven},
 * so it reads back what it has believed, and finds out when the log has lost its end.
 */
final class SharedLane {

  private static final String GIVEN_AGAIN =
      "the log gave an offset a second time that the node had read or believed";

  private final int partition;
  private final LaneWiring wiring;
  private final LeadCore<OwnAppend> lead;
  private final LaneTail tail;
  private final LaneRecords records;
  private final LaneClock clock;
  private final LaneClaims claims;
  private final LaneAnswers answers;
  private final LaneIncidents incidents;

  private Standing standing = Standing.NEW;
  private String reason = "not begun";
  private boolean hasControl;
  private volatile OptionalLong ledEpoch = OptionalLong.empty();
  private volatile OptionalLong confirmedNanos = OptionalLong.empty();

  /** A replica that has read the log up to {@code state}, and does not read on yet. */
  SharedLane(
      int partition,
      LaneState state,
      LaneWiring wiring,
      LaneClaims claims,
      LaneAnswers answers,
      LaneIncidents incidents) {
    this.partition = partition;
    this.wiring = wiring;
    this.answers = answers;
    this.incidents = incidents;
    this.claims = claims;
    this.lead = new LeadCore<>(state.follow(), SharedShardLog.APPENDS_MAX + 1);
    this.tail = new LaneTail(partition, wiring, state.proven());
    this.records = new LaneRecords(partition, state);
    this.clock = new LaneClock(partition, wiring);
  }

  /** The offset of the next record to read. */
  long next() {
    return lead.follow().next();
  }

  /** Bytes of all records that count since the lane began. */
  long countedBytes() {
    return records.countedBytes();
  }

  /** What is known of the partition. */
  LaneState state() {
    return new LaneState(
        lead.follow().state(), records.lastMicros(), tail.proven(), records.trimmed());
  }

  Standing standing() {
    return standing;
  }

  Role role() {
    return lead.role();
  }

  /** Why the lane neither reads nor rests; empty while the lane does. */
  Optional<String> reason() {
    return standing.isFollowing() ? Optional.empty() : Optional.of(reason);
  }

  /** Whether groups are appended here now. */
  boolean isLeading() {
    return lead.role() == Role.LEADING;
  }

  /** Whether a group may be dated and appended now. A wall clock that was set ends the lead. */
  boolean mayAppend() {
    heed(clock.look());
    settleStanding();
    return isLeading();
  }

  private void heed(LaneClock looked) {
    if (looked.isOff()) {
      lead.resign();
    }
  }

  /**
   * The offset of the node's own marker, while the node leads and has taken all records before. For
   * any thread. Empty before a change of another leader is given out.
   */
  OptionalLong ledEpoch() {
    return ledEpoch;
  }

  /**
   * The latest time, by the shard's clock in nanoseconds, at which the log had no record that the
   * lane has not taken meanwhile. Empty while the log may have lost its end. For any thread.
   */
  OptionalLong confirmedNanos() {
    return confirmedNanos;
  }

  /** Follows the log, from the place that is proven; also again, after the lane was held back. */
  void begin() {
    move(Standing.READS, "begun");
    tail.visit();
  }

  private void move(Standing to, String why) {
    if (standing.isFinal() && to != Standing.ENDED) {
      throw new IllegalStateException(partition + ": " + standing + " to " + to + ": " + why);
    }
    standing = to;
    reason = why;
  }

  /** Wants to lead from now on; the next {@link #tick} claims. */
  void lead(long nowNanos) {
    claims.want(nowNanos);
  }

  /** Follows from now on. What is under way is settled by reading. */
  void follow() {
    claims.stop();
    lead.resign();
    settleStanding();
  }

  /** Claims the lead where that is due, by both clocks; to be called again and again. */
  void tick(long nowNanos, long nowMs) {
    if (!standing.isFollowing()) {
      return;
    }
    if (lead.role() == Role.LEADING) {
      claims.leads(nowNanos);
    }
    tail.mark(nowNanos, next());
    if (!mayAppend() && clock.isOff()) {
      if (claims.isWanted()) {
        clock.ask(nowNanos);
      }
      return;
    }
    if (lead.role() != Role.FOLLOWING || !claims.take(nowNanos)) {
      return;
    }
    AppendHeader marker = lead.claim(wiring.markers().getAsLong(), nowMs);
    long sentMs = clock.nowMs();
    incidents.claimed();
    send(marker, wiring.leader().encode(), placed -> claimed(marker, sentMs, placed));
  }

  private void send(
      AppendHeader header, byte[] value, Consumer<Optional<AppendLog.Placed>> answered) {
    Consumer<Optional<AppendLog.Placed>> posted =
        placed -> wiring.posts().accept(() -> answered.accept(placed));
    wiring.log().append(partition, header.encode(), value, posted::accept);
  }

  /**
   * Answers appends whose fate has been open for too long, after which the lane must claim again. A
   * record that counts after all is adopted like the record of another node.
   */
  void expire(long nowNanos, List<LaneEvent> events) {
    Predicate<OwnAppend> isLate = own -> answers.isLate(own.madeNanos, nowNanos);
    if (lead.underWay().stream().limit(1).anyMatch(isLate)) {
      lead.resign();
      RefusedException late = answers.late(partition);
      lead.giveUp(isLate).forEach(one -> tell(one.what(), Outcome.UNKNOWN, late, events));
      settleStanding();
    }
  }

  private void tell(
      OwnAppend own, Outcome outcome, RefusedException reason, List<LaneEvent> events) {
    if (outcome == Outcome.UNKNOWN) {
      incidents.failed(own);
    }
    if (own.group.isPresent()) {
      events.add(new Refused(own.group.get(), reason));
    } else {
      hasControl = false;
      own.done.accept(outcome);
    }
  }

  private void claimed(AppendHeader marker, long sentMs, Optional<AppendLog.Placed> placed) {
    placed.ifPresent(at -> heed(clock.measure(sentMs, at)));
    if (placed.isEmpty()) {
      incidents.failed();
      if (lead.isClaiming(marker)) {
        lead.resign();
      }
    }
    settleStanding();
  }

  /** Stamps no later group before a time that the clock has shown. */
  void passed(long micros) {
    records.passed(micros);
  }

  List<OwnAppend> underWay() {
    return lead.underWay();
  }

  /** Appends a group; its node leads. */
  void append(OpenGroup group, long nowMicros, List<LaneEvent> events) {
    long[] positions = new long[group.batches().batchCount()];
    OwnAppend[] own = new OwnAppend[1];
    AppendHeader header =
        lead.append(
            Kind.BATCHES,
            group.batches().changes(),
            made -> {
              byte[] value = records.value(group, nowMicros, made.first(), positions);
              own[0] = new OwnAppend(Optional.of(group), unused -> {}, value, wiring.clock());
              return own[0];
            });
    group.place(positions);
    send(header, own[0], events);
  }

  /**
   * Appends a snapshot's record or a trim; one at a time, besides the groups.
   *
   * @param done is called once by the shard's thread; {@link Outcome#NEVER} at once when the lane
   *     does not lead, or a control record is under way
   */
  void append(AppendValue value, Consumer<Outcome> done, List<LaneEvent> events) {
    if (!isLeading() || hasControl) {
      done.accept(Outcome.NEVER);
      return;
    }
    hasControl = true;
    OwnAppend own = new OwnAppend(Optional.empty(), done, value.encode(), wiring.clock());
    send(lead.append(value.kind(), 0, made -> own), own, events);
  }

  private void send(AppendHeader header, OwnAppend own, List<LaneEvent> events) {
    send(header, own.value, placed -> acknowledged(header, own, placed, events));
  }

  private void acknowledged(
      AppendHeader header, OwnAppend own, Optional<AppendLog.Placed> at, List<LaneEvent> events) {
    if (at.isPresent()) {
      settle(lead.acknowledged(header, at.get().offset()), events);
      heed(clock.measure(own.madeMs, at.get()));
    } else {
      incidents.failed(own);
      if (lead.isUnderWay(header)) {
        // Reading settles what is under way, after the marker of the next claim.
        lead.resign();
      }
    }
    settleStanding();
  }

  private void settle(List<Settled<OwnAppend>> settled, List<LaneEvent> events) {
    boolean hasLost =
        standing.isFollowing()
            && settled.stream().anyMatch(one -> one.outcome() == Outcome.UNKNOWN);
    if (hasLost) {
      stop(Standing.LOST, GIVEN_AGAIN, events);
    }
    for (Settled<OwnAppend> one : settled) {
      OwnAppend own = one.what();
      // After a malformed record nothing counts here.
      Outcome outcome = standing.isFollowing() ? one.outcome() : Outcome.UNKNOWN;
      boolean counts = outcome == Outcome.COUNTS;
      if (counts) {
        confirmAt(isLeading(), own.madeNanos);
        tail.believed(
            own.value.length, next(), (end, askedNanos) -> sawEnd(end, askedNanos, events));
      }
      if (!counts) {
        tell(own, outcome, answers.of(outcome, partition, reason), events);
      } else if (own.group.isPresent()) {
        events.add(
            new Counts(
                own.group.get(),
                records.counted(one.offset(), one.header(), own.value, tail.proven())));
      } else {
        follows(one.offset(), one.header(), own.value, events);
        hasControl = false;
        own.done.accept(outcome);
      }
    }
    if (hasLost) {
      events.add(new Lost(partition, GIVEN_AGAIN));
    }
  }

  private void confirmAt(boolean isConfirmed, long nanos) {
    if (isConfirmed && (confirmedNanos.isEmpty() || confirmedNanos.getAsLong() - nanos < 0)) {
      confirmedNanos = OptionalLong.of(nanos);
    }
  }

  /** A record counts that is not a group of this node. */
  private void follows(long offset, AppendHeader header, byte[] value, List<LaneEvent> events) {
    List<LaneEvent> said =
        header.kind() == Kind.BATCHES
            ? List.of()
            : List.of(new Said(partition, offset, AppendValue.decode(header.kind(), value)));
    events.add(new Follows(partition, records.counted(offset, header, value, tail.proven())));
    events.addAll(said);
  }

  /** Takes what the tail tells of the partition. */
  void take(AppendTail.Event event, List<LaneEvent> events) {
    if (!standing.isFollowing()) {
      return;
    }
    if (event instanceof AppendTail.LeaderChanged changed && tail.isNewer(changed.leaderEpoch())) {
      doubt();
    } else if (event instanceof AppendTail.Begun begun) {
      tail.began(begun);
    } else if (tail.hasBegun()) {
      takeOfVisit(event, events);
    }
    settleStanding();
  }

  private void takeOfVisit(AppendTail.Event event, List<LaneEvent> events) {
    if (event instanceof AppendTail.Read read) {
      read(read, events);
    } else if (event instanceof AppendTail.Trimmed trimmed) {
      lose("the log begins at %d, after %d".formatted(trimmed.first(), trimmed.offset()), events);
    } else if (event instanceof AppendTail.Cut cut) {
      lose("the log has lost its end before offset " + cut.offset(), events);
    } else if (event instanceof AppendTail.HeldBack held) {
      hold(Standing.HELD_BACK, held.offset(), held.reason(), events);
    }
  }

  private void hold(Standing to, long offset, String reason, List<LaneEvent> events) {
    String why = "offset " + offset + " has " + reason;
    incidents.heldBack(why);
    stop(to, why, events);
  }

  private void read(AppendTail.Read read, List<LaneEvent> events) {
    for (AppendTail.Stored record : read.records()) {
      if (!tail.read(lead.follow(), record)) {
        lose("the log has another record at offset " + record.offset(), events);
        return;
      }
      read(record, events);
      if (!standing.isFollowing()) {
        return;
      }
    }
    if (!tail.skipped(lead.follow(), read.next())) {
      lose("the log has no record before offset " + read.next(), events);
      return;
    }
    settle(lead.skipped(read.next()), events);
  }

  private void read(AppendTail.Stored record, List<LaneEvent> events) {
    boolean isOwn = lead.isUnderWay(record.header());
    LeadCore.Read<OwnAppend> read = lead.read(record.offset(), record.header());
    try {
      follow(record, read.verdict(), isOwn, events);
    } catch (NewerFormatException e) {
      hold(Standing.OUTDATED, record.offset(), e.getMessage(), events);
    } catch (MalformedException e) {
      fail(record.offset(), e, events);
    }
    settle(read.settled(), events);
  }

  private void follow(
      AppendTail.Stored record, Verdict verdict, boolean isOwn, List<LaneEvent> events) {
    AppendHeader header = record.header();
    incidents.read(verdict);
    if (verdict == Verdict.COUNTS && !isOwn) {
      follows(record.offset(), header, record.value(), events);
    } else if (verdict == Verdict.MARKER || verdict == Verdict.ENDS_EPOCH) {
      ChangeBatch place = records.place(record.offset(), header, tail.proven(), lead.follow());
      events.add(new Follows(partition, List.of(place)));
    }
  }

  /**
   * The answer to a look at the end of the log. An end that the lane has reached, under the leader
   * of the log that has the lane's last record, confirms the lane at {@code askedNanos}, the
   * shard's clock when the question was asked.
   */
  void sawEnd(AppendTail.End end, long askedNanos, List<LaneEvent> events) {
    if (!standing.isFollowing()) {
      return;
    }
    if (tail.isNewer(end.leaderEpoch())) {
      doubt();
    } else {
      confirmAt(tail.hasAll(end, askedNanos, next()), askedNanos);
    }
    settleStanding();
  }

  /** The log may have lost its end: the lane reads back before the next answer. */
  private void doubt() {
    confirmedNanos = OptionalLong.empty();
    lead.resign();
    move(Standing.READS, "the leader of the log changed");
    // Also of a lane that reads: a look may have proven more than the tail has read.
    tail.visit();
  }

  /** Rests, or wakes, and says whether the node leads. */
  private void settleStanding() {
    boolean mayRest =
        isLeading() && !lead.isInDoubt() && (tail.isEnd(next()) || !lead.underWay().isEmpty());
    if (standing == Standing.READS && mayRest) {
      tail.pause();
      move(Standing.RESTS, "leads and knows the log");
    } else if (standing == Standing.RESTS && !mayRest) {
      move(Standing.READS, "something is in doubt");
      tail.visit();
    }
    ledEpoch = isLeading() ? OptionalLong.of(lead.follow().newest().epoch()) : OptionalLong.empty();
  }

  private void lose(String cause, List<LaneEvent> events) {
    stop(Standing.LOST, cause, events);
    events.add(new Lost(partition, cause));
  }

  private void fail(long offset, MalformedException e, List<LaneEvent> events) {
    String why =
        "partition %d of the shared log has a malformed record at offset %d: %s"
            .formatted(partition, offset, e.getMessage());
    incidents.malformed(why);
    stop(Standing.FAILED, why, events);
  }

  private void stop(Standing to, String why, List<LaneEvent> events) {
    move(to, why);
    tail.end();
    confirmedNanos = OptionalLong.empty();
    ledEpoch = OptionalLong.empty();
    settle(lead.abandon(), events);
  }

  /** The node has no replica any more; the fate of the appends under way is not known. */
  void end(List<LaneEvent> events) {
    claims.stop();
    stop(Standing.ENDED, "the node gave its replica away", events);
  }
}
