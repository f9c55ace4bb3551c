package io.tunnel.server.partition;

import io.tunnel.model.RefusedException;
import io.tunnel.server.log.LocalLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * A log that settles groups late, as a log that many nodes share does: each partition is a lane,
 * lanes overtake each other, several groups of a lane are under way, and a lane may lose all groups
 * that are under way.
 */
final class LateShardLog implements ShardLog {

  private final LocalLog log;
  private final SplittableRandom random;
  private final int lossPercent;
  private final TreeMap<Integer, Deque<Appended>> underWay = new TreeMap<>();
  private final List<Settled> settled = new ArrayList<>();
  private int mostUnderWay;
  private int lost;

  private record Appended(OpenGroup group, long commitMicros) {}

  LateShardLog(LocalLog log, SplittableRandom random, int lossPercent) {
    this.log = log;
    this.random = random;
    this.lossPercent = lossPercent;
  }

  @Override
  public LocalLog local() {
    return log;
  }

  @Override
  public int laneOf(int partition) {
    return partition;
  }

  @Override
  public int appendsMax() {
    return 4;
  }

  @Override
  public void append(OpenGroup group, LongSupplier commitMicros) {
    long micros = group.batches().isEmpty() ? 0 : commitMicros.getAsLong();
    Deque<Appended> lane = underWay.computeIfAbsent(group.lane(), id -> new ArrayDeque<>());
    lane.add(new Appended(group, micros));
    mostUnderWay = Math.max(mostUnderWay, lane.size());
  }

  /** Settles some groups, at least one where one is under way; returns whether one was. */
  boolean settleSome() throws IOException {
    List<Integer> lanes = List.copyOf(underWay.keySet());
    for (int lane : lanes) {
      boolean isLast = lane == lanes.get(lanes.size() - 1);
      if (random.nextInt(100) < lossPercent) {
        lose(lane);
      } else if ((isLast && settled.isEmpty()) || random.nextInt(3) == 0) {
        settleOldest(lane);
      }
    }
    return !lanes.isEmpty();
  }

  private void settleOldest(int lane) throws IOException {
    Deque<Appended> ofLane = underWay.get(lane);
    for (int count = 1 + random.nextInt(2); count > 0 && !ofLane.isEmpty(); count--) {
      Appended oldest = ofLane.remove();
      OpenGroup group = oldest.group();
      if (!group.batches().isEmpty()) {
        group.place(log.append(group.batches(), group.mustSync(), oldest.commitMicros()));
      }
      settled.add(new Counted(group, log.end()));
    }
    if (ofLane.isEmpty()) {
      underWay.remove(lane);
    }
  }

  /** Somebody else leads: nothing that is under way counts. */
  private void lose(int lane) {
    RefusedException reason = RefusedException.notLeader("lost", Optional.empty());
    for (Appended one : underWay.remove(lane)) {
      settled.add(new NeverCounts(one.group(), reason));
      lost++;
    }
  }

  /** The most groups of one lane that were under way together. */
  int mostUnderWay() {
    return mostUnderWay;
  }

  /** Groups that never count. */
  int lost() {
    return lost;
  }

  @Override
  public List<Settled> takeSettled() {
    List<Settled> taken = List.copyOf(settled);
    settled.clear();
    return taken;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
