package io.tunnel.server.session;

import java.util.ArrayList;
import java.util.List;

/**
 * What waits for a look at the end of a log. One look is under way at a time, and serves all that
 * came before the look began: an answer of a look that had begun earlier may lack a record that was
 * stored before the question.
 *
 * <p>Invariants: {@link #looking} came before the look under way began, and is empty without one.
 * {@link #next} came after.
 *
 * @param <T> what waits
 */
public final class LooksCore<T> {

  private final long waitNanosMax;
  private List<Waiting<T>> looking = new ArrayList<>();
  private List<Waiting<T>> next = new ArrayList<>();
  private boolean isLooking;

  private record Waiting<T>(T what, long sinceNanos) {}

  /**
   * Nothing waits.
   *
   * @param waitNanosMax after this time {@link #late} gives up
   */
  public LooksCore(long waitNanosMax) {
    this.waitNanosMax = waitNanosMax;
  }

  /** Waits for a look that begins from now on. */
  public void add(T what, long nowNanos) {
    next.add(new Waiting<>(what, nowNanos));
  }

  /** Whether to begin a look now, whose end {@link #ended} receives. */
  public boolean begins() {
    if (isLooking || next.isEmpty()) {
      return false;
    }
    isLooking = true;
    looking = next;
    next = new ArrayList<>();
    return true;
  }

  /** The look has ended; returns all that waited for this look. */
  public List<T> ended() {
    if (!isLooking) {
      throw new IllegalStateException("a look has ended, and none was under way");
    }
    isLooking = false;
    List<T> served = whats(looking);
    looking = new ArrayList<>();
    return served;
  }

  /** Removes and returns all that has waited for too long. */
  public List<T> late(long nowNanos) {
    List<Waiting<T>> late = new ArrayList<>();
    for (List<Waiting<T>> each : List.of(looking, next)) {
      each.stream().filter(one -> nowNanos - one.sinceNanos() >= waitNanosMax).forEach(late::add);
      each.removeAll(late);
    }
    return whats(late);
  }

  private static <T> List<T> whats(List<Waiting<T>> waiting) {
    return waiting.stream().map(Waiting::what).toList();
  }
}
