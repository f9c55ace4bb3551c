package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import java.util.Objects;

/** Bytes could not be decoded; the message tells the error and its place. */
public class MalformedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** An error with the code {@link ErrorCode#INVALID_REQUEST}. */
  public MalformedException(String message) {
    this(ErrorCode.INVALID_REQUEST, message);
  }

  /** An error with another code. */
  public MalformedException(ErrorCode code, String message) {
    super(message);
    this.code = Objects.requireNonNull(code, "code");
  }

  /**
   * The code for the answer to the sender of the bytes: {@link ErrorCode#CORRUPT} for a wrong
   * checksum, {@link ErrorCode#ROW_TOO_LARGE} or {@link ErrorCode#BATCH_TOO_LARGE} for an exceeded
   * limit, {@link ErrorCode#INVALID_REQUEST} for other errors.
   */
  public ErrorCode code() {
    return code;
  }
}
