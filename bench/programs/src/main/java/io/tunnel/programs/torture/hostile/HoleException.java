package io.tunnel.programs.torture.hostile;

/** Somebody obtained what is not theirs, or was answered as nobody must be. */
public final class HoleException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Says what was obtained. */
  public HoleException(String message) {
    super(message);
  }
}
