package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;

/**
 * Asks for a sign of life: {@code u8} 1 when the answer repeats the bytes, 0 when the answer is
 * empty, and up to {@link #DATA_BYTES_MAX} bytes of any value.
 *
 * @param isRepeated whether the answer has the bytes
 * @param data the bytes
 */
public record EchoRequest(boolean isRepeated, Bytes data) {

  /** The most bytes of one request: an event loop copies them without making other clients wait. */
  public static final int DATA_BYTES_MAX = 64 * 1024;

  /** The most bytes of the payload. */
  static final int PAYLOAD_BYTES_MAX = 1 + DATA_BYTES_MAX;

  /** Refuses too many bytes. */
  public EchoRequest {
    if (data.length() > DATA_BYTES_MAX) {
      throw new IllegalArgumentException(
          "an echo of " + data.length() + " bytes; at most " + DATA_BYTES_MAX + " are allowed");
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(1 + data.length());
    sink.writeByte(isRepeated ? 1 : 0);
    sink.write(data);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static EchoRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("request to echo", payload);
    int form = reader.readByte();
    if (form > 1) {
      throw new MalformedException(
          "a request to echo of form " + form + ", not 0 (acknowledge) or 1 (repeat)");
    }
    return new EchoRequest(form == 1, reader.readRest(DATA_BYTES_MAX));
  }

  /** The payload of the answer. */
  public byte[] answer() {
    return isRepeated ? data.toByteArray() : new byte[0];
  }
}
