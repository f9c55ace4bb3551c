package io.tunnel.server.net.access;

import io.tunnel.core.FreeShare;
import java.util.HashMap;
import java.util.Map;

/** The rights that all connections note, and those of each principal. For any thread. */
final class HeldBudget {

  /** Noted rights of all connections: 65 MB of heap. */
  static final int RIGHTS_MAX = 262_144;

  private final Map<String, Integer> byPrincipal = new HashMap<>();

  /** The sum of {@link #byPrincipal}. */
  private int taken;

  /** Takes a place for a right; false when all places, or those of the principal, are taken. */
  synchronized boolean take(String principal) {
    int own = byPrincipal.getOrDefault(principal, 0);
    boolean isAllowed = FreeShare.allows(own, 1, taken, RIGHTS_MAX);
    if (isAllowed) {
      byPrincipal.put(principal, own + 1);
      taken++;
    }
    return isAllowed;
  }

  /** Gives places back. */
  synchronized void leave(String principal, int count) {
    if (count > 0) {
      byPrincipal.merge(principal, -count, (own, less) -> own == count ? null : own + less);
      taken -= count;
    }
  }
}
