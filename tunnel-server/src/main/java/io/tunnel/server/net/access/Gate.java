package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.MasterKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
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

  private record Closed(Guard guard, AttemptsCore attempts) {}

  private Gate(Optional<Closed> closed) {
    this.closed = closed;
  }

  /** Lets everybody in, who may do everything. */
  public static Gate open() {
    return new Gate(Optional.empty());
  }

  /** Asks everybody who they are. */
  public static Gate closed(Guard guard) {
    return new Gate(Optional.of(new Closed(guard, new AttemptsCore())));
  }

  /** Whether everybody is let in. */
  public boolean isOpen() {
    return closed.isEmpty();
  }

  /** What a closed gate stands on. */
  public Optional<Guard> guard() {
    return closed.map(Closed::guard);
  }

  private Guard required() {
    return closed.orElseThrow(() -> new IllegalStateException("an open gate")).guard();
  }

  /** So many random bytes. */
  Bytes chance(int bytes) {
    return required().chance().apply(bytes);
  }

  /** The key of that id, if it serves anybody. */
  Optional<AccessKey> key(String id) {
    return required()
        .administrators()
        .key(id)
        .or(() -> required().rights().get().key(id))
        .filter(key -> !key.isRevoked());
  }

  /** The secrets of a key; those that cannot be opened are left out, and said in the log. */
  List<byte[]> secrets(AccessKey key) {
    List<byte[]> secrets = new ArrayList<>();
    for (String sealed : key.sealedSecrets()) {
      try {
        secrets.add(required().master().open(sealed, key.id()));
      } catch (MasterKey.SealException e) {
        LOGGER.error("nobody can come with key {}: {}", key.id(), e.getMessage());
      }
    }
    return secrets;
  }

  /** Who sent a token to the HTTP port, if it is one. */
  public Optional<Caller> bearer(String token) {
    return rights()
        .token(HttpToken.hashOf(token))
        .filter(known -> !known.isExpired(required().epochMs().getAsLong()))
        .map(known -> caller(known.principal(), Optional.empty()));
  }

  /** Who a certificate of the authority is about. */
  public Caller certified(Principal subject) {
    return caller(subject, Optional.empty());
  }

  /** Who came with a key, or otherwise. */
  Caller caller(Principal principal, Optional<String> keyId) {
    return new Caller(principal, keyId, this);
  }

  boolean isAdministrator(Principal principal) {
    return required().administrators().principals().contains(principal);
  }

  SecuritySnapshot rights() {
    return required().rights().get();
  }

  /**
   * An authentication failed.
   *
   * @param address of who tried, 4 or 16 bytes
   * @return for how many nanoseconds its answer waits
   */
  public long failed(Bytes address) {
    Closed shut = closed.orElseThrow(() -> new IllegalStateException("an open gate"));
    synchronized (shut.attempts()) {
      return shut.attempts().failed(address, shut.guard().nanos().getAsLong());
    }
  }
}
