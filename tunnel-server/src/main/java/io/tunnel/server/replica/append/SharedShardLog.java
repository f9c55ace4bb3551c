package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.ShardLog;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.LaneEvent.Counts;
import io.tunnel.server.replica.append.LaneEvent.Follows;
import io.tunnel.server.replica.append.LaneEvent.Lost;
import io.tunnel.server.replica.append.LaneEvent.Refused;
import io.tunnel.server.replica.append.LaneEvent.Said;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The log of a shard whose partitions are in a log that many nodes share. Each partition is a lane.
 * What counts, from whatever node, is adopted by the local log byte for byte, in one write for all
 * that counts at once.
 */
final class SharedShardLog implements ShardLog {

  /** Groups of a partition that may be under way. */
  static final int APPENDS_MAX = 4;

  private static final long CLAIM_PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long CLAIM_PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private final LocalLog local;
  private final LaneWiring wiring;
  private final Notices notices;
  private final LaneAnswers answers;
  private final Incidents incidents;
  private final LaneWaits waits = new LaneWaits();
  private final Map<Integer, SharedLane> lanes = new TreeMap<>();

  /** What the local log does not have yet. */
  private final List<LaneEvent> events = new ArrayList<>();

  /** Since when the local disk takes nothing; empty while the disk takes everything. */
  private OptionalLong fullNanos = OptionalLong.empty();

  /**
   * Is told by the shard's thread, after the local log has what comes before in the partition's
   * log. Must change no lane at once.
   */
  interface Notices {

    /** The replica has to be rebuilt; its lane reads nothing any more. */
    void lost(int partition, String cause);

    /** A control record counts, whichever node has appended the record. */
    void said(int partition, long offset, AppendValue value);
  }

  /**
   * A log without partitions.
   *
   * @param local gets what counts
   * @param incidents counts what happens to the lanes
   */
  SharedShardLog(
      LocalLog local,
      LaneWiring wiring,
      Notices notices,
      LaneAnswers answers,
      Incidents incidents) {
    this.local = local;
    this.wiring = wiring;
    this.notices = notices;
    this.answers = answers;
    this.incidents = incidents;
  }

  /** Begins a replica of a partition, which continues from what its node has stored. */
  SharedLane begin(int partition, LaneState state) {
    if (lanes.containsKey(partition)) {
      throw new IllegalStateException("partition " + partition + " has a lane already");
    }
    LaneClaims claims = new LaneClaims(CLAIM_PAUSE_NANOS_MIN, CLAIM_PAUSE_NANOS_MAX);
    SharedLane lane =
        new SharedLane(
            partition, state, wiring, claims, answers, new LaneIncidents(partition, incidents));
    lanes.put(partition, lane);
    lane.begin();
    return lane;
  }

  /** The replica of a partition; empty where the node has none. */
  Optional<SharedLane> lane(int partition) {
    return Optional.ofNullable(lanes.get(partition));
  }

  /**
   * The node has no replica of the partition any more. What the local log does not have yet of the
   * partition is forgotten; whether writes under way are in the shared log is not known.
   */
  void end(int partition) {
    SharedLane lane = lanes.remove(partition);
    if (lane == null) {
      return;
    }
    events.removeIf(
        event ->
            event.partition() == partition
                && !(event instanceof Counts)
                && !(event instanceof Refused));
    RefusedException unknown =
        PendingWrite.unknown("this node has no replica of partition " + partition + " any more");
    events.replaceAll(
        event ->
            event instanceof Counts counts && event.partition() == partition
                ? new Refused(counts.group(), unknown)
                : event);
    lane.end(events);
  }

  /** Takes what the tail tells; nothing of a partition without a lane. */
  void take(AppendTail.Event event) {
    lane(event.partition()).ifPresent(lane -> lane.take(event, events));
  }

  /** Takes the answer to a look at the end of a partition. */
  void sawEnd(int partition, AppendTail.End end, long askedNanos) {
    lane(partition).ifPresent(lane -> lane.sawEnd(end, askedNanos, events));
  }

  /** See {@link SharedLane#expire}; of all lanes. Then runs what {@link #passed} lets wait. */
  void expire(long nowNanos) {
    lanes.values().forEach(lane -> lane.expire(nowNanos, events));
    giveUpCounted(nowNanos);
    waits.look();
  }

  /** Writers wait for a full disk no longer than for the shared log. Their changes count. */
  private void giveUpCounted(long nowNanos) {
    if (!events.isEmpty() && fullNanos.isEmpty()) {
      fullNanos = OptionalLong.of(nowNanos);
    }
    if (fullNanos.isPresent() && answers.isLate(fullNanos.getAsLong(), nowNanos)) {
      for (LaneEvent event : events) {
        if (event instanceof Counts counts) {
          counts.group().giveUp(answers.full(counts.partition()));
        }
      }
    }
  }

  /**
   * Stamps no later group of a partition before {@code micros}, a time that the clock has shown,
   * and runs {@code then} when the appends that are under way now are settled.
   */
  void passed(int partition, long micros, Runnable then) {
    lane(partition).ifPresent(lane -> lane.passed(micros));
    settled(partition, then);
  }

  /** Runs {@code then} when the appends of a partition that are under way now are settled. */
  void settled(int partition, Runnable then) {
    lane(partition).ifPresentOrElse(lane -> waits.add(lane, then), then);
  }

  /** See {@link SharedLane#append(AppendValue, Consumer, List)}; NEVER without a lane. */
  void append(int partition, AppendValue value, Consumer<Outcome> done) {
    lane(partition)
        .ifPresentOrElse(
            lane -> lane.append(value, done, events), () -> done.accept(Outcome.NEVER));
  }

  /** Whether something of the partition waits for the local disk. */
  boolean isBehind(int partition) {
    return events.stream().anyMatch(event -> event.partition() == partition);
  }

  /** Whether something of any partition waits for the local disk. */
  boolean isBehind() {
    return !events.isEmpty();
  }

  @Override
  public LocalLog local() {
    return local;
  }

  @Override
  public int laneOf(int partition) {
    return partition;
  }

  @Override
  public Optional<RefusedException> refusal(int partition) {
    SharedLane lane = lanes.get(partition);
    if (lane == null || !lane.isLeading()) {
      return Optional.of(notLed(partition));
    }
    return wiring.log().isFull()
        ? Optional.of(
            new RefusedException(
                ErrorCode.BUSY, "too much is on its way to the shared log; try again later"))
        : Optional.empty();
  }

  /** The refusal of a node that does not lead a partition: why, and who leads. */
  RefusedException notLed(int partition) {
    String why = lane(partition).flatMap(SharedLane::reason).map(text -> ": " + text).orElse("");
    return answers.notLeader(partition, "this node does not lead partition " + partition + why);
  }

  @Override
  public int appendsMax() {
    return APPENDS_MAX;
  }

  @Override
  public void append(OpenGroup group, LongSupplier commitMicros) {
    SharedLane lane = lanes.get(group.lane());
    if (lane == null || !lane.mayAppend()) {
      events.add(new Refused(group, notLed(group.lane())));
    } else {
      lane.append(group, commitMicros.getAsLong(), events);
    }
  }

  @Override
  public List<Settled> takeSettled() throws IOException {
    // One write for all of them: the table has the write when it has the last batch of the write.
    List<ChangeBatch> batches = new ArrayList<>();
    for (LaneEvent event : events) {
      if (event instanceof Counts counts) {
        batches.addAll(counts.batches());
      } else if (event instanceof Follows follows) {
        batches.addAll(follows.batches());
      }
    }
    long before = local.end();
    local.adopt(batches);
    fullNanos = OptionalLong.empty();
    List<Settled> settled = new ArrayList<>(events.size());
    int left = batches.size();
    for (LaneEvent event : events) {
      if (event instanceof Counts counts) {
        left -= counts.batches().size();
        List<ChangeBatch> beside =
            counts.batches().stream().filter(batch -> batch.rowCount() == 0).toList();
        settled.add(new Counted(counts.group(), beside, left == 0 ? local.end() : before));
      } else if (event instanceof Follows follows) {
        left -= follows.batches().size();
        settled.add(
            new Followed(follows.partition(), follows.batches(), left == 0 ? local.end() : before));
      } else if (event instanceof Refused refused) {
        settled.add(new NeverCounts(refused.group(), refused.reason()));
      }
    }
    List<LaneEvent> told =
        events.stream().filter(event -> event instanceof Said || event instanceof Lost).toList();
    events.clear();
    told.forEach(this::tell);
    return settled;
  }

  private void tell(LaneEvent event) {
    if (event instanceof Said said) {
      notices.said(said.partition(), said.offset(), said.value());
    } else if (event instanceof Lost lost) {
      notices.lost(lost.partition(), lost.cause());
    }
  }

  @Override
  public void close() throws IOException {
    local.close();
  }

  /**
   * Actions that wait until the appends under way of a lane are settled: then the log has each
   * change that the lane has stamped before. The deadline of appends ends each wait. For the
   * shard's thread.
   */
  private static final class LaneWaits {

    private final List<Wait> waits = new ArrayList<>();

    /**
     * An action that waits.
     *
     * @param last the newest append of the lane when the action came
     */
    private record Wait(SharedLane lane, OwnAppend last, Runnable then) {}

    /** Runs {@code then} when all appends that are under way now are settled; perhaps at once. */
    void add(SharedLane lane, Runnable then) {
      List<OwnAppend> underWay = lane.underWay();
      if (underWay.isEmpty()) {
        then.run();
      } else {
        waits.add(new Wait(lane, underWay.get(underWay.size() - 1), then));
      }
    }

    /** Runs the actions that need not wait any more; to be called again and again. */
    void look() {
      List<Runnable> ready = new ArrayList<>();
      for (Iterator<Wait> each = waits.iterator(); each.hasNext(); ) {
        Wait wait = each.next();
        if (!wait.lane().underWay().contains(wait.last())) {
          each.remove();
          ready.add(wait.then());
        }
      }
      ready.forEach(Runnable::run);
    }
  }
}
