package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.server.net.access.SimGate;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A principal of a closed world, with its acknowledged rights. */
final class Subject {

  private static final String TABLE = "orders";
  private static final String TUNNEL = "tunnel-1";

  final Principal principal;

  /** The right that is taken from it; nobody's when it is left alone. */
  final Right right;

  private Standing standing = Standing.GRANTED;
  private final Set<AccessKey> living = new HashSet<>();
  private final Set<AccessKey> dead = new HashSet<>();
  private Optional<AccessKey> newest = Optional.empty();
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

  /** Number of changes to this principal. */
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

  /** Whether that key has another secret by now. */
  boolean isFormer(AccessKey key) {
    return newest.filter(one -> one.id().equals(key.id()) && !one.equals(key)).isPresent();
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
    newest = Optional.of(key);
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

  /** Whether a server with this snapshot grants the right. */
  boolean isGranted(Right what, SecuritySnapshot known) {
    return switch (what) {
      case CONSUME -> known.permissions().allowsTunnel(principal, what, TABLE, TUNNEL);
      case SEE -> known.permissions().seesTable(principal, TABLE);
      default -> known.permissions().allows(principal, what, TABLE);
    };
  }

  /** Whether a server with this snapshot accepts the key. */
  static boolean isKnown(AccessKey key, SecuritySnapshot known) {
    return key.equals(SimKeys.ADMINISTRATOR)
        || known
            .key(key.id())
            .filter(one -> one.sealedSecrets().contains(SimGate.sealed(key.secret(), key.id())))
            .isPresent();
  }

  /** Requires that a server knows exactly the acknowledged state of this principal. */
  void requireKnown(SecuritySnapshot known, Object server) {
    Invariant.RIGHTS_HOLD.require(
        living.stream().allMatch(key -> isKnown(key, known)),
        "%s does not know a key of %s",
        server,
        this);
    Invariant.RIGHTS_HOLD.require(
        dead.stream().noneMatch(key -> isKnown(key, known)),
        "%s knows a key of %s that is none any more",
        server,
        this);
    Invariant.RIGHTS_HOLD.require(
        right == Right.SERVER || isGranted(right, known) == (standing == Standing.GRANTED),
        "%s is %s the right %s, and %s does not know it",
        this,
        standing,
        right,
        server);
  }

  /**
   * The needed right of a request that was revoked with an acknowledgement, if any.
   *
   * @param isFollowed whether the server follows the catalog without delay
   */
  Optional<String> taken(
      Right needed, AccessKey key, Predicate<Predicate<SecuritySnapshot>> isFollowed) {
    if (isDead(key) && isFollowed.test(known -> !isKnown(key, known))) {
      return Optional.of("key " + key.id());
    }
    return standing == Standing.WITHDRAWN
            && needed == right
            && isFollowed.test(known -> !isGranted(right, known))
        ? Optional.of("the right " + right)
        : Optional.empty();
  }

  @Override
  public String toString() {
    return principal.name();
  }
}
