package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;

/**
 * A key with which a client authenticates as a principal.
 *
 * @param id {@code tk} and 16 of a-z 2-7
 * @param principal the owner; not the principal of a certificate
 * @param sealedSecrets as {@link MasterKey#seal} makes them, the newest first: one, or two while
 *     clients change to the newer one
 * @param createdMs creation time, in milliseconds since 1970
 * @param isRevoked whether the key was revoked
 */
public record AccessKey(
    String id, Principal principal, List<String> sealedSecrets, long createdMs, boolean isRevoked) {

  /** Random bytes of an id. */
  public static final int ID_BYTES = Ids.RANDOM_BYTES;

  /** Bytes of a secret. */
  public static final int SECRET_BYTES = 32;

  /** Secrets that a key has at most. */
  public static final int SECRETS_MAX = 2;

  private static final String PREFIX = "tk";

  /** Refuses invalid ids, principals and numbers of secrets. */
  public AccessKey {
    requireId(id);
    Objects.requireNonNull(principal, "principal");
    sealedSecrets = List.copyOf(sealedSecrets);
    if (principal.isOfCertificate()) {
      throw new IllegalArgumentException(
          "a key is for a name without '=', not for the certificate of " + principal);
    }
    if (sealedSecrets.isEmpty() || sealedSecrets.size() > SECRETS_MAX) {
      throw new IllegalArgumentException(
          "a key has 1 to " + SECRETS_MAX + " secrets, not " + sealedSecrets.size());
    }
  }

  /** A new key. */
  public static AccessKey of(String id, Principal principal, String sealedSecret, long createdMs) {
    return new AccessKey(id, principal, List.of(sealedSecret), createdMs, false);
  }

  /** The id that {@value #ID_BYTES} random bytes make. */
  public static String idOf(Bytes random) {
    return Ids.of(PREFIX, random);
  }

  /**
   * Checks an id.
   *
   * @throws IllegalArgumentException when it is not the id of a key
   */
  public static String requireId(String id) {
    return Ids.require("a key's id", PREFIX, id);
  }

  /**
   * This key with a newer secret; the newest one so far stays valid, and an older one is dropped.
   */
  public AccessKey rotated(String newSealedSecret) {
    return withSecrets(List.of(newSealedSecret, sealedSecrets.get(0)));
  }

  /** This key with its newest secret only: the end of a rotation. */
  public AccessKey settled() {
    return withSecrets(sealedSecrets.subList(0, 1));
  }

  /** This key, revoked. */
  public AccessKey revoked() {
    return new AccessKey(id, principal, sealedSecrets, createdMs, true);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "AccessKey[" + id + " of " + principal + (isRevoked ? ", revoked]" : "]");
  }

  private AccessKey withSecrets(List<String> secrets) {
    return new AccessKey(id, principal, secrets, createdMs, isRevoked);
  }
}
