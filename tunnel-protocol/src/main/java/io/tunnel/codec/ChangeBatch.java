package io.tunnel.codec;

import static io.tunnel.codec.BatchLayout.HEADER_BYTES;

import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * A view of a batch of rows of one partition in its bytes; decodes on demand, without copies. The
 * bytes must not change while the view is used.
 *
 * <p>The row at index {@code i} has the position {@code basePosition() + i}.
 */
public final class ChangeBatch {

  /** Bytes of a batch's header, and so of the smallest batch. */
  public static final int HEADER_BYTES_MIN = HEADER_BYTES;

  private final byte[] array;
  private final int offset;
  private final int bytes;

  /** Where the dictionary ends: at the attributes, or at the end of the batch. */
  private int namesEnd;

  private String[] names;

  private ChangeBatch(byte[] array, int offset, int bytes) {
    this.array = array;
    this.offset = offset;
    this.bytes = bytes;
  }

  /**
   * The batch at {@code offset}. Verifies checksum and header, so that later calls cannot meet
   * bytes that changed on their way.
   *
   * @throws MalformedException when no complete and intact batch stands there before {@code limit}
   */
  public static ChangeBatch parse(byte[] array, int offset, int limit) {
    int bytes = sizeAt(array, offset, limit);
    if (bytes > limit - offset) {
      throw new MalformedException(
          "a batch of " + bytes + " bytes where " + (limit - offset) + " are left");
    }
    CRC32C crc = new CRC32C();
    crc.update(array, offset + BatchLayout.FORMAT, bytes - BatchLayout.FORMAT);
    int stored = Binary.getInt(array, offset + BatchLayout.CRC);
    if ((int) crc.getValue() != stored) {
      throw new MalformedException(
          ErrorCode.CORRUPT,
          String.format("a batch's checksum is %08x, its bytes give %08x", stored, crc.getValue()));
    }
    ChangeBatch batch = new ChangeBatch(array, offset, bytes);
    batch.requireHeader();
    return batch;
  }

  /**
   * Whether {@code batch}, from its first byte to its limit, is one complete batch whose checksum
   * matches.
   */
  public static boolean isIntact(ByteBuffer batch) {
    if (batch.limit() < HEADER_BYTES || batch.getInt(BatchLayout.LENGTH) != batch.limit() - 4) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(batch.slice(BatchLayout.FORMAT, batch.limit() - BatchLayout.FORMAT));
    return (int) crc.getValue() == batch.getInt(BatchLayout.CRC);
  }

  /**
   * Whether the {@link #HEADER_BYTES_MIN} bytes at {@code offset} could be the header of a batch.
   * Says nothing of the checksum, which only {@link #parse} verifies.
   */
  public static boolean isHeader(byte[] array, int offset) {
    int length = Binary.getInt(array, offset + BatchLayout.LENGTH);
    int attributes = Binary.getByte(array, offset + BatchLayout.ATTRIBUTES);
    int rowCount = Binary.getInt(array, offset + BatchLayout.ROW_COUNT);
    int rowsBytes = Binary.getInt(array, offset + BatchLayout.ROWS_BYTES);
    return length >= HEADER_BYTES - 4
        && length <= Limits.BATCH_BYTES_MAX - 4
        && Binary.getByte(array, offset + BatchLayout.FORMAT) == BatchLayout.FORMAT_1
        && (attributes & ~BatchLayout.ATTRIBUTES_KNOWN) == 0
        && rowCount >= 0
        && rowCount <= Limits.BATCH_ROWS_MAX
        && rowsBytes >= 0
        && rowsBytes <= length + 4 - HEADER_BYTES;
  }

  /**
   * The size of the batch at {@code offset}, read from its length field, which must be complete.
   */
  public static int sizeAt(byte[] array, int offset, int limit) {
    if (limit - offset < 4) {
      throw new MalformedException("a batch's length is cut off");
    }
    int length = Binary.getInt(array, offset);
    if (length < HEADER_BYTES - 4 || length > Limits.BATCH_BYTES_MAX - 4) {
      throw new MalformedException(
          length >= HEADER_BYTES ? ErrorCode.BATCH_TOO_LARGE : ErrorCode.INVALID_REQUEST,
          "a batch's length is "
              + length
              + ", not "
              + (HEADER_BYTES - 4)
              + " to "
              + (Limits.BATCH_BYTES_MAX - 4));
    }
    return length + 4;
  }

  private void requireHeader() {
    int format = Binary.getByte(array, offset + BatchLayout.FORMAT);
    int attributes = Binary.getByte(array, offset + BatchLayout.ATTRIBUTES);
    if (format != BatchLayout.FORMAT_1) {
      throw new NewerFormatException("a batch of format " + format);
    }
    int unknown = attributes & ~BatchLayout.ATTRIBUTES_KNOWN;
    if (unknown != 0) {
      throw new NewerFormatException("a batch with the attributes " + bits(unknown));
    }
    int rowsBytes = Binary.getInt(array, offset + BatchLayout.ROWS_BYTES);
    if (rowCount() < 0 || rowCount() > Limits.BATCH_ROWS_MAX) {
      throw new MalformedException(
          ErrorCode.BATCH_TOO_LARGE,
          "a batch of "
              + Integer.toUnsignedString(rowCount())
              + " rows; at most "
              + Limits.BATCH_ROWS_MAX
              + " are allowed");
    }
    if (rowsBytes < 0 || rowsBytes > bytes - HEADER_BYTES) {
      throw new MalformedException(
          "a batch of " + bytes + " bytes that says its rows have " + rowsBytes);
    }
    namesEnd = offset + bytes;
    if (attributes != 0) {
      namesEnd = Attributes.begin(Place.BATCH, array, dictionaryOffset(), offset + bytes);
      int attributesBytes = offset + bytes - namesEnd;
      if (attributesBytes > BatchLayout.ATTRIBUTES_BYTES_MAX) {
        throw new MalformedException(
            ErrorCode.BATCH_TOO_LARGE,
            "a batch has "
                + attributesBytes
                + " bytes of attributes; at most "
                + BatchLayout.ATTRIBUTES_BYTES_MAX
                + " are allowed");
      }
      Attributes.requireUnderstood(
          Place.BATCH, array, namesEnd, offset + bytes - Attributes.LENGTH_BYTES);
    }
  }

  /** Whether something is said of the complete batch. */
  public boolean hasAttributes() {
    return namesEnd < offset + bytes;
  }

  /** Whether all rows of the batch are applied together, or none: {@link FormatFeature#ATOMIC}. */
  public boolean isAtomic() {
    return attribute(FormatFeature.ATOMIC).isPresent();
  }

  /** The value of an attribute of the batch; empty when the batch does not have it. */
  public Optional<Bytes> attribute(FormatFeature feature) {
    return hasAttributes()
        ? Attributes.find(
            feature.number(), array, namesEnd, offset + bytes - Attributes.LENGTH_BYTES)
        : Optional.empty();
  }

  /** The list of {@link Attributes} of the batch; empty without attributes. */
  public Bytes attributes() {
    return hasAttributes()
        ? Bytes.copyOf(array, namesEnd, offset + bytes - Attributes.LENGTH_BYTES - namesEnd)
        : Bytes.EMPTY;
  }

  /** For people: "bit 0, bit 7". */
  private static String bits(int attributes) {
    return BitSet.valueOf(new long[] {attributes}).stream()
        .mapToObj(bit -> "bit " + bit)
        .collect(Collectors.joining(", "));
  }

  /** The partition whose rows these are. */
  public int partition() {
    return Binary.getInt(array, offset + BatchLayout.PARTITION);
  }

  /** The position of the first row. */
  public long basePosition() {
    return Binary.getLong(array, offset + BatchLayout.BASE_POSITION);
  }

  /** The position of the last row; {@link #basePosition} - 1 without rows. */
  public long lastPosition() {
    return basePosition() + rowCount() - 1;
  }

  /** When the rows were committed, in microseconds since 1970. */
  public long commitMicros() {
    return commitMicrosAt(array, offset);
  }

  /** The commit time in the unverified header at {@code offset}. */
  public static long commitMicrosAt(byte[] array, int offset) {
    return Binary.getLong(array, offset + BatchLayout.COMMIT_MICROS);
  }

  /** The commit time in the header of the batch at the start of {@code batch}. */
  public static long commitMicrosAt(ByteBuffer batch) {
    return batch.getLong(batch.position() + BatchLayout.COMMIT_MICROS);
  }

  /** How many rows. */
  public int rowCount() {
    return Binary.getInt(array, offset + BatchLayout.ROW_COUNT);
  }

  /** The offset of the batch in {@link #array}. */
  public int offset() {
    return offset;
  }

  /** The size of the batch in bytes. */
  public int byteCount() {
    return bytes;
  }

  /** The same batch in an array of its own. */
  public ChangeBatch copy() {
    ChangeBatch copy = new ChangeBatch(Arrays.copyOfRange(array, offset, offset + bytes), 0, bytes);
    copy.namesEnd = namesEnd - offset;
    copy.names = names;
    return copy;
  }

  /** The array with the batch, not a copy. */
  public byte[] array() {
    return array;
  }

  /** The offset of the first row. */
  public int rowsOffset() {
    return offset + HEADER_BYTES;
  }

  /** Bytes of its rows. */
  public int rowsBytes() {
    return Binary.getInt(array, offset + BatchLayout.ROWS_BYTES);
  }

  /** The offset of the dictionary, after the rows. */
  public int dictionaryOffset() {
    return rowsOffset() + rowsBytes();
  }

  /** Bytes of its dictionary. */
  public int dictionaryBytes() {
    return namesEnd - dictionaryOffset();
  }

  /** Names in its dictionary. */
  public int nameCount() {
    return Binary.getShort(array, offset + BatchLayout.NAME_COUNT);
  }

  /** The name at {@code index}. */
  public String name(int index) {
    String[] decoded = names();
    if (index >= decoded.length) {
      throw new MalformedException("column name " + index + " of " + decoded.length);
    }
    return decoded[index];
  }

  /** All names, not to be changed; decoded once. */
  String[] names() {
    String[] decoded = names;
    if (decoded == null) {
      // Two threads may both decode; they store equal arrays of immutable strings.
      decoded =
          Dictionary.decode(
              array, dictionaryOffset(), dictionaryOffset() + dictionaryBytes(), nameCount());
      names = decoded;
    }
    return decoded;
  }

  /** The index of a name in the dictionary; -1 when no row of the batch uses it. */
  public int nameIndex(String name) {
    int count = nameCount();
    for (int i = 0; i < count; i++) {
      if (name(i).equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** A cursor before the first row. */
  public RowCursor rows() {
    return new RowCursor(this);
  }

  @Override
  public String toString() {
    return rowCount()
        + " rows of partition "
        + partition()
        + " from position "
        + basePosition()
        + " in "
        + bytes
        + " bytes";
  }
}
