package io.tunnel.sdk.security;

import java.util.Objects;

/**
 * A key that authenticates a client. An administrator creates the key; client and server both know
 * the secret, and neither sends it.
 *
 * @param id the public name of the key; 1 to {@value #ID_LENGTH_MAX} visible characters of ASCII
 * @param secret {@value #SECRET_BYTES_MIN} to {@value Secret#BYTES_MAX} bytes
 */
public record AccessKey(String id, Secret secret) {

  /** The most characters of an id. */
  public static final int ID_LENGTH_MAX = 255;

  /** The fewest bytes of a secret: fewer could be guessed. */
  public static final int SECRET_BYTES_MIN = 16;

  private static final int DELETE = 0x7F;

  /** Refuses null, a malformed id, and a secret that is too short. */
  public AccessKey {
    Objects.requireNonNull(secret, "secret");
    boolean isVisible = id.chars().allMatch(c -> c > ' ' && c < DELETE);
    if (id.isEmpty() || id.length() > ID_LENGTH_MAX || !isVisible) {
      throw new IllegalArgumentException(
          "the id of a key has 1 to " + ID_LENGTH_MAX + " visible characters of ASCII");
    }
    if (secret.size() < SECRET_BYTES_MIN) {
      throw new IllegalArgumentException(
          "the secret of a key has "
              + SECRET_BYTES_MIN
              + " to "
              + Secret.BYTES_MAX
              + " bytes, not "
              + secret.size());
    }
  }
}
