package io.tunnel.sdk.security;

import java.util.Objects;

/**
 * By which a client says who it is: an administrator has made it, and the server knows its secret,
 * which is sent by neither.
 *
 * @param id its public name; 1 to {@value #ID_LENGTH_MAX} visible characters of ASCII
 * @param secret {@value #SECRET_BYTES_MIN} to {@value Secret#BYTES_MAX} bytes
 */
public record AccessKey(String id, Secret secret) {

  /** Characters that an id may have. */
  public static final int ID_LENGTH_MAX = 255;

  /** Fewer could be guessed. */
  public static final int SECRET_BYTES_MIN = 16;

  private static final int DELETE = 0x7F;

  /** Refuses null, an id that is none and a secret that is too short. */
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
