package io.tunnel.core;

import java.util.HashMap;
import java.util.Map;

/**
 * Places of a server that principals share by a dynamic threshold. A principal with places gets
 * further ones up to a fifth of the free places. So one principal takes a sixth of all places at
 * most, and ten greedy principals leave a third free, or a sixth when each begins after the last. A
 * principal without a place gets one while any place is free. Clients without names, whose
 * principal is the empty text, have all places together. The rule needs no list of principals, and
 * takes no place back. Safe for use by any thread.
 *
 * <p>Invariant: {@link #taken} is the sum of {@link #byPrincipal}.
 */
public final class FreeShare {

  /** One principal may have this part of the free places. */
  public static final int PARTS = 5;

  private final long max;
  private final Map<String, Long> byPrincipal = new HashMap<>();
  private long taken;

  /** All of {@code max} places are free. */
  public FreeShare(long max) {
    this.max = max;
  }

  /**
   * Whether a principal gets further places.
   *
   * @param own places of the principal
   * @param more places that the principal asks for
   * @param taken places of all principals
   * @param max all places
   */
  public static boolean allows(long own, long more, long taken, long max) {
    long free = max - taken;
    return more <= free && (own == 0 || own + more <= free / PARTS);
  }

  /** Whether {@code principal} gets further places. */
  public synchronized boolean allows(String principal, long more) {
    return principal.isEmpty() ? more <= max - taken : allows(of(principal), more, taken, max);
  }

  /** Gives {@code principal} further places, unless there are none for it. */
  public synchronized boolean take(String principal, long more) {
    boolean isAllowed = allows(principal, more);
    if (isAllowed) {
      add(principal, more);
    }
    return isAllowed;
  }

  /** Counts places of {@code principal} that are taken already, also beyond its share. */
  public synchronized void add(String principal, long more) {
    taken += more;
    byPrincipal.compute(
        principal,
        (unused, own) -> {
          long left = (own == null ? 0 : own) + more;
          return left == 0 ? null : left;
        });
  }

  /** Reclaims places from {@code principal}. */
  public void leave(String principal, long less) {
    add(principal, -less);
  }

  /** The places of {@code principal}. */
  public synchronized long of(String principal) {
    return byPrincipal.getOrDefault(principal, 0L);
  }

  /** How many principals have places. */
  synchronized int principals() {
    return byPrincipal.size();
  }

  /** The places of all principals. */
  public synchronized long taken() {
    return taken;
  }

  /** All places, taken and free. */
  public long max() {
    return max;
  }
}
