package io.tunnel.sdk.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Those who pause after a failure, and when each goes on. Many who failed together shall go on
 * together, so that one question is asked for all of them, and yet at a moment that differs from
 * that of other workers: an item that may be woken at any moment between two joins the items that
 * are to be woken in that time, and only the first of them draws its moment by chance.
 *
 * @param <T> what pauses
 */
final class PausesCore<T> {

  /** By moment; moments are counted from the first, because they may overflow. */
  private final TreeMap<Long, List<T>> pausing = new TreeMap<>();

  private final long firstNanos;

  PausesCore(long firstNanos) {
    this.firstNanos = firstNanos;
  }

  /**
   * Lets it pause for at least {@code shortestNanos} and at most {@code longestNanos}.
   *
   * @param drawnNanos its pause when nobody is woken in that time, between the two
   * @return whether {@link #wake} is to be called when that pause is over
   */
  boolean add(T one, long nowNanos, long shortestNanos, long longestNanos, long drawnNanos) {
    long now = nowNanos - firstNanos;
    Map.Entry<Long, List<T>> next = pausing.ceilingEntry(now + shortestNanos);
    if (next != null && next.getKey() <= now + longestNanos) {
      next.getValue().add(one);
      return false;
    }
    pausing.computeIfAbsent(now + drawnNanos, moment -> new ArrayList<>()).add(one);
    return true;
  }

  /** Takes those whose pause is over at that moment, in the order in which they are to go on. */
  List<T> wake(long momentNanos) {
    Map<Long, List<T>> due = pausing.headMap(momentNanos - firstNanos, true);
    List<T> woken = new ArrayList<>();
    due.values().forEach(woken::addAll);
    due.clear();
    return woken;
  }
}
