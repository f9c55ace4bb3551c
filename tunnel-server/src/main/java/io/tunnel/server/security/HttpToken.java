package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;

/**
 * A token for the HTTP port. The server keeps only the hash of the token.
 *
 * @param id {@code th} and 16 of a-z 2-7
 * @param principal the owner
 * @param hash the token's hash, see {@link #hashOf}
 * @param createdMs creation time, in milliseconds since 1970
 * @param expiresMs expiry, in milliseconds since 1970, later than {@code createdMs}; empty without
 *     one
 */
public record HttpToken(
    String id, Principal principal, Bytes hash, long createdMs, Optional<Long> expiresMs) {

  /** Random bytes of an id. */
  public static final int ID_BYTES = Ids.RANDOM_BYTES;

  /** Random bytes of a token. */
  public static final int TOKEN_BYTES = 32;

  private static final String PREFIX = "th";
  private static final int HASH_BYTES = 32;

  /** Refuses invalid ids, hashes and expiries. */
  public HttpToken {
    requireId(id);
    Objects.requireNonNull(principal, "principal");
    Objects.requireNonNull(expiresMs, "expiresMs");
    if (hash.length() != HASH_BYTES) {
      throw new IllegalArgumentException(
          "the hash of a token has " + HASH_BYTES + " bytes, not " + hash.length());
    }
    if (expiresMs.isPresent() && expiresMs.get() <= createdMs) {
      throw new IllegalArgumentException(
          "a token that was made at " + createdMs + " ms cannot end at " + expiresMs.get());
    }
  }

  /** The id that {@value #ID_BYTES} random bytes make. */
  public static String idOf(Bytes random) {
    return Ids.of(PREFIX, random);
  }

  /**
   * Checks an id.
   *
   * @throws IllegalArgumentException when it is not the id of a token
   */
  public static String requireId(String id) {
    return Ids.require("a token's id", PREFIX, id);
  }

  /** The text of a token: base64 for URLs of {@value #TOKEN_BYTES} random bytes. */
  public static String textOf(Bytes token) {
    if (token.length() != TOKEN_BYTES) {
      throw new IllegalArgumentException(
          "a token has " + TOKEN_BYTES + " bytes, not " + token.length());
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token.toByteArray());
  }

  /** SHA-256 of a bearer's text, valid or not. */
  public static Bytes hashOf(String text) {
    return Bytes.copyOf(Ids.sha256(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Whether the token has expired. */
  public boolean isExpired(long nowMs) {
    return expiresMs.isPresent() && nowMs >= expiresMs.get();
  }
}
