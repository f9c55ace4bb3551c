package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is let in: everybody, or those who prove who they are with a key of the catalog, a key of the
 * security directory, or a certificate of its authority. For any thread.
 */
public final class Gate {

  private static final Logger LOGGER = LoggerFactory.getLogger(Gate.class);

  private final Optional<Closed> closed;

  /**
   * What a closed gate stands on.
   *
   * @param master what secrets are sealed with
   * @param administrators those who can come before there is a catalog
   * @param rights keys and permissions of the catalog, as they are now
   * @param chance gives so many random bytes that nobody can guess
   * @param nanos a clock that never goes back
   * @param epochMs milliseconds since 1970, now
   */
  public record Guard(
      MasterKey master,
      Administrators administrators,
      Supplier<SecuritySnapshot> rights,
      IntFunction<Bytes> chance,
      LongSupplier nanos,
      LongSupplier epochMs) {}

  /** Those who may do everything, and their keys, as they are now. */
  public interface Administrators {

    /** The key of that id, if it is one of theirs. */
    Optional<AccessKey> key(String id);

    /** Who they are. */
    Set<Principal> principals();
  }

  /**
   * @param decoy stands for keys that there are not: nobody has its secrets
   */
  private record Closed(
      Guard guard, Runnable requireCurrent, AttemptsCore attempts, AccessKey decoy) {}

  private Gate(Optional<Closed> closed) {
    this.closed = closed;
  }

  /** Lets everybody in, who may do everything. */
  public static Gate open() {
    return new Gate(Optional.empty());
  }

  /** Asks everybody who they are. */
  public static Gate closed(Guard guard) {
    return closed(guard, () -> {});
  }

  /**
   * Asks everybody who they are.
   *
   * @param requireCurrent throws a RefusedException while the keys, tokens and rights of the
   *     catalog may be too old to decide by; those of the security directory are not asked for
   */
  public static Gate closed(Guard guard, Runnable requireCurrent) {
    return new Gate(
        Optional.of(new Closed(guard, requireCurrent, new AttemptsCore(), decoy(guard))));
  }

  private static AccessKey decoy(Guard guard) {
    String id = AccessKey.idOf(guard.chance().apply(AccessKey.ID_BYTES));
    AccessKey key = AccessKey.of(id, Principal.ofKey("nobody"), drawn(guard, id), 0);
    return key.rotated(drawn(guard, id));
  }

  private static String drawn(Guard guard, String id) {
    return guard.master().seal(guard.chance().apply(AccessKey.SECRET_BYTES).toByteArray(), id);
  }

  /** Whether everybody is let in. */
  public boolean isOpen() {
    return closed.isEmpty();
  }

  /** What a closed gate stands on. */
  public Optional<Guard> guard() {
    return closed.map(Closed::guard);
  }

  private Closed required() {
    return closed.orElseThrow(() -> new IllegalStateException("an open gate"));
  }

  /** So many random bytes. */
  Bytes chance(int bytes) {
    return required().guard().chance().apply(bytes);
  }

  /** The key of that id, if it serves anybody. */
  Optional<AccessKey> key(String id) {
    return required()
        .guard()
        .administrators()
        .key(id)
        .or(() -> currentRights().key(id))
        .filter(key -> !key.isRevoked());
  }

  /**
   * A secret that a proof is checked against.
   *
   * @param isOfKey whether it is one of the key that was asked for, and not the decoy's
   * @param sealed the secret as it is stored
   */
  record Candidate(boolean isOfKey, String sealed, Bytes secret) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Candidate[" + (isOfKey ? "of the key]" : "of nobody]");
    }
  }

  /**
   * As many secrets as a key has at most, whether there is a key or not, so that it takes as long
   * to check them: those of the key, and for the rest those of nobody. Secrets that cannot be
   * opened are left out, and said in the log.
   */
  List<Candidate> candidates(Optional<AccessKey> key) {
    List<Candidate> candidates = new ArrayList<>();
    key.ifPresent(known -> open(known, true, candidates));
    open(required().decoy(), false, candidates);
    return candidates;
  }

  private void open(AccessKey key, boolean isOfKey, List<Candidate> candidates) {
    for (String sealed : key.sealedSecrets()) {
      if (candidates.size() < AccessKey.SECRETS_MAX) {
        try {
          byte[] secret = required().guard().master().open(sealed, key.id());
          candidates.add(new Candidate(isOfKey, sealed, Bytes.copyOf(secret)));
        } catch (MasterKey.SealException e) {
          LOGGER.error("nobody can come with key {}: {}", key.id(), e.getMessage());
        }
      }
    }
  }

  /** Who sent a token to the HTTP port, if it is one. */
  public Optional<Caller> bearer(String token) {
    return currentRights()
        .token(HttpToken.hashOf(token))
        .filter(known -> !known.isExpired(epochMs()))
        .map(known -> caller(known.principal(), Optional.empty()));
  }

  /** Who a certificate of the authority is about; welcome until it expires. */
  public Caller certified(TlsPeer.ClientCertificate certificate) {
    return new Caller(certificate, this);
  }

  /** Milliseconds since 1970, now. */
  long epochMs() {
    return required().guard().epochMs().getAsLong();
  }

  /** Who came with a key, or otherwise. */
  Caller caller(Principal principal, Optional<Caller.Proof> proof) {
    return new Caller(principal, proof, this);
  }

  /** Who somebody is that has said nothing yet. */
  public Caller stranger() {
    return isOpen() ? Caller.anybody() : Caller.nobody();
  }

  boolean isAdministrator(Principal principal) {
    return required().guard().administrators().principals().contains(principal);
  }

  /** As {@link #rights}, for decisions: what was taken away long ago does not count. */
  SecuritySnapshot currentRights() {
    required().requireCurrent().run();
    return rights();
  }

  SecuritySnapshot rights() {
    return required().guard().rights().get();
  }

  /**
   * Whose connections are counted together: those of an address, of IPv6 those of a network of 64
   * bits, because a client that has one address of such a network has all.
   */
  public static Bytes network(SocketAddress address) {
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? AttemptsCore.network(Bytes.copyOf(inet.getAddress().getAddress()))
        : Bytes.EMPTY;
  }

  /**
   * An authentication failed.
   *
   * @param address of who tried, 4 or 16 bytes
   * @return for how many nanoseconds its answer waits
   */
  public long failed(Bytes address) {
    Closed shut = required();
    synchronized (shut.attempts()) {
      return shut.attempts().failed(address, shut.guard().nanos().getAsLong());
    }
  }
}
