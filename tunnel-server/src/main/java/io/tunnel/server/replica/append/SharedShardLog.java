package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.partition.ShardLog;
import io.tunnel.server.replica.append.SharedLane.Counts;
import io.tunnel.server.replica.append.SharedLane.Event;
import io.tunnel.server.replica.append.SharedLane.Follows;
import io.tunnel.server.replica.append.SharedLane.Posts;
import io.tunnel.server.replica.append.SharedLane.Refused;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
  private final AppendLog shared;
  private final LongSupplier markers;
  private final Posts posts;
  private final Map<Integer, SharedLane> lanes = new TreeMap<>();

  /** What the local log does not have yet. */
  private final List<Event> events = new ArrayList<>();

  /**
   * A log without partitions.
   *
   * @param local gets what counts
   * @param markers random numbers, no two alike
   * @param posts runs an action on the shard's thread
   */
  SharedShardLog(LocalLog local, AppendLog shared, LongSupplier markers, Posts posts) {
    this.local = local;
    this.shared = shared;
    this.markers = markers;
    this.posts = posts;
  }

  /** Begins a replica of a partition, which goes on from what its node has stored. */
  SharedLane begin(int partition, LaneState state) {
    LaneClaims claims = new LaneClaims(CLAIM_PAUSE_NANOS_MIN, CLAIM_PAUSE_NANOS_MAX);
    SharedLane lane = new SharedLane(partition, state, shared, markers, claims, posts);
    lanes.put(partition, lane);
    return lane;
  }

  /** Takes a record that was read. */
  void read(int partition, long offset, AppendHeader header, byte[] value) {
    lanes.get(partition).read(offset, header, value, events);
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
    return lane != null && lane.isLeading()
        ? Optional.empty()
        : Optional.of(
            RefusedException.notLeader(
                "this node does not lead partition " + partition, Optional.empty()));
  }

  @Override
  public int appendsMax() {
    return APPENDS_MAX;
  }

  @Override
  public void append(OpenGroup group, LongSupplier commitMicros) {
    Optional<RefusedException> refusal = refusal(group.lane());
    if (refusal.isPresent()) {
      events.add(new Refused(group, refusal.get()));
    } else {
      lanes.get(group.lane()).append(group, commitMicros.getAsLong(), events);
    }
  }

  @Override
  public List<Settled> takeSettled() throws IOException {
    // One write for all of them: the table has the write when it has the last batch of the write.
    List<ChangeBatch> batches = new ArrayList<>();
    for (Event event : events) {
      if (event instanceof Counts counts) {
        batches.addAll(counts.batches());
      } else if (event instanceof Follows follows) {
        batches.addAll(follows.batches());
      }
    }
    long before = local.end();
    local.adopt(batches);
    List<Settled> settled = new ArrayList<>(events.size());
    int left = batches.size();
    for (Event event : events) {
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
    events.clear();
    return settled;
  }

  @Override
  public void close() throws IOException {
    local.close();
  }
}
