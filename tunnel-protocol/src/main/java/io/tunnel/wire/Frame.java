package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.model.Limits;

/**
 * One frame: a header of {@value #HEADER_BYTES} bytes and a payload.
 *
 * <p>Header: {@code u32} length of the bytes after this field, {@code u8} operation, {@code u8}
 * kind, {@code u16} zero, {@code u32} correlation id. A frame keeps the number of the operation, so
 * that a refusal can name an unknown operation.
 */
public final class Frame {

  /** Bytes of a header, length field included. */
  public static final int HEADER_BYTES = 12;

  /** Bytes of a header that the length field counts. */
  static final int COUNTED_HEADER_BYTES = 8;

  /** Bytes of the longest payload that peers accept. */
  public static final int PAYLOAD_BYTES_MAX = Limits.FRAME_BYTES_MAX - COUNTED_HEADER_BYTES;

  private static final FrameKind[] KINDS = FrameKind.values();

  private final int operationCode;
  private final FrameKind kind;
  private final int correlationId;
  private final byte[] payload;

  /** A frame that owns {@code payload}, which must not change any more. */
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

  /** The operation, or null for an unknown number. */
  public Operation operation() {
    return Operation.of(operationCode);
  }

  /** Whether this is a request, an answer, an error or a push. */
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
