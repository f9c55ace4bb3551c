package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Operation.Right;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The rights that one connection uses beyond single requests: to consume the tunnels of its
 * sessions, to read partitions. They are checked again when permissions change. A right is noted
 * before its first check, so that no change is missed in between.
 *
 * <p>The monitor guards the noted rights.
 */
public final class HeldRights {

  /** Tunnels and tables that one connection may have begun to use. */
  public static final int HELD_MAX = 4_096;

  private final Set<Held> held = new LinkedHashSet<>();

  private record Held(Right right, String table, Optional<String> tunnel) {

    void require(Caller caller) {
      if (tunnel.isPresent()) {
        caller.require(right, table, tunnel.get());
      } else {
        Authority.table(right, table, caller);
      }
    }
  }

  /** Without rights in use. */
  public HeldRights() {}

  /**
   * Begins to use a right.
   *
   * @throws RefusedException when the caller does not have it, or {@value #HELD_MAX} are used
   */
  public void begin(Caller caller, Right right, String table, Optional<String> tunnel) {
    if (caller.mayDoEverything() && caller.principal().isEmpty()) {
      return;
    }
    Held one = new Held(right, table, tunnel);
    boolean isNew = note(one);
    try {
      one.require(caller);
    } catch (RefusedException e) {
      if (isNew) {
        // An earlier use of the right continues, so the right stays noted.
        forget(one);
      }
      throw e;
    }
  }

  private synchronized boolean note(Held one) {
    if (held.size() >= HELD_MAX && !held.contains(one)) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "a connection uses " + HELD_MAX + " tunnels and tables at most; open another one");
    }
    return held.add(one);
  }

  private synchronized void forget(Held one) {
    held.remove(one);
  }

  /**
   * The refusal that ends the connection, if one of its rights is lost, or cannot be decided now.
   */
  public Optional<RefusedException> lost(Caller caller) {
    try {
      requireWelcome(caller);
      snapshot().forEach(one -> one.require(caller));
      return Optional.empty();
    } catch (RefusedException e) {
      return Optional.of(e);
    }
  }

  private static void requireWelcome(Caller caller) {
    if (!caller.isWelcome()) {
      throw new RefusedException(
          ErrorCode.NOT_AUTHENTICATED,
          "the key with which this client came was revoked, or its certificate or voucher has"
              + " expired");
    }
  }

  private synchronized Set<Held> snapshot() {
    return new LinkedHashSet<>(held);
  }
}
