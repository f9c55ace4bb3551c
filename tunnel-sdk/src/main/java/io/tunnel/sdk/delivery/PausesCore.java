package io.tunnel.sdk.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Items that pause after a failure, and the moment at which each item wakes. Items that failed
 * together wake together and share a connection attempt; items of different processes wake at
 * different moments. An item with a range of allowed moments joins a group that wakes within the
 * range. Only the first item of a group draws its moment at random.
 *
 * @param <T> type of the items
 */
final class PausesCore<T> {

  /**
   * Groups by their moment, relative to {@link #firstNanos} because absolute moments may overflow.
   */
  private final TreeMap<Long, List<T>> pausing = new TreeMap<>();

  private final long firstNanos;

  PausesCore(long firstNanos) {
    this.firstNanos = firstNanos;
  }

  /**
   * Pauses {@code item} for {@code shortestNanos} to {@code longestNanos}.
   *
   * @param drawnNanos pause of the item if no group wakes within the range; inside the range
   * @return true when a new group was made: call {@link #wake} after {@code drawnNanos}
   */
  boolean add(T item, long nowNanos, long shortestNanos, long longestNanos, long drawnNanos) {
    long now = nowNanos - firstNanos;
    Map.Entry<Long, List<T>> next = pausing.ceilingEntry(now + shortestNanos);
    if (next != null && next.getKey() <= now + longestNanos) {
      next.getValue().add(item);
      return false;
    }
    pausing.computeIfAbsent(now + drawnNanos, moment -> new ArrayList<>()).add(item);
    return true;
  }

  /** Removes and returns the items whose pause ends at or before the moment, earliest first. */
  List<T> wake(long momentNanos) {
    Map<Long, List<T>> due = pausing.headMap(momentNanos - firstNanos, true);
    List<T> woken = new ArrayList<>();
    due.values().forEach(woken::addAll);
    due.clear();
    return woken;
  }
}
