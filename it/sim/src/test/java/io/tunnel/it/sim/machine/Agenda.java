package io.tunnel.it.sim.machine;

import java.util.PriorityQueue;

/**
 * What happens next, and when: the only clock of a world. Things due at the same nanosecond happen
 * in the order in which they were put here.
 */
public final class Agenda {

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long nowNanos;
  private long lastNumber;
  private long done;

  private record Entry(long dueNanos, long number, Runnable action) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(dueNanos, other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  /** Simulated time; starts at 0. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Things that have happened. */
  public long done() {
    return done;
  }

  public void after(long delayNanos, Runnable action) {
    at(nowNanos + Math.max(0, delayNanos), action);
  }

  public void at(long dueNanos, Runnable action) {
    entries.add(new Entry(Math.max(nowNanos, dueNanos), ++lastNumber, action));
  }

  /** When the next thing happens, {@link Long#MAX_VALUE} when nothing will. */
  public long nextNanos() {
    return entries.isEmpty() ? Long.MAX_VALUE : entries.peek().dueNanos;
  }

  /** Lets the next thing happen. */
  public void step() {
    Entry next = entries.remove();
    nowNanos = next.dueNanos;
    done++;
    next.action.run();
  }

  /** Lets time pass to a moment before which nothing happens. */
  public void pass(long toNanos) {
    nowNanos = Math.max(nowNanos, toNanos);
  }
}
