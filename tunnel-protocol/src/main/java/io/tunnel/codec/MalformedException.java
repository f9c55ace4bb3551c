package io.tunnel.codec;

/** Bytes that are not what they should be: says what was found where. */
public final class MalformedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** An error about bytes. */
  public MalformedException(String message) {
    super(message);
  }
}
