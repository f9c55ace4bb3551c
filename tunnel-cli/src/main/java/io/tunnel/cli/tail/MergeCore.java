package io.tunnel.cli.tail;

import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Merges the changes of partitions in the order of their commit, those of one partition in their
 * own order, which is the same because commit times never go back inside a partition. A change is
 * known to be the next one only when every partition that has not ended has one waiting.
 */
final class MergeCore {

  private final Map<Integer, Lane> lanes = new HashMap<>();

  /** Lanes with a change waiting, the one that was committed first in front. */
  private final PriorityQueue<Lane> ready =
      new PriorityQueue<>(
          Comparator.comparingLong((Lane lane) -> lane.head().commitMicros())
              .thenComparingInt(lane -> lane.partition));

  /** Lanes that have no change waiting and have not ended. */
  private int empty;

  /** The changes of a partition that were not given yet. */
  private static final class Lane {
    final int partition;
    final Deque<PartitionRecords> waiting = new ArrayDeque<>();

    /** The next of the first ones waiting. */
    int next;

    boolean isEnded;

    Lane(int partition) {
      this.partition = partition;
    }

    StreamRecord head() {
      return waiting.element().records().get(next);
    }
  }

  MergeCore(Collection<Integer> partitions) {
    partitions.forEach(partition -> lanes.put(partition, new Lane(partition)));
    empty = lanes.size();
  }

  /** Something came of a partition; it is released when its last change is given. */
  void add(PartitionRecords came) {
    Lane lane = lanes.get(came.start().partition());
    boolean wasEmpty = lane.waiting.isEmpty();
    if (came.records().isEmpty()) {
      came.release();
    } else {
      lane.waiting.add(came);
    }
    boolean hasEnded = came.isEnd() && !lane.isEnded;
    lane.isEnded |= came.isEnd();
    if (wasEmpty && !lane.waiting.isEmpty()) {
      empty--;
      ready.add(lane);
    } else if (wasEmpty && hasEnded) {
      empty--;
    }
  }

  /** The next change; empty when that is not known yet, and when there is none. */
  Optional<StreamRecord> next() {
    if (empty > 0 || ready.isEmpty()) {
      return Optional.empty();
    }
    Lane lane = ready.remove();
    StreamRecord next = lane.head();
    lane.next++;
    if (lane.next == lane.waiting.element().records().size()) {
      lane.next = 0;
      lane.waiting.remove().release();
    }
    if (!lane.waiting.isEmpty()) {
      ready.add(lane);
    } else if (!lane.isEnded) {
      empty++;
    }
    return Optional.of(next);
  }

  /** Whether every partition has ended and every change was given. */
  boolean isDone() {
    return empty == 0 && ready.isEmpty();
  }
}
