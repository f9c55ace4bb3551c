package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.server.security.Voucher;
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
 * Decides who is let in: every client, or clients that authenticate with a key of the catalog, a
 * key of the security directory, a certificate of its authority, or a voucher of a node. For any
 * thread.
 */
public final class Gate {

  private static final Logger LOGGER = LoggerFactory.getLogger(Gate.class);

  private final Optional<Closed> closed;

  /**
   * The parts that a closed gate needs.
   *
   * @param master the key that seals secrets
   * @param administrators administrators who can log in before the catalog is read
   * @param rights the newest keys and permissions of the catalog
   * @param chance makes that number of unpredictable bytes
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

  /** The fixed administrators and their keys, as they are now. */
  public interface Administrators {

    /** The administrators' key with that id. */
    Optional<AccessKey> key(String id);

    /** The administrators. */
    Set<Principal> principals();
  }

  /**
   * @param decoy stands for unknown keys; no client has its secrets
   */
  private record Closed(
      Guard guard, Runnable requireCurrent, AttemptsCore attempts, AccessKey decoy) {}

  private Gate(Optional<Closed> closed) {
    this.closed = closed;
  }

  /** A gate without authentication: every client may do everything. */
  public static Gate open() {
    return new Gate(Optional.empty());
  }

  /** A gate with authentication. */
  public static Gate closed(Guard guard) {
    return closed(guard, () -> {});
  }

  /**
   * A gate with authentication.
   *
   * @param requireCurrent throws a RefusedException while the catalog's keys, tokens and rights may
   *     be too old to decide by; not called for the security directory's keys
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

  /** Whether the gate works without authentication. */
  public boolean isOpen() {
    return closed.isEmpty();
  }

  /** The parts that a closed gate needs. */
  public Optional<Guard> guard() {
    return closed.map(Closed::guard);
  }

  private Closed required() {
    return closed.orElseThrow(() -> new IllegalStateException("an open gate"));
  }

  /** Unpredictable bytes. */
  Bytes chance(int bytes) {
    return required().guard().chance().apply(bytes);
  }

  /** The key with that id, unless it was revoked. */
  Optional<AccessKey> key(String id) {
    return required()
        .guard()
        .administrators()
        .key(id)
        .or(() -> currentRights().key(id))
        .filter(key -> !key.isRevoked());
  }

  /**
   * A secret against which a proof is checked.
   *
   * @param isOfKey whether the secret is the named key's, and not the decoy's
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
   * The key's secrets, filled up with the decoy's to the largest number that a key can have, so
   * that a check takes equally long with and without a key. Secrets that cannot be opened are left
   * out and logged.
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
          LOGGER.error(
              "cannot open a secret of key {}, so clients with it are refused: {}",
              key.id(),
              e.getMessage());
        }
      }
    }
  }

  /** The owner of a token that the HTTP port received. */
  public Optional<Caller> bearer(String token) {
    return bearerOf(HttpToken.hashOf(token));
  }

  /** The owner of the token with this {@linkplain HttpToken#hashOf hash}. */
  public Optional<Caller> bearerOf(Bytes tokenHash) {
    return currentRights()
        .token(tokenHash)
        .filter(known -> !known.isExpired(epochMs()))
        .map(known -> caller(known.principal(), Optional.empty()));
  }

  /** The caller that a certificate of the authority names; valid until the certificate expires. */
  public Caller certified(TlsPeer.ClientCertificate certificate) {
    return new Caller(certificate, this);
  }

  /**
   * A voucher, and the secret with which this server proves it to a different node, or to itself.
   *
   * @param secret not empty, and never sent
   */
  public record Vouched(Voucher voucher, Bytes secret) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Vouched[" + voucher.keyId() + "]";
    }
  }

  /**
   * Vouches for a principal that this server has authenticated, from now on for {@value
   * Voucher#LIFE_MS} ms.
   *
   * @param address IP address of the principal's client
   * @param node the name of this server
   * @throws IllegalArgumentException when the principal's name is too long for a voucher
   */
  public Vouched vouch(Principal principal, String address, String node) {
    Voucher voucher = new Voucher(principal, address, node, epochMs() + Voucher.LIFE_MS);
    return new Vouched(voucher, voucherSecret(voucher.keyId()));
  }

  /** The secret of the voucher with this key id. */
  Bytes voucherSecret(String keyId) {
    return required().guard().master().voucherSecret(keyId);
  }

  /** The caller for whom a node vouches; valid until the voucher ends. */
  Caller vouched(Voucher voucher) {
    return new Caller(voucher, this);
  }

  /** Milliseconds since 1970, now. */
  long epochMs() {
    return required().guard().epochMs().getAsLong();
  }

  /** The caller that authenticated with a key or otherwise. */
  Caller caller(Principal principal, Optional<Caller.Proof> proof) {
    return new Caller(principal, proof, this);
  }

  /** The caller before authentication. */
  public Caller stranger() {
    return isOpen() ? Caller.anybody() : Caller.nobody();
  }

  /** Whether the principal is a fixed administrator, whom no denial and no quota binds. */
  public boolean isAdministrator(Principal principal) {
    return administrators().contains(principal);
  }

  /** The fixed administrators. */
  Set<Principal> administrators() {
    return required().guard().administrators().principals();
  }

  /** As {@link #rights}, for decisions: refuses while the rights may be too old. */
  SecuritySnapshot currentRights() {
    required().requireCurrent().run();
    return rights();
  }

  SecuritySnapshot rights() {
    return required().guard().rights().get();
  }

  /**
   * The network whose connections are counted together: an IPv4 address, or an IPv6 network of 64
   * bits, because a client with one address of such a network has all.
   */
  public static Bytes network(SocketAddress address) {
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? AttemptsCore.network(Bytes.copyOf(inet.getAddress().getAddress()))
        : Bytes.EMPTY;
  }

  /**
   * As {@link #failed(Bytes)}; an authentication of this server to itself does not wait.
   *
   * @param address the client's address
   */
  public long failed(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? failed(Bytes.copyOf(inet.getAddress().getAddress()))
        : 0;
  }

  /**
   * An authentication failed.
   *
   * @param address the client's address, 4 or 16 bytes
   * @return for how many nanoseconds its answer waits
   */
  long failed(Bytes address) {
    Closed shut = required();
    synchronized (shut.attempts()) {
      return shut.attempts().failed(address, shut.guard().nanos().getAsLong());
    }
  }
}
