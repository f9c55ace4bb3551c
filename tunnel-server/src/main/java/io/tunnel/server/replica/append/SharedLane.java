package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import io.tunnel.server.replica.append.LeadCore.Settled;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * A replica of one partition of a shared log: reads the records that count, and appends groups
 * while its node leads. For the shard's thread.
 */
final class SharedLane {

  private final int partition;
  private final AppendLog log;
  private final LongSupplier markers;
  private final Posts posts;
  private final LeadCore<Own> lead;
  private final LaneClaims claims;

  /** The commit time of the last change that counts, or is under way. */
  private long lastMicros;

  /** A group under way, with the value of its record. */
  private static final class Own {
    final OpenGroup group;
    final byte[] value;

    Own(OpenGroup group, byte[] value) {
      this.group = group;
      this.value = value;
    }
  }

  /** What counts, or never will, in the order of the log. */
  sealed interface Event {}

  /** A group of this node counts; the batches are those of its record and of the place. */
  record Counts(OpenGroup group, List<ChangeBatch> batches) implements Event {}

  /** No change of a group counts, or nobody knows. */
  record Refused(OpenGroup group, RefusedException reason) implements Event {}

  /** A record that this node does not wait for changes what is known of the partition. */
  record Follows(int partition, List<ChangeBatch> batches) implements Event {}

  /** Runs an action on the shard's thread; called by any thread. */
  @FunctionalInterface
  interface Posts {
    void post(Runnable action);
  }

  /**
   * A replica that has read the log up to {@code state}.
   *
   * @param markers random numbers, no two alike
   */
  SharedLane(
      int partition,
      LaneState state,
      AppendLog log,
      LongSupplier markers,
      LaneClaims claims,
      Posts posts) {
    this.partition = partition;
    this.claims = claims;
    this.log = log;
    this.markers = markers;
    this.posts = posts;
    this.lead = new LeadCore<>(state.follow(), SharedShardLog.APPENDS_MAX);
    this.lastMicros = state.lastMicros();
  }

  /** The offset of the next record to read. */
  long next() {
    return lead.follow().next();
  }

  /** Whether groups are appended here now. */
  boolean isLeading() {
    return lead.role() == Role.LEADING;
  }

  /** Wants to lead from now on; the next {@link #tick} claims. */
  void lead(long nowNanos) {
    claims.want(nowNanos);
  }

  /** Follows from now on. What is under way is settled by reading. */
  void follow() {
    claims.stop();
    lead.resign();
  }

  /**
   * Claims the lead where that is due; to be called again and again, since a claim may be lost.
   *
   * @param nowMs the wall clock, in milliseconds since 1970
   */
  void tick(long nowNanos, long nowMs) {
    if (lead.role() == Role.LEADING) {
      claims.leads(nowNanos);
    }
    if (lead.role() != Role.FOLLOWING || !claims.take(nowNanos)) {
      return;
    }
    AppendHeader marker = lead.claim(markers.getAsLong(), nowMs);
    log.append(
        partition,
        marker.encode(),
        new AppendValue.Leader("", "").encode(),
        offset -> posts.post(() -> claimed(marker, offset)));
  }

  private void claimed(AppendHeader marker, OptionalLong offset) {
    if (offset.isEmpty() && lead.isClaiming(marker)) {
      lead.resign();
    }
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
              own[0] = new Own(group, value);
              return own[0];
            });
    group.place(positions);
    log.append(
        partition,
        header.encode(),
        own[0].value,
        offset -> posts.post(() -> acknowledged(header, offset, events)));
  }

  private void acknowledged(AppendHeader header, OptionalLong offset, List<Event> events) {
    if (offset.isEmpty()) {
      // Reading settles what is under way, behind the marker of the next claim.
      if (lead.isUnderWay(header)) {
        lead.resign();
      }
      return;
    }
    settle(lead.acknowledged(header, offset.getAsLong()), events);
  }

  private void settle(List<Settled<Own>> settled, List<Event> events) {
    for (Settled<Own> one : settled) {
      Own own = one.what();
      events.add(
          one.outcome() == Outcome.COUNTS
              ? new Counts(own.group, batches(one.offset(), one.header(), own.value))
              : new Refused(own.group, reason(one.outcome())));
    }
  }

  private RefusedException reason(Outcome outcome) {
    return outcome == Outcome.NEVER
        ? RefusedException.notLeader(
            "another node leads partition " + partition + " since", Optional.empty())
        : new RefusedException(
            ErrorCode.STORAGE_FAILED,
            "the shared log lost the end of partition "
                + partition
                + "; whether this was written is not known");
  }

  private ChangeBatch place(long offset, AppendHeader header) {
    return new RecordPlace(partition, offset, header).batch(lead.follow().position(), lastMicros);
  }

  /** What the local log gets of a record that counts: the batches of the record, and its place. */
  private List<ChangeBatch> batches(long offset, AppendHeader header, byte[] value) {
    if (header.kind() != Kind.BATCHES) {
      return List.of(place(offset, header));
    }
    List<ChangeBatch> batches =
        AppendBatches.parse(value, partition, header.first(), header.changes());
    // The batches of a record have one time. A leader is further than the record.
    long micros = batches.isEmpty() ? lastMicros : batches.get(0).commitMicros();
    lastMicros = Math.max(lastMicros, micros);
    batches.add(
        new RecordPlace(partition, offset, header)
            .batch(header.first() + header.changes(), micros));
    return batches;
  }

  /** Takes the record at {@code offset}. */
  void read(long offset, AppendHeader header, byte[] value, List<Event> events) {
    boolean isOwn = lead.isUnderWay(header);
    LeadCore.Read<Own> read = lead.read(offset, header);
    boolean isChange = read.verdict() != Verdict.FENCED && read.verdict() != Verdict.SEEN;
    if (isChange && !(isOwn && read.verdict() == Verdict.COUNTS)) {
      boolean counts = read.verdict() == Verdict.COUNTS;
      events.add(
          new Follows(
              partition, counts ? batches(offset, header, value) : List.of(place(offset, header))));
    }
    settle(read.settled(), events);
  }
}
