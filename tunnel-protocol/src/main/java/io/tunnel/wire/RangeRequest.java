package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;

/**
 * A page of the rows whose encoded keys lie in {@code [from, to)}, in key order: {@code u32} table
 * id, {@code u8} direction, {@code u32} rows at most, {@code u32} bytes at most, then {@code from}
 * and {@code to}, each a varint length and its bytes; empty for no bound. A bound may be a part of
 * a key: the bytes are compared. {@link ReadTerms} follow.
 *
 * @param rowsMax rows of the answer, 1 to {@link Limits#PAGE_ROWS_MAX}
 * @param bytesMax bytes of the answer, 1 to {@link Limits#PAGE_BYTES_MAX}; a single row may have
 *     more
 */
public record RangeRequest(
    int tableId,
    Direction direction,
    int rowsMax,
    int bytesMax,
    Bytes from,
    Bytes to,
    ReadTerms terms) {

  /** A request that is not strict, for complete rows. */
  public RangeRequest(
      int tableId, Direction direction, int rowsMax, int bytesMax, Bytes from, Bytes to) {
    this(tableId, direction, rowsMax, bytesMax, from, to, ReadTerms.BOUNDED);
  }

  /** Refuses limits that no page has, and a lowest key above the highest. */
  public RangeRequest {
    if (!isLimit(rowsMax, Limits.PAGE_ROWS_MAX) || !isLimit(bytesMax, Limits.PAGE_BYTES_MAX)) {
      throw new IllegalArgumentException(wrongLimits(rowsMax, bytesMax));
    }
    if (isReversed(from, to)) {
      throw new IllegalArgumentException(
          "a range from "
              + from
              + " to "
              + to
              + ": from is the lowest key and to the highest, in both directions");
    }
  }

  /** Whether a lowest key is above a highest key. Equal keys are an empty range. */
  public static boolean isReversed(Bytes from, Bytes to) {
    return to.length() > 0 && from.compareTo(to) > 0;
  }

  private static boolean isLimit(int limit, int max) {
    return limit >= 1 && limit <= max;
  }

  private static String wrongLimits(int rowsMax, int bytesMax) {
    return "a page of at most "
        + Integer.toUnsignedString(rowsMax)
        + " rows and "
        + Integer.toUnsignedString(bytesMax)
        + " bytes; ask for 1 to "
        + Limits.PAGE_ROWS_MAX
        + " rows and 1 to "
        + Limits.PAGE_BYTES_MAX
        + " bytes";
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(32 + from.length() + to.length() + terms.sizeHint());
    sink.writeInt(tableId);
    sink.writeByte(direction.code());
    sink.writeInt(rowsMax);
    sink.writeInt(bytesMax);
    sink.writeVarint(from.length());
    sink.write(from);
    sink.writeVarint(to.length());
    sink.write(to);
    terms.write(sink);
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
    ReadTerms terms = ReadTerms.read(reader);
    reader.requireEnd();
    if (direction > Direction.BACKWARD.code()) {
      throw new MalformedException(
          "a range request of direction " + direction + "; 0 is forward and 1 backward");
    }
    try {
      return new RangeRequest(
          tableId,
          direction == Direction.FORWARD.code() ? Direction.FORWARD : Direction.BACKWARD,
          rowsMax,
          bytesMax,
          from,
          to,
          terms);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }
}
