package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** A principal of a closed world: what it may do now, as far as that was acknowledged. */
final class Subject {

  private static final String TABLE = "orders";
  private static final String TUNNEL = "tunnel-1";

  final Principal principal;

  /** The right that is taken from it; nobody's when it is left alone. */
  final Right right;

  private Standing standing = Standing.GRANTED;
  private final Set<AccessKey> living = new HashSet<>();
  private final Set<AccessKey> dead = new HashSet<>();
  private long changes;
  private long changedNanos;

  /** Whether it has its right. */
  enum Standing {
    GRANTED,
    /** Something was asked for, and its answer is not known. */
    CHANGING,
    WITHDRAWN
  }

  Subject(String name, Right right) {
    this.principal = Principal.ofKey(name);
    this.right = right;
  }

  Standing standing() {
    return standing;
  }

  /** Grows with everything that is done to it. */
  long changes() {
    return changes;
  }

  /** When the last of that was begun or acknowledged. */
  long changedNanos() {
    return changedNanos;
  }

  boolean isLiving(AccessKey key) {
    return living.contains(key);
  }

  boolean isDead(AccessKey key) {
    return dead.contains(key);
  }

  private void changed(long nowNanos) {
    changes++;
    changedNanos = nowNanos;
  }

  void becomes(Standing next, long nowNanos) {
    standing = next;
    changed(nowNanos);
  }

  /** That key is served from now on. */
  void lives(AccessKey key) {
    living.add(key);
  }

  /** That key is about to be refused. */
  void dies(AccessKey key, long nowNanos) {
    living.remove(key);
    changed(nowNanos);
  }

  /** That key is refused from now on. */
  void died(AccessKey key, long nowNanos) {
    dead.add(key);
    changed(nowNanos);
  }

  /** Whether a server that knows this gives it a right. */
  boolean isGranted(Right what, SecuritySnapshot known) {
    return switch (what) {
      case CONSUME -> known.permissions().allowsTunnel(principal, what, TABLE, TUNNEL);
      case SEE -> known.permissions().seesTable(principal, TABLE);
      default -> known.permissions().allows(principal, what, TABLE);
    };
  }

  /** Whether a server that knows this lets in who comes with that key. */
  static boolean isKnown(AccessKey key, SecuritySnapshot known) {
    return key.equals(SimKeys.ADMINISTRATOR) || known.key(key.id()).isPresent();
  }

  /** What a request of that kind needs and was acknowledged to be taken, if it is so. */
  Optional<String> taken(Right needed, AccessKey key) {
    if (isDead(key)) {
      return Optional.of("key " + key.id());
    }
    return standing == Standing.WITHDRAWN && needed == right
        ? Optional.of("the right " + right)
        : Optional.empty();
  }

  @Override
  public String toString() {
    return principal.name();
  }
}
