package io.tunnel.sdk.security;

/**
 * A profile, or a file of a client's security, cannot be used. The message names the error and the
 * remedy, and shows no secret.
 */
public final class ProfileException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** With the error and the remedy as message. */
  public ProfileException(String message) {
    super(message);
  }
}
