package io.tunnel.wire;

import io.tunnel.model.ErrorCode;

/**
 * Bytes that cannot be a frame. The bytes after them have no meaning: the peer gets the error, and
 * the connection is closed.
 */
public final class FrameException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** An error with the code for the peer. */
  public FrameException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  /** {@link ErrorCode#FRAME_TOO_LARGE} or {@link ErrorCode#INVALID_REQUEST}. */
  public ErrorCode code() {
    return code;
  }
}
