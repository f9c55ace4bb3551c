package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import java.util.Objects;

/** Bytes that are not what they should be: says what was found where. */
public final class MalformedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** An error about bytes that are not what was expected. */
  public MalformedException(String message) {
    this(ErrorCode.INVALID_REQUEST, message);
  }

  /** An error with a code of its own. */
  public MalformedException(ErrorCode code, String message) {
    super(message);
    this.code = Objects.requireNonNull(code, "code");
  }

  /**
   * The code with which the sender of the bytes is answered: {@link ErrorCode#CORRUPT} for a wrong
   * checksum, {@link ErrorCode#ROW_TOO_LARGE} or {@link ErrorCode#BATCH_TOO_LARGE} for what is over
   * a limit, {@link ErrorCode#INVALID_REQUEST} for all else.
   */
  public ErrorCode code() {
    return code;
  }
}
