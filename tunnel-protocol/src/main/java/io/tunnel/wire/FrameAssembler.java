package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Assembles frames from the bytes of one connection, however the bytes are cut. A payload is copied
 * once, from the receive buffer to the frame's array. The array grows with the received bytes, so
 * that a length field alone cannot cause a large allocation: a new connection gets {@value
 * #TRUSTED_BYTES} bytes on trust. After a longer complete payload, the connection is trusted with
 * its length, up to {@value #TRUSTED_BYTES_MAX}: so a writer's batches, which have similar sizes,
 * are not copied while they arrive. Not thread-safe.
 */
public final class FrameAssembler {

  static final int TRUSTED_BYTES = 256 * 1024;
  static final int TRUSTED_BYTES_MAX = 1024 * 1024;

  /** Why a client cannot talk with a server that answers in HTTP. */
  public static final String HTTP_ANSWER =
      "it answers in HTTP: this is the port of /health and /metrics, and clients have another (7650"
          + " unless --port says otherwise)";

  /** The first bytes of an HTTP answer. */
  private static final int HTTP = 0x48545450;

  private int frameBytesMax;
  private final byte[] header = new byte[Frame.HEADER_BYTES];
  private int headerBytes;
  private byte[] payload;
  private int payloadBytes;
  private int payloadLength;

  /** The longest payload so far, but TRUSTED_BYTES <= trustedBytes <= TRUSTED_BYTES_MAX. */
  private int trustedBytes = TRUSTED_BYTES;

  /** An assembler that accepts frames up to {@link Limits#FRAME_BYTES_MAX}. */
  public FrameAssembler() {
    this(Limits.FRAME_BYTES_MAX);
  }

  /**
   * An assembler that accepts up to {@code frameBytesMax} bytes after a length field; at least the
   * bytes of an empty frame, at most {@link Limits#FRAME_BYTES_MAX}.
   */
  public FrameAssembler(int frameBytesMax) {
    requireLimit(frameBytesMax);
    this.frameBytesMax = frameBytesMax;
  }

  /** Changes the limit from the next frame on, within the bounds of the constructor. */
  public void limit(int newFrameBytesMax) {
    requireLimit(newFrameBytesMax);
    frameBytesMax = newFrameBytesMax;
  }

  private static void requireLimit(int frameBytesMax) {
    if (frameBytesMax < Frame.COUNTED_HEADER_BYTES || frameBytesMax > Limits.FRAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "frameBytesMax is "
              + Frame.COUNTED_HEADER_BYTES
              + " to "
              + Limits.FRAME_BYTES_MAX
              + ", not "
              + frameBytesMax);
    }
  }

  /** Whether the last frame is incomplete. */
  public boolean isMidFrame() {
    return headerBytes > 0;
  }

  /** Bytes of memory of the incomplete frame. */
  public int heldBytes() {
    return payload == null ? 0 : payload.length;
  }

  /**
   * Takes all bytes of {@code in} and passes on every complete frame, in order.
   *
   * @throws FrameException when the bytes cannot be a frame; the assembler must not be used any
   *     more
   */
  public void feed(ByteBuffer in, Consumer<Frame> frames) {
    while (in.hasRemaining() || isWhole()) {
      if (headerBytes < Frame.HEADER_BYTES) {
        readHeader(in);
      } else if (payloadBytes < payloadLength) {
        readPayload(in);
      } else {
        headerBytes = 0;
        byte[] done = payload;
        payload = null;
        trustedBytes = Math.min(TRUSTED_BYTES_MAX, Math.max(trustedBytes, done.length));
        frames.accept(
            new Frame(
                Binary.getByte(header, 4),
                Frame.kindOf(Binary.getByte(header, 5)),
                Binary.getInt(header, 8),
                done));
      }
    }
  }

  private boolean isWhole() {
    return headerBytes == Frame.HEADER_BYTES && payloadBytes == payloadLength;
  }

  private void readHeader(ByteBuffer in) {
    int count = Math.min(in.remaining(), Frame.HEADER_BYTES - headerBytes);
    in.get(header, headerBytes, count);
    headerBytes += count;
    if (headerBytes < Frame.HEADER_BYTES) {
      if (headerBytes >= 4) {
        requireLength();
      }
      return;
    }
    requireLength();
    if (Frame.kindOf(Binary.getByte(header, 5)) == null || Binary.getShort(header, 6) != 0) {
      throw new FrameException(
          ErrorCode.INVALID_REQUEST,
          "a frame of kind "
              + Binary.getByte(header, 5)
              + " with reserved bits "
              + Binary.getShort(header, 6)
              + ", not of kind 0 to 3 with 0: this is not the tunnel protocol");
    }
    payloadLength = Binary.getInt(header, 0) - Frame.COUNTED_HEADER_BYTES;
    payloadBytes = 0;
    payload = new byte[Math.min(payloadLength, trustedBytes)];
  }

  private void requireLength() {
    int length = Binary.getInt(header, 0);
    if (length == HTTP) {
      throw new FrameException(ErrorCode.FRAME_TOO_LARGE, HTTP_ANSWER);
    }
    if (length < Frame.COUNTED_HEADER_BYTES) {
      throw new FrameException(
          length < 0 ? ErrorCode.FRAME_TOO_LARGE : ErrorCode.INVALID_REQUEST,
          "a frame of "
              + Integer.toUnsignedString(length)
              + " bytes, not "
              + Frame.COUNTED_HEADER_BYTES
              + " to "
              + frameBytesMax);
    }
    if (length > frameBytesMax) {
      throw new FrameException(
          ErrorCode.FRAME_TOO_LARGE,
          "a frame of " + length + " bytes; at most " + frameBytesMax + " are accepted");
    }
  }

  private void readPayload(ByteBuffer in) {
    if (payloadBytes == payload.length) {
      payload = Arrays.copyOf(payload, Math.min(payloadLength, payload.length * 4));
    }
    int count = Math.min(in.remaining(), payload.length - payloadBytes);
    in.get(payload, payloadBytes, count);
    payloadBytes += count;
  }
}
