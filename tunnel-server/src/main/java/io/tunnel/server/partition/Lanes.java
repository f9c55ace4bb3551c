package io.tunnel.server.partition;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.OpenGroup.ReturnedBytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The groups of a shard by {@linkplain ShardLog#laneOf lane}: those that gather writes, and those
 * under way, which are appended and not settled.
 *
 * <p>Invariant: a write that reads rows, or whose answer depends on writes that are not answered,
 * finds no group under way in its lane. So the shard evaluates each write against exactly the rows
 * that the changes before the write leave, and a batch that comes again finds the answer to its
 * first attempt. A write that reads no rows may follow a group under way: if the group never
 * counts, the write never counts. For the shard's thread.
 */
final class Lanes {

  /** The groups of all lanes that are under way have as many bytes as so many full groups. */
  private static final long UNDER_WAY_GROUPS_MAX = 16;

  private final ShardLog log;
  private final Function<ReturnedBytes, OpenGroup> groups;
  private final int groupBytesMax;

  /** The groups that gather writes, in the order of their first writes. */
  private final Map<Integer, OpenGroup> open = new LinkedHashMap<>();

  /** The groups under way by lane, oldest first; no lane without any. */
  private final Map<Integer, Deque<OpenGroup>> underWay = new HashMap<>();

  /** Groups without writes, to be used again. */
  private final Deque<OpenGroup> spare = new ArrayDeque<>();

  /** Of the batches of the groups under way. */
  private long underWayBytes;

  /** Of all groups. */
  private final ReturnedBytes returned = new ReturnedBytes();

  /**
   * No group yet.
   *
   * @param groups makes a group without writes
   * @param groupBytesMax bytes of a group from which on no further write joins the group
   */
  Lanes(ShardLog log, Function<ReturnedBytes, OpenGroup> groups, int groupBytesMax) {
    this.log = log;
    this.groups = groups;
    this.groupBytesMax = groupBytesMax;
  }

  /** The group of a partition's lane that gathers writes. */
  OpenGroup of(int partition) {
    return open.computeIfAbsent(laneOf(partition), this::take);
  }

  private OpenGroup take(int lane) {
    OpenGroup group = spare.isEmpty() ? groups.apply(returned) : spare.remove();
    group.gather(lane);
    return group;
  }

  /** See {@link ShardLog#refusal}. */
  Optional<RefusedException> refusal(int partition) {
    return log.refusal(partition);
  }

  int laneOf(int partition) {
    return log.laneOf(partition);
  }

  /** Whether no write was gathered. */
  boolean isEmpty() {
    // A loop, because each write asks.
    for (OpenGroup group : open.values()) {
      if (!group.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the groups under way hold as many bytes as they may; then nothing is gathered. */
  boolean isFull() {
    return underWayBytes >= UNDER_WAY_GROUPS_MAX * groupBytesMax || returned.areTooMany();
  }

  /**
   * Whether a write waits until what was gathered is appended: its group has as many bytes as a
   * group may have, or is {@linkplain OpenGroup#isClosedTo closed to it}, or the answers of all
   * groups hold as many bytes as they may.
   */
  boolean isClosedTo(PendingWrite write) {
    OpenGroup group = of(write.batch().partition());
    return group.batches().heldBytes() >= groupBytesMax
        || returned.areTooMany()
        || group.isClosedTo(write);
  }

  /** Whether a write waits for groups under way: they are as many as may be, or closed to it. */
  boolean mustWait(PendingWrite write) {
    Deque<OpenGroup> before = underWay.get(laneOf(write.batch().partition()));
    return before != null
        && (before.size() >= log.appendsMax()
            || before.stream().anyMatch(group -> group.isClosedTo(write)));
  }

  /** Whether the lane of a partition has no group under way. */
  boolean isQuiet(int partition) {
    return underWay.isEmpty() || !underWay.containsKey(laneOf(partition));
  }

  /** No change of the groups under way of a partition's lane is committed at an earlier time. */
  OptionalLong underWaySince(int partition) {
    Deque<OpenGroup> before = underWay.get(laneOf(partition));
    return before == null
        ? OptionalLong.empty()
        : before.stream().mapToLong(OpenGroup::begunMicros).min();
  }

  /** Whether no lane has a group under way. */
  boolean areQuiet() {
    return underWay.isEmpty();
  }

  /** The groups that have gathered writes, in the order of their first writes. */
  List<OpenGroup> gathered() {
    List<OpenGroup> gathered = new ArrayList<>(open.size());
    for (OpenGroup group : open.values()) {
      (group.isEmpty() ? spare : gathered).add(group);
    }
    open.values().removeIf(OpenGroup::isEmpty);
    return gathered;
  }

  /** A group that has gathered writes is appended: the group is under way from now on. */
  void begin(OpenGroup group) {
    open.remove(group.lane());
    underWay.computeIfAbsent(group.lane(), lane -> new ArrayDeque<>(1)).add(group);
    underWayBytes += group.batches().heldBytes();
  }

  /** A group is settled and its writes are answered: the group is used again. */
  void end(OpenGroup group) {
    Deque<OpenGroup> ofLane = underWay.get(group.lane());
    if (ofLane == null || ofLane.remove() != group) {
      throw new IllegalStateException("a group was settled before an older group of its lane");
    }
    if (ofLane.isEmpty()) {
      underWay.remove(group.lane());
    }
    underWayBytes -= group.batches().heldBytes();
    release(group);
  }

  private void release(OpenGroup group) {
    group.clear();
    spare.add(group);
  }

  /** Refuses what was gathered and not appended. */
  void refuseOpen(RefusedException reason) {
    for (OpenGroup group : open.values()) {
      group.refuse(reason);
      release(group);
    }
    open.clear();
  }

  /** Refuses everything; the fate of the groups under way is not known. */
  void refuseAll(RefusedException reason) {
    for (Deque<OpenGroup> lane : underWay.values()) {
      for (OpenGroup group : lane) {
        group.refuse(reason);
        release(group);
      }
    }
    underWay.clear();
    underWayBytes = 0;
    refuseOpen(reason);
  }
}
