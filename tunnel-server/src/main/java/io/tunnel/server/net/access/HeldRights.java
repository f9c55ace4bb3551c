package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Operation.Right;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The rights that one connection goes on using behind the requests that were allowed by them: to
 * consume the tunnels of its sessions, to read partitions. They are looked at again when what is
 * granted changes. A right is noted before it is asked for, so that no change comes in between.
 *
 * <p>Its monitor guards what is held.
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

  /** Of a connection that has begun nothing. */
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
        // What was begun before with the right goes on, and is still to be looked at again.
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

  /** Why the connection cannot go on with what it has begun, if so; also that nobody can tell. */
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
          "the key with which this client came was revoked, or its certificate has expired");
    }
  }

  private synchronized Set<Held> snapshot() {
    return new LinkedHashSet<>(held);
  }
}
