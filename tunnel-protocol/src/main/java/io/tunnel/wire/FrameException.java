package io.tunnel.wire;

import io.tunnel.model.ErrorCode;

/**
 * Bytes that cannot be a frame. The stream behind them has no meaning any more: say why, then close
 * the connection.
 */
public final class FrameException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** Of bytes that are refused with that code. */
  public FrameException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  /** {@link ErrorCode#FRAME_TOO_LARGE} or {@link ErrorCode#INVALID_REQUEST}. */
  public ErrorCode code() {
    return code;
  }
}
