package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;

/**
 * A page of the rows whose encoded keys lie in {@code [from, to)}, in key order: {@code u32} table
 * id, {@code u8} direction, {@code u32} rows at most, {@code u32} bytes at most, then {@code from}
 * and {@code to}, each a varint length and its bytes; empty for no bound. A bound may be a part of
 * a key: the bytes are compared. {@link ReadFlags} follow unless they are 0.
 *
 * @param isStrict whether the answer must contain every write acknowledged before the request
 */
public record RangeRequest(
    int tableId,
    Direction direction,
    int rowsMax,
    int bytesMax,
    Bytes from,
    Bytes to,
    boolean isStrict) {

  /** A request that is not strict. */
  public RangeRequest(
      int tableId, Direction direction, int rowsMax, int bytesMax, Bytes from, Bytes to) {
    this(tableId, direction, rowsMax, bytesMax, from, to, false);
  }

  /** Refuses limits under 1. */
  public RangeRequest {
    if (rowsMax < 1 || bytesMax < 1) {
      throw new IllegalArgumentException(
          "a page has at least 1 row and 1 byte, not " + rowsMax + " and " + bytesMax);
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(32 + from.length() + to.length());
    sink.writeInt(tableId);
    sink.writeByte(direction.code());
    sink.writeInt(rowsMax);
    sink.writeInt(bytesMax);
    sink.writeVarint(from.length());
    sink.write(from);
    sink.writeVarint(to.length());
    sink.write(to);
    ReadFlags.write(sink, isStrict);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static RangeRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("range request", payload);
    int tableId = reader.readInt();
    int direction = reader.readByte();
    int rowsMax = reader.readInt();
    int bytesMax = reader.readInt();
    Bytes from = reader.readSized();
    Bytes to = reader.readSized();
    boolean isStrict = ReadFlags.readStrict(reader);
    reader.requireEnd();
    if (direction > Direction.BACKWARD.code() || rowsMax < 1 || bytesMax < 1) {
      throw new MalformedException(
          "a range request of direction "
              + direction
              + " for "
              + rowsMax
              + " rows of "
              + bytesMax
              + " bytes");
    }
    return new RangeRequest(
        tableId,
        direction == Direction.FORWARD.code() ? Direction.FORWARD : Direction.BACKWARD,
        rowsMax,
        bytesMax,
        from,
        to,
        isStrict);
  }
}
