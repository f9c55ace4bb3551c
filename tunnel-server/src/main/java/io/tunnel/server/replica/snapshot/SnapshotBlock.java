package io.tunnel.server.replica.snapshot;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.KeyRange;
import java.io.IOException;
import java.util.Arrays;

/**
 * A block of a snapshot: entries of a partition in the order of ranges and keys, which rises from
 * block to block. Blocks are cut by bytes: a block has about {@value #BYTES_MAX} bytes, or one
 * entry that is larger.
 *
 * <pre>
 *   u8 form (1) | u8 1 for the last block, else 0 | i64 id of the snapshot | u32 number of the block
 *   | u32 number of entries | entries
 *   | only in the last block: i64 rows | i64 entries of all blocks
 *   | attributes | u32 bytes of the attributes | u32 crc32c of everything before
 *
 *   entry: u8 range | varint bytes of the key | key | varint bytes of the value | value
 * </pre>
 *
 * <p>A key is without the number of its partition, since a restored partition has another one.
 * Values have the bytes of the store. They say their own form where it may change, and a directory
 * must be readable by later builds anyway, so a second form of each value would only be one more
 * thing to keep. Every form ends with the checksum of everything before, so a flipped bit is never
 * taken for a newer form.
 */
final class SnapshotBlock {

  /** Bytes after which a block ends. */
  static final int BYTES_MAX = 1 << 20;

  private static final byte FORM = 1;
  private static final int HEADER_BYTES = 2 + Long.BYTES + 2 * Integer.BYTES;
  private static final int COUNTS_BYTES = 2 * Long.BYTES;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int ENTRIES_OFFSET = HEADER_BYTES - Integer.BYTES;

  private final byte[] array;
  private final int entriesEnd;

  private SnapshotBlock(byte[] array, int entriesEnd) {
    this.array = array;
    this.entriesEnd = entriesEnd;
  }

  /** A block that is made. */
  static final class Open {
    private final int bytesMax;
    private final ByteSink sink;
    private int entries;
    private int rows;

    Open(long id, int number) {
      this(id, number, BYTES_MAX);
    }

    /** A block with a limit in bytes; one entry alone may be larger. */
    Open(long id, int number, int bytesMax) {
      this.bytesMax = bytesMax;
      this.sink = new ByteSink(bytesMax);
      sink.writeByte(FORM);
      sink.writeByte(0);
      sink.writeLong(id);
      sink.writeInt(number);
      sink.writeInt(0);
    }

    /** Adds an entry; false when the block has entries and would become too large. */
    boolean add(KeyRange range, byte[] key, int keyOffset, byte[] value) {
      int keyBytes = key.length - keyOffset;
      if (entries > 0 && (long) sink.size() + keyBytes + value.length > bytesMax) {
        return false;
      }
      sink.writeByte(range.number());
      sink.writeVarint(keyBytes);
      sink.write(key, keyOffset, keyBytes);
      sink.writeVarint(value.length);
      sink.write(value, 0, value.length);
      entries++;
      if (range == KeyRange.ROW) {
        rows++;
      }
      return true;
    }

    int bytes() {
      return sink.size();
    }

    int rows() {
      return rows;
    }

    int entries() {
      return entries;
    }

    /** The bytes of a block that is not the last one. */
    Bytes end() {
      Binary.putInt(sink.array(), ENTRIES_OFFSET, entries);
      sink.writeInt(0);
      sink.writeInt(Checksum.crc32c(sink.array(), 0, sink.size()));
      return Bytes.copyOf(sink.array(), 0, sink.size());
    }

    /** The bytes of the last block; the counts include the block's own rows and entries. */
    Bytes endAsLast(long allRows, long allEntries) {
      sink.array()[1] = 1;
      sink.writeLong(allRows);
      sink.writeLong(allEntries);
      return end();
    }
  }

  /**
   * The block with these bytes, whose header and length are right; {@link #forEach} checks the
   * entries.
   *
   * @throws NewerFormatException for a form or an odd attribute that this build does not know
   * @throws MalformedException for bytes that no build writes
   */
  static SnapshotBlock decode(byte[] bytes) {
    if (bytes.length < CHECKSUM_BYTES + 1) {
      throw new MalformedException("a block of " + bytes.length + " bytes");
    }
    int end = bytes.length - CHECKSUM_BYTES;
    if (Checksum.crc32c(bytes, 0, end) != Binary.getInt(bytes, end)) {
      throw new MalformedException("the checksum does not match the block's bytes");
    }
    if (bytes[0] != FORM) {
      throw new NewerFormatException("a block of a snapshot of form " + (bytes[0] & 0xff));
    }
    int isLast = bytes[1] & 0xff;
    int behind = (isLast == 1 ? COUNTS_BYTES : 0) + Attributes.LENGTH_BYTES;
    if (isLast > 1 || end < HEADER_BYTES + behind) {
      throw new MalformedException("a block of " + bytes.length + " bytes, last: " + isLast);
    }
    int attributeBytes = Binary.getInt(bytes, end - Attributes.LENGTH_BYTES);
    if (attributeBytes < 0 || attributeBytes > end - HEADER_BYTES - behind) {
      throw new MalformedException("attributes of a block of " + attributeBytes + " bytes");
    }
    int attributes = end - Attributes.LENGTH_BYTES - attributeBytes;
    Attributes.requireUnderstood(
        Place.SNAPSHOT_BLOCK, bytes, attributes, end - Attributes.LENGTH_BYTES);
    SnapshotBlock block =
        new SnapshotBlock(bytes, isLast == 1 ? attributes - COUNTS_BYTES : attributes);
    if (block.id() < 1 || block.number() < 0 || block.entries() < 0) {
      throw new MalformedException(
          "block " + block.number() + " of snapshot " + block.id() + " with " + block.entries());
    }
    return block;
  }

  long id() {
    return Binary.getLong(array, 2);
  }

  int number() {
    return Binary.getInt(array, 2 + Long.BYTES);
  }

  int entries() {
    return Binary.getInt(array, ENTRIES_OFFSET);
  }

  boolean isLast() {
    return array[1] == 1;
  }

  /** Rows of all blocks; of the last block alone. */
  long allRows() {
    return Binary.getLong(array, entriesEnd);
  }

  /** Entries of all blocks; of the last block alone. */
  long allEntries() {
    return Binary.getLong(array, entriesEnd + Long.BYTES);
  }

  int checksum() {
    return Binary.getInt(array, array.length - CHECKSUM_BYTES);
  }

  int bytes() {
    return array.length;
  }

  /** Is given the entries of a block. */
  @FunctionalInterface
  interface Visitor {
    /** An entry, whose key and value are in {@code array}. */
    void entry(
        KeyRange range, byte[] array, int keyOffset, int keyBytes, int valueOffset, int valueBytes)
        throws IOException;
  }

  /**
   * Visits the entries.
   *
   * @throws MalformedException for bytes that no build writes; some entries were visited then
   */
  void forEach(Visitor visitor) throws IOException {
    int at = HEADER_BYTES;
    for (int left = entries(); left > 0; left--) {
      if (at >= entriesEnd) {
        throw new MalformedException(left + " entries are missing");
      }
      KeyRange range = KeyRange.of(array[at] & 0xff);
      long key = Binary.getVarint(array, at + 1, entriesEnd);
      int keyEnd = end(key);
      long value = Binary.getVarint(array, keyEnd, entriesEnd);
      at = end(value);
      range.requireEntry(Binary.value(key), Binary.value(value));
      visitor.entry(
          range,
          array,
          Binary.next(key),
          Binary.value(key),
          Binary.next(value),
          Binary.value(value));
    }
    if (at != entriesEnd) {
      throw new MalformedException((entriesEnd - at) + " bytes after the last entry");
    }
  }

  private int end(long length) {
    int bytes = Binary.value(length);
    if (bytes < 0 || bytes > entriesEnd - Binary.next(length)) {
      throw new MalformedException(
          bytes + " bytes where " + (entriesEnd - Binary.next(length)) + " are left");
    }
    return Binary.next(length) + bytes;
  }

  /** Orders the keys of two entries of one range. */
  static int order(byte[] one, int oneFrom, int oneBytes, byte[] two, int twoFrom, int twoBytes) {
    return Arrays.compareUnsigned(
        one, oneFrom, oneFrom + oneBytes, two, twoFrom, twoFrom + twoBytes);
  }
}
