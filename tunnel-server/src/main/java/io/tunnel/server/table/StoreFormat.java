package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import java.util.Arrays;

/**
 * Keys of the store. A row: {@code u32} partition id, then the row's encoded key. Partition 0 is
 * never given out; its keys are the store's own: kind 1 is the folded log offset, kind 3 with a
 * {@code u32} partition is the state of a replica, kind 4 with a {@code u32} partition is what the
 * partition's rows do not exceed, kind 5 with a {@code u32} partition and a {@code u32} id is a
 * dictionary of the partition, kind 6 is the origin of the catalog whose partitions these are, kind
 * 7 with a {@code u32} partition and a writer is the writer's last batch, and without a writer the
 * greatest writer that the partition has forgotten, kind 8 with a {@code u32} partition, a {@code
 * u64} time in microseconds and a row's encoded key says that the row may expire, and has no value,
 * kind 9 with a {@code u32} partition and a row's encoded key is the session that the row is bound
 * to, a {@code u64}.
 */
final class StoreFormat {

  static final int PARTITION_BYTES = 4;
  static final int SYSTEM_PARTITION = 0;
  static final byte FOLDED_KIND = 1;
  static final byte STATE_KIND = 3;
  static final byte BOUND_KIND = 4;
  static final byte DICTIONARY_KIND = 5;
  static final byte ORIGIN_KIND = 6;
  static final byte WRITER_KIND = 7;
  static final byte EXPIRY_KIND = 8;
  static final byte SESSION_KIND = 9;

  /** Where the time of an entry of the index of expiry stands in its key. */
  static final int EXPIRY_MICROS_OFFSET = 9;

  /** Where the row's key stands in it. */
  static final int EXPIRY_KEY_OFFSET = 17;

  private static final int DICTIONARY_ID_OFFSET = 9;

  /** The dictionary id of a value that carries its names itself. */
  static final int INLINE_DICTIONARY = 0;

  /** What a part of a value begins with: its form, one byte, and the commit time, seven. */
  static final int PART_HEADER_BYTES = 8;

  /** Bits of a part's header that hold the commit time. */
  static final long COMMIT_MICROS_MASK = (1L << 56) - 1;

  /** The bit of a part's form that says that sized attributes stand after the header. */
  static final int FORM_ATTRIBUTES = 0x01;

  private StoreFormat() {}

  /** The header of a part without attributes, committed at {@code commitMicros}. */
  static long partHeader(long commitMicros) {
    if ((commitMicros & ~COMMIT_MICROS_MASK) != 0) {
      throw new IllegalArgumentException("a row committed at " + commitMicros + " us");
    }
    return commitMicros;
  }

  static byte[] foldedKey() {
    return new byte[] {0, 0, 0, SYSTEM_PARTITION, FOLDED_KIND};
  }

  static byte[] lowerBound(int partition, Bytes from) {
    return rowKey(partition, from.toByteArray(), 0, from.length());
  }

  static byte[] upperBound(int partition, Bytes to) {
    return to.length() == 0
        ? partitionKey(partition + 1)
        : rowKey(partition, to.toByteArray(), 0, to.length());
  }

  static byte[] originKey() {
    return new byte[] {0, 0, 0, SYSTEM_PARTITION, ORIGIN_KIND};
  }

  static byte[] origin(int origin) {
    byte[] value = new byte[4];
    Binary.putInt(value, 0, origin);
    return value;
  }

  /** Whether a stored origin is that one. Rows of a new table, or that a crash took, have none. */
  static boolean isOrigin(byte[] stored, int origin) {
    return stored == null || Binary.getInt(stored, 0) == origin;
  }

  /** The folded offset of a table that has all changes before it and none after. */
  static byte[] folded(long offset) {
    byte[] value = new byte[8];
    Binary.putLong(value, 0, offset);
    return value;
  }

  /** The folded offset of a table that has some of the changes from there to {@code end}. */
  static byte[] underWay(long offset, long end) {
    byte[] value = new byte[16];
    Binary.putLong(value, 0, offset);
    Binary.putLong(value, 8, end);
    return value;
  }

  /** Whether a folded offset is that of a table that has changes after it. */
  static boolean isUnderWay(byte[] folded) {
    return folded.length > 8;
  }

  /** Of a dictionary of a partition. */
  static byte[] dictionaryKey(NameCache.Key dictionary) {
    byte[] key = Arrays.copyOf(dictionariesOf(dictionary.partition()), DICTIONARY_ID_OFFSET + 4);
    Binary.putInt(key, DICTIONARY_ID_OFFSET, dictionary.id());
    return key;
  }

  /** What the keys of the dictionaries of a partition begin with. */
  static byte[] dictionariesOf(int partition) {
    return systemKey(DICTIONARY_KIND, partition);
  }

  /** The partition whose dictionary has this key. */
  static int dictionaryPartition(byte[] dictionaryKey) {
    return Binary.getInt(dictionaryKey, PARTITION_BYTES + 1);
  }

  /** The id of the dictionary of a partition that has this key. */
  static int dictionaryId(byte[] dictionaryKey) {
    return Binary.getInt(dictionaryKey, DICTIONARY_ID_OFFSET);
  }

  /** What the keys of the index of expiry of a partition begin with. */
  static byte[] expiriesOf(int partition) {
    return systemKey(EXPIRY_KIND, partition);
  }

  /** Of an entry of the index of expiry. */
  static byte[] expiryKey(int partition, long micros, Bytes key) {
    byte[] entry = Arrays.copyOf(expiriesOf(partition), EXPIRY_KEY_OFFSET + key.length());
    Binary.putLong(entry, EXPIRY_MICROS_OFFSET, micros);
    key.copyInto(entry, EXPIRY_KEY_OFFSET);
    return entry;
  }

  /** Of the state of a replica. */
  static byte[] stateKey(int partition) {
    return systemKey(STATE_KIND, partition);
  }

  /** Of a partition's {@link RowBound}. */
  static byte[] boundKey(int partition) {
    return systemKey(BOUND_KIND, partition);
  }

  /** Of a writer: {@code u32} partition, and the writer. */
  static byte[] writerKey(Bytes writer) {
    byte[] key = new byte[PARTITION_BYTES + 1 + writer.length()];
    key[PARTITION_BYTES] = WRITER_KIND;
    writer.copyInto(key, PARTITION_BYTES + 1);
    return key;
  }

  /** Of a bound row: {@code u32} partition, and the row's key. */
  static byte[] sessionKey(Bytes row) {
    byte[] key = new byte[PARTITION_BYTES + 1 + row.length()];
    key[PARTITION_BYTES] = SESSION_KIND;
    row.copyInto(key, PARTITION_BYTES + 1);
    return key;
  }

  /** What the keys of the bound rows of a partition begin with. */
  static byte[] sessionsOf(int partition) {
    return systemKey(SESSION_KIND, partition);
  }

  /** What the keys of the writers of a partition begin with. */
  static byte[] writersOf(int partition) {
    return systemKey(WRITER_KIND, partition);
  }

  private static byte[] systemKey(byte kind, int number) {
    byte[] key = new byte[9];
    key[4] = kind;
    Binary.putInt(key, 5, number);
    return key;
  }

  /** The key of a row, or the bound of a range of rows. */
  static byte[] rowKey(int partition, byte[] array, int offset, int length) {
    byte[] key = new byte[PARTITION_BYTES + length];
    Binary.putInt(key, 0, partition);
    System.arraycopy(array, offset, key, PARTITION_BYTES, length);
    return key;
  }

  /** The encoded key of a row by its key in the store. */
  static Bytes key(byte[] rowKey) {
    return Bytes.copyOf(rowKey, PARTITION_BYTES, rowKey.length - PARTITION_BYTES);
  }

  /** The first key of a partition. */
  static byte[] partitionKey(int partition) {
    return rowKey(partition, new byte[0], 0, 0);
  }
}
