package io.tunnel.server.net.access;

import io.tunnel.core.FreeShare;
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

  /** Noted rights of all connections, which principals share: 65 MB of heap. */
  static final int RIGHTS_MAX = 262_144;

  private final Set<Held> held = new LinkedHashSet<>();
  private final FreeShare places;

  /** Set by {@link #close}: the connection notes no further right. */
  private boolean isClosed;

  private record Held(Right right, String table, Optional<String> tunnel) {

    void require(Caller caller) {
      if (tunnel.isPresent()) {
        caller.require(right, table, tunnel.get());
      } else {
        Authority.table(right, table, caller);
      }
    }
  }

  /** Without rights in use, on a server without other connections. */
  public HeldRights() {
    this(new FreeShare(RIGHTS_MAX));
  }

  /** Without rights in use; {@code shares} count the rights of all connections. */
  public HeldRights(Shares shares) {
    this(shares.held());
  }

  private HeldRights(FreeShare places) {
    this.places = places;
  }

  /**
   * Begins to use a right.
   *
   * @throws RefusedException when the caller does not have it, or {@value #HELD_MAX} are used, or
   *     the principal's share of what a server notes
   */
  public void begin(Caller caller, Right right, String table, Optional<String> tunnel) {
    if (caller.mayDoEverything() && caller.principal().isEmpty()) {
      return;
    }
    Held one = new Held(right, table, tunnel);
    boolean isNew = note(one, caller.name());
    try {
      one.require(caller);
    } catch (RefusedException e) {
      if (isNew) {
        // An earlier use of the right continues, so the right stays noted.
        forget(one, caller.name());
      }
      throw e;
    }
  }

  private synchronized boolean note(Held one, String principal) {
    if (held.contains(one)) {
      return false;
    }
    if (held.size() >= HELD_MAX) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "a connection uses " + HELD_MAX + " tunnels and tables at most; open another one");
    }
    if (isClosed || !places.take(principal, 1)) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "the connections of '"
              + principal
              + "' use as many tunnels and tables as this server notes for one principal; close"
              + " connections");
    }
    return held.add(one);
  }

  private synchronized void forget(Held one, String principal) {
    if (held.remove(one)) {
      places.leave(principal, 1);
    }
  }

  /** The connection of the caller is closed. */
  public synchronized void close(Caller caller) {
    isClosed = true;
    places.leave(caller.name(), held.size());
    held.clear();
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
