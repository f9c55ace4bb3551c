package io.tunnel.sdk.security;

/**
 * A profile, or a file of a client's security, cannot be used. The message says what is wrong and
 * what would be right, and shows no secret.
 */
public final class ProfileException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** With what is wrong and what would be right. */
  public ProfileException(String message) {
    super(message);
  }
}
