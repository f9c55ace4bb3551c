package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.model.Limits;

/**
 * One frame: a header of {@value #HEADER_BYTES} bytes and a payload.
 *
 * <p>Header: {@code u32} length of everything behind this field, {@code u8} operation, {@code u8}
 * kind, {@code u16} zero, {@code u32} correlation id. The operation is kept as its number, so that
 * a frame of an operation that this version does not know can still be refused by name.
 */
public final class Frame {

  /** Bytes of a header, length field included. */
  public static final int HEADER_BYTES = 12;

  /** Bytes of a header that the length field counts. */
  static final int COUNTED_HEADER_BYTES = 8;

  /** Bytes of the longest payload: no peer takes a longer one. */
  public static final int PAYLOAD_BYTES_MAX = Limits.FRAME_BYTES_MAX - COUNTED_HEADER_BYTES;

  private static final FrameKind[] KINDS = FrameKind.values();

  private final int operationCode;
  private final FrameKind kind;
  private final int correlationId;
  private final byte[] payload;

  /** A frame that owns {@code payload}: it must not be changed any more. */
  public Frame(int operationCode, FrameKind kind, int correlationId, byte[] payload) {
    this.operationCode = operationCode;
    this.kind = kind;
    this.correlationId = correlationId;
    this.payload = payload;
  }

  /** A frame of a known operation. */
  public Frame(Operation operation, FrameKind kind, int correlationId, byte[] payload) {
    this(operation.code(), kind, correlationId, payload);
  }

  /** The operation's number. */
  public int operationCode() {
    return operationCode;
  }

  /** The operation, or null when this version does not know it. */
  public Operation operation() {
    return Operation.of(operationCode);
  }

  /** What part of a conversation this is. */
  public FrameKind kind() {
    return kind;
  }

  /** Pairs a request with its answer. */
  public int correlationId() {
    return correlationId;
  }

  /** The payload: not a copy. */
  public byte[] payload() {
    return payload;
  }

  /**
   * Writes the header of a frame with {@code payloadBytes} bytes of payload to {@code offset} of
   * {@code array}.
   */
  public static void writeHeader(
      byte[] array,
      int offset,
      int operationCode,
      FrameKind kind,
      int correlationId,
      int payloadBytes) {
    Binary.putInt(array, offset, COUNTED_HEADER_BYTES + payloadBytes);
    array[offset + 4] = (byte) operationCode;
    array[offset + 5] = (byte) kind.code();
    Binary.putShort(array, offset + 6, 0);
    Binary.putInt(array, offset + 8, correlationId);
  }

  /** The header of this frame. */
  public byte[] header() {
    byte[] header = new byte[HEADER_BYTES];
    writeHeader(header, 0, operationCode, kind, correlationId, payload.length);
    return header;
  }

  static FrameKind kindOf(int code) {
    return code < KINDS.length ? KINDS[code] : null;
  }
}
