package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** Why a request was refused: {@code u16} code, then the message in UTF-8 up to the end. */
public record ErrorPayload(ErrorCode code, String message) {

  private static final int MESSAGE_BYTES_MAX = 4_096;

  /** Refuses null. */
  public ErrorPayload {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(message, "message");
  }

  /** The bytes; a message is cut after {@value #MESSAGE_BYTES_MAX}. */
  public byte[] encode() {
    byte[] text = Utf8.encodeStart(message, MESSAGE_BYTES_MAX);
    byte[] payload = new byte[2 + text.length];
    Binary.putShort(payload, 0, code.code());
    System.arraycopy(text, 0, payload, 2, text.length);
    return payload;
  }

  /** Reads {@link #encode}'s bytes. */
  public static ErrorPayload decode(byte[] payload) {
    if (payload.length < 2) {
      throw new MalformedException("an error of " + payload.length + " bytes");
    }
    byte[] text = Arrays.copyOfRange(payload, 2, payload.length);
    return new ErrorPayload(
        ErrorCode.of(Binary.getShort(payload, 0)), new String(text, StandardCharsets.UTF_8));
  }

  /** The error as the exception that callers see. */
  public RefusedException toException() {
    return new RefusedException(code, message);
  }
}
