package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import io.tunnel.server.replica.append.LeadCore.Settled;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica of one partition of a shared log: reads the records that count, and appends groups and
 * control records while its node leads. For the shard's thread, but for what is for any thread.
 *
 * <p>A leader rests: it knows what it appends, so the tail reads nothing for it. Each doubt wakes
 * the lane, which then reads from the place that is {@linkplain ReadBackCore proven}, so it reads
 * back what it has believed, and finds out when the log has lost its end.
 */
final class SharedLane {

  /** Bytes of values that were believed since the proven place; beyond, the lane looks itself. */
  static final long BELIEVED_BYTES_MAX = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(SharedLane.class);
  private static final String GIVEN_AGAIN =
      "the log gave an offset a second time that the node had read or believed";
  private static final long CLOCK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int partition;
  private final Wiring wiring;
  private final LeadCore<Own> lead;
  private final ReadBackCore readBack;
  private final LaneClaims claims;
  private final ClockGapCore clockGap = new ClockGapCore();

  private Standing standing = Standing.NEW;
  private String reason = "not begun";

  /** The events of this visit of the tail count; those before {@link #hasBegun} are older. */
  private long visit;

  private boolean hasBegun;

  /** The log has records up to here, some look said. */
  private long endSeen;

  /** The commit time of the last change that counts, or is under way. */
  private long lastMicros;

  /** Of values that were believed since the proven place was moved last. */
  private long believedBytes;

  private boolean isLooking;
  private boolean hasControl;

  private volatile OptionalLong ledEpoch = OptionalLong.empty();
  private volatile OptionalLong confirmedNanos = OptionalLong.empty();

  /** What a lane does. */
  enum Standing {
    /** Has not begun. */
    NEW,
    /** Reads the log. */
    READS,
    /** Leads, and knows what the log has. */
    RESTS,
    /** A record of a newer build comes next: neither leads nor reads, until the lane begins again. */
    HELD_BACK,
    /** The log lacks what the replica has, or needs: the replica has to begin anew. Final. */
    LOST,
    /** The log has a malformed record. Final. */
    FAILED,
    /** The node has no replica any more. Final. */
    ENDED;

    private boolean isFinal() {
      return this == LOST || this == FAILED || this == ENDED;
    }

    /** Whether the lane takes records, and may lead. */
    boolean isFollowing() {
      return this == READS || this == RESTS;
    }
  }

  /** An append under way, with the value of its record and the time when it was made. */
  private static final class Own {
    final Optional<OpenGroup> group;
    final Consumer<Outcome> done;
    final byte[] value;
    final long madeNanos;
    final long madeMs;

    Own(Optional<OpenGroup> group, Consumer<Outcome> done, byte[] value, Shard.Clock clock) {
      this.group = group;
      this.done = done;
      this.value = value;
      this.madeNanos = clock.nanos();
      this.madeMs = ms(clock);
    }
  }

  /** What counts, or never will, in the order of the log. */
  sealed interface Event {}

  /** A group of this node counts; the batches are those of its record and of the place. */
  record Counts(OpenGroup group, List<ChangeBatch> batches) implements Event {}

  /** No change of a group counts, or nobody knows. */
  record Refused(OpenGroup group, RefusedException reason) implements Event {}

  /** A record that is not a group of this node changes what is known of the partition. */
  record Follows(int partition, List<ChangeBatch> batches) implements Event {}

  /** A control record counts, whoever has appended the record. */
  record Said(int partition, long offset, AppendValue value) implements Event {}

  /** The log lacks what the replica has, or needs: the replica has to begin anew. */
  record Lost(int partition, String cause) implements Event {}

  /** Runs an action on the shard's thread; called by any thread. */
  @FunctionalInterface
  interface Posts {
    void post(Runnable action);
  }

  /**
   * What the lanes of a shard share.
   *
   * @param tail tells its events to the shard's thread
   * @param markers random numbers, no two alike
   * @param leader what the markers of this node say
   */
  record Wiring(
      AppendLog log,
      AppendTail tail,
      LongSupplier markers,
      AppendValue.Leader leader,
      Posts posts,
      Shard.Clock clock) {

    /** Refuses null. */
    Wiring {
      Objects.requireNonNull(log, "log");
      Objects.requireNonNull(tail, "tail");
      Objects.requireNonNull(markers, "markers");
      Objects.requireNonNull(leader, "leader");
      Objects.requireNonNull(posts, "posts");
      Objects.requireNonNull(clock, "clock");
    }
  }

  /** A replica that has read the log up to {@code state}, and does not read on yet. */
  SharedLane(int partition, LaneState state, Wiring wiring, LaneClaims claims) {
    this.partition = partition;
    this.wiring = wiring;
    this.claims = claims;
    this.lead = new LeadCore<>(state.follow(), SharedShardLog.APPENDS_MAX + 1);
    this.readBack = new ReadBackCore(state.proven());
    this.lastMicros = state.lastMicros();
  }

  private static long ms(Shard.Clock clock) {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  /** The offset of the next record to read. */
  long next() {
    return lead.follow().next();
  }

  /** The position of the next change. */
  long position() {
    return lead.follow().position();
  }

  /** What is known of the partition. */
  LaneState state() {
    return new LaneState(lead.follow().state(), lastMicros, readBack.proven());
  }

  Standing standing() {
    return standing;
  }

  /** Why the lane neither reads nor rests; empty while the lane does. */
  Optional<String> reason() {
    return standing.isFollowing() ? Optional.empty() : Optional.of(reason);
  }

  /** Whether groups are appended here now. */
  boolean isLeading() {
    return lead.role() == Role.LEADING;
  }

  /**
   * The offset of the node's own marker, while the node leads and all records before the marker
   * were taken. May be called by any thread. Empty before a change of another leader is given out.
   */
  OptionalLong ledEpoch() {
    return ledEpoch;
  }

  /**
   * The latest time, by the shard's clock in nanoseconds, at which the log had no record that the
   * lane has not taken meanwhile. Empty while the log may have lost its end. May be called by any
   * thread.
   */
  OptionalLong confirmedNanos() {
    return confirmedNanos;
  }

  /** Follows the log, from the place that is proven; also again, after the lane was held back. */
  void begin() {
    move(Standing.READS, "begun");
    visit();
  }

  private void visit() {
    ReadBackCore.Proven from = readBack.proven();
    hasBegun = false;
    visit = wiring.tail().follow(partition, from.offset(), from.leaderEpoch());
  }

  private void move(Standing to, String why) {
    if (standing.isFinal() && to != Standing.ENDED) {
      throw new IllegalStateException(
          "partition " + partition + " is " + standing + " and cannot be " + to + ": " + why);
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

  /**
   * Claims the lead where that is due; to be called again and again, since a claim may be lost.
   *
   * @param nowMs the wall clock, in milliseconds since 1970
   */
  void tick(long nowNanos, long nowMs) {
    if (!standing.isFollowing()) {
      return;
    }
    if (lead.role() == Role.LEADING) {
      claims.leads(nowNanos);
    }
    if (clockGap.isOff()) {
      askClock(nowNanos);
      return;
    }
    if (lead.role() != Role.FOLLOWING || !claims.take(nowNanos)) {
      return;
    }
    AppendHeader marker = lead.claim(wiring.markers().getAsLong(), nowMs);
    long sentMs = ms(wiring.clock());
    wiring
        .log()
        .append(
            partition,
            marker.encode(),
            wiring.leader().encode(),
            placed -> wiring.posts().post(() -> claimed(marker, sentMs, placed)));
  }

  private void claimed(AppendHeader marker, long sentMs, Optional<AppendLog.Placed> placed) {
    placed.ifPresent(at -> measure(sentMs, at));
    if (placed.isEmpty() && lead.isClaiming(marker)) {
      lead.resign();
    }
    settleStanding();
  }

  private void measure(long sentMs, AppendLog.Placed placed) {
    boolean wasOff = clockGap.isOff();
    clockGap.measured(sentMs, ms(wiring.clock()), placed.timeMs());
    if (clockGap.isOff() && !wasOff) {
      clockGap.began(wiring.clock().nanos());
      LOG.error(
          "the clock of this node is {} ms ahead of the clock of the shared log; the node gives up"
              + " the lead of partition {} and asks again in {} s. Set the clock",
          clockGap.aheadMs(),
          partition,
          TimeUnit.NANOSECONDS.toSeconds(CLOCK_PAUSE_NANOS));
    }
    if (clockGap.isOff()) {
      lead.resign();
    }
  }

  /** Appends a record that counts for no reader, since no marker has its random bytes. */
  private void askClock(long nowNanos) {
    if (!claims.isWanted() || !clockGap.take(nowNanos, CLOCK_PAUSE_NANOS)) {
      return;
    }
    long sentMs = ms(wiring.clock());
    AppendHeader nothing =
        new AppendHeader(
            Kind.BATCHES,
            0,
            wiring.markers().getAsLong(),
            1,
            1,
            0,
            lead.follow().snapshot(),
            Bytes.EMPTY);
    wiring
        .log()
        .append(
            partition,
            nothing.encode(),
            new byte[0],
            placed ->
                wiring.posts().post(() -> placed.ifPresent(at -> measure(sentMs, at))));
  }

  /** Appends a group; its node leads. */
  void append(OpenGroup group, long nowMicros, List<Event> events) {
    lastMicros = Math.max(lastMicros, nowMicros);
    int changes = group.batches().changes();
    long[] positions = new long[group.batches().batchCount()];
    Own[] own = new Own[1];
    AppendHeader header =
        lead.append(
            Kind.BATCHES,
            changes,
            made -> {
              byte[] value =
                  group.batches().encodeAppend(partition, lastMicros, made.first(), positions);
              own[0] = new Own(Optional.of(group), unused -> {}, value, wiring.clock());
              return own[0];
            });
    group.place(positions);
    send(header, own[0], events);
  }

  /**
   * Appends a snapshot's record or a trim; one at a time, besides the groups.
   *
   * @param done is told once by the shard's thread; {@link Outcome#NEVER} at once when the lane
   *     does not lead, or a control record is under way
   */
  void append(AppendValue value, Consumer<Outcome> done, List<Event> events) {
    control(value, position(), done, events);
  }

  /**
   * Appends the record of a restored partition that says where its positions begin. Told {@link
   * Outcome#NEVER} also when a group is under way.
   *
   * @param first the first position
   */
  void append(AppendValue.Begin value, long first, Consumer<Outcome> done, List<Event> events) {
    control(value, first, done, events);
  }

  private void control(AppendValue value, long first, Consumer<Outcome> done, List<Event> events) {
    boolean isBegin = value.kind() == Kind.BEGIN;
    if (!isLeading() || hasControl || (isBegin && !lead.underWay().isEmpty())) {
      done.accept(Outcome.NEVER);
      return;
    }
    hasControl = true;
    Own own = new Own(Optional.empty(), done, value.encode(), wiring.clock());
    AppendHeader header =
        isBegin ? lead.begin(first, made -> own) : lead.append(value.kind(), 0, made -> own);
    send(header, own, events);
  }

  private void send(AppendHeader header, Own own, List<Event> events) {
    wiring
        .log()
        .append(
            partition,
            header.encode(),
            own.value,
            placed -> wiring.posts().post(() -> acknowledged(header, own, placed, events)));
  }

  private void acknowledged(
      AppendHeader header, Own own, Optional<AppendLog.Placed> placed, List<Event> events) {
    if (placed.isPresent()) {
      settle(lead.acknowledged(header, placed.get().offset()), events);
      measure(own.madeMs, placed.get());
    } else if (lead.isUnderWay(header)) {
      // Reading settles what is under way, behind the marker of the next claim.
      lead.resign();
    }
    settleStanding();
    lookAfterMuch(events);
  }

  private void settle(List<Settled<Own>> settled, List<Event> events) {
    boolean hasLost =
        standing.isFollowing()
            && settled.stream().anyMatch(one -> one.outcome() == Outcome.UNKNOWN);
    if (hasLost) {
      stop(Standing.LOST, GIVEN_AGAIN, events);
    }
    for (Settled<Own> one : settled) {
      Own own = one.what();
      boolean counts = one.outcome() == Outcome.COUNTS;
      if (counts) {
        confirmAt(isLeading(), own.madeNanos);
        believedBytes += own.value.length;
      }
      List<ChangeBatch> batches =
          counts ? batches(one.offset(), one.header(), own.value) : List.of();
      if (own.group.isPresent()) {
        events.add(
            counts
                ? new Counts(own.group.get(), batches)
                : new Refused(own.group.get(), reason(one.outcome())));
      } else {
        if (counts) {
          says(one.offset(), one.header(), own.value, batches, events);
        }
        hasControl = false;
        own.done.accept(one.outcome());
      }
    }
    if (hasLost) {
      events.add(new Lost(partition, GIVEN_AGAIN));
    }
  }

  private RefusedException reason(Outcome outcome) {
    return outcome == Outcome.NEVER
        ? RefusedException.notLeader(
            "another node leads partition " + partition + " since", Optional.empty())
        : unknown();
  }

  private RefusedException unknown() {
    return PendingWrite.unknown(
        "the node does not read partition "
            + partition
            + " of the shared log any more ("
            + reason
            + ")");
  }

  private void confirmAt(boolean isConfirmed, long nanos) {
    if (isConfirmed
        && (confirmedNanos.isEmpty() || confirmedNanos.getAsLong() - nanos < 0)) {
      confirmedNanos = OptionalLong.of(nanos);
    }
  }

  private ChangeBatch place(long offset, AppendHeader header, long position, long micros) {
    return new RecordPlace(partition, offset, readBack.proven(), header).batch(position, micros);
  }

  /** What the local log gets of a record that counts: the batches of the record, and its place. */
  private List<ChangeBatch> batches(long offset, AppendHeader header, byte[] value) {
    if (header.kind() != Kind.BATCHES) {
      if (header.kind() == Kind.BEGIN
          && AppendValue.decode(header.kind(), value) instanceof AppendValue.Begin begin) {
        lastMicros = Math.max(lastMicros, begin.lastMicros());
      }
      return List.of(place(offset, header, position(), lastMicros));
    }
    List<ChangeBatch> batches =
        AppendBatches.parse(value, partition, header.first(), header.changes());
    // The batches of a record have one time. A leader is further than the record.
    long micros = batches.isEmpty() ? lastMicros : batches.get(0).commitMicros();
    lastMicros = Math.max(lastMicros, micros);
    batches.add(place(offset, header, header.first() + header.changes(), micros));
    return batches;
  }

  private void says(
      long offset,
      AppendHeader header,
      byte[] value,
      List<ChangeBatch> batches,
      List<Event> events) {
    events.add(new Follows(partition, batches));
    events.add(new Said(partition, offset, AppendValue.decode(header.kind(), value)));
  }

  /** Takes what the tail tells of the partition. */
  void take(AppendTail.Event event, List<Event> events) {
    if (!standing.isFollowing()) {
      return;
    }
    if (event instanceof AppendTail.LeaderChanged changed) {
      if (readBack.isNewer(changed.leaderEpoch())) {
        doubt();
      }
    } else if (event instanceof AppendTail.Begun begun) {
      hasBegun |= begun.visit() == visit;
    } else if (hasBegun) {
      takeOfVisit(event, events);
    }
    settleStanding();
  }

  private void takeOfVisit(AppendTail.Event event, List<Event> events) {
    if (event instanceof AppendTail.Read read) {
      read(read, events);
    } else if (event instanceof AppendTail.Trimmed trimmed) {
      lose(
          "the log begins at offset "
              + trimmed.first()
              + ", and the node needs offset "
              + trimmed.offset(),
          events);
    } else if (event instanceof AppendTail.Cut cut) {
      lose("the log has lost its end before offset " + cut.offset(), events);
    } else if (event instanceof AppendTail.HeldBack held) {
      stop(Standing.HELD_BACK, "offset " + held.offset() + " has " + held.reason(), events);
    }
  }

  private void read(AppendTail.Read read, List<Event> events) {
    for (AppendTail.Stored record : read.records()) {
      if (!readBack.read(
          lead.follow(), record.offset(), record.leaderEpoch(), record.header())) {
        lose("the log has another record at offset " + record.offset(), events);
        return;
      }
      try {
        read(record, events);
      } catch (MalformedException e) {
        fail(record.offset(), e, events);
      }
      if (!standing.isFollowing()) {
        return;
      }
    }
    believedBytes = 0;
    if (!readBack.skipped(lead.follow(), read.next())) {
      lose("the log has no record before offset " + read.next(), events);
      return;
    }
    settle(lead.skipped(read.next()), events);
  }

  private void read(AppendTail.Stored record, List<Event> events) {
    AppendHeader header = record.header();
    long offset = record.offset();
    boolean isOwn = lead.isUnderWay(header);
    LeadCore.Read<Own> read = lead.read(offset, header);
    Verdict verdict = read.verdict();
    if (verdict == Verdict.COUNTS && !isOwn) {
      List<ChangeBatch> batches = batches(offset, header, record.value());
      if (header.kind() == Kind.BATCHES) {
        events.add(new Follows(partition, batches));
      } else {
        says(offset, header, record.value(), batches, events);
      }
    } else if (verdict == Verdict.MARKER || verdict == Verdict.ENDS_EPOCH) {
      events.add(new Follows(partition, List.of(place(offset, header, position(), lastMicros))));
    }
    settle(read.settled(), events);
  }

  /**
   * The answer to a look at the end of the log. An end that the lane has reached, under the leader
   * of the log that has the lane's last record, confirms the lane at {@code askedNanos}.
   *
   * @param askedNanos when the question was asked, by the shard's clock
   */
  void sawEnd(AppendTail.End end, long askedNanos, List<Event> events) {
    if (!standing.isFollowing()) {
      return;
    }
    if (readBack.isNewer(end.leaderEpoch())) {
      doubt();
    } else if (!readBack.isOlder(end.leaderEpoch())) {
      endSeen = Math.max(endSeen, end.offset());
      if (readBack.looked(next(), end)) {
        believedBytes = 0;
        confirmAt(end.offset() <= next(), askedNanos);
      }
    }
    settleStanding();
  }

  /** When so much was believed that to read it back would take long, a look proves it. */
  private void lookAfterMuch(List<Event> events) {
    if (believedBytes < BELIEVED_BYTES_MAX || isLooking) {
      return;
    }
    isLooking = true;
    believedBytes = 0;
    long askedNanos = wiring.clock().nanos();
    var unused =
        wiring
            .tail()
            .ends(List.of(partition))
            .get(partition)
            .handle(
                (end, failure) -> {
                  wiring
                      .posts()
                      .post(
                          () -> {
                            isLooking = false;
                            if (failure == null) {
                              sawEnd(end, askedNanos, events);
                            }
                          });
                  return end;
                });
  }

  /** The log may have lost its end: nothing is answered before all was read back. */
  private void doubt() {
    confirmedNanos = OptionalLong.empty();
    endSeen = 0;
    lead.resign();
    move(Standing.READS, "the leader of the log changed");
    // Also of a lane that reads: a look may have proven more than the tail has read.
    visit();
  }

  /** Rests, or wakes, and says whether the node leads. */
  private void settleStanding() {
    boolean mayRest =
        isLeading()
            && !lead.isInDoubt()
            && (endSeen <= next() || !lead.underWay().isEmpty());
    if (standing == Standing.READS && mayRest) {
      wiring.tail().pause(partition);
      move(Standing.RESTS, "leads and knows the log");
    } else if (standing == Standing.RESTS && !mayRest) {
      move(Standing.READS, "something is in doubt");
      visit();
    }
    ledEpoch =
        isLeading() ? OptionalLong.of(lead.follow().newest().epoch()) : OptionalLong.empty();
  }

  private void lose(String cause, List<Event> events) {
    stop(Standing.LOST, cause, events);
    events.add(new Lost(partition, cause));
  }

  private void fail(long offset, MalformedException e, List<Event> events) {
    String why =
        "partition %d of the shared log has a malformed record at offset %d: %s"
            .formatted(partition, offset, e.getMessage());
    LOG.error("{}; this node does not serve the partition any more", why);
    stop(Standing.FAILED, why, events);
  }

  private void stop(Standing to, String why, List<Event> events) {
    move(to, why);
    wiring.tail().unfollow(partition);
    confirmedNanos = OptionalLong.empty();
    ledEpoch = OptionalLong.empty();
    settle(lead.abandon(), events);
  }

  /** The node has no replica any more: what became of the appends under way is not known. */
  void end(List<Event> events) {
    claims.stop();
    stop(Standing.ENDED, "the node gave its replica away", events);
  }
}
