package io.tunnel.server.replica.shared;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.UsedNames;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import java.util.SortedMap;
import java.util.zip.CRC32C;

/**
 * The values of the records of a shared log; {@code docs/storage.md} draws them.
 *
 * <p>A value holds the columns that a change names as they stand in its batch, with the names that
 * they use and no others; behind those of an update, the whole row that it leaves. A row that is
 * deleted has no value. Rows of one shape get the same bytes of names, so that a reader can put
 * them into one batch again without looking at their columns.
 */
public final class RecordCodec {

  static final int FORMAT = 1;
  private static final int CRC_BYTES = 4;

  private final ByteSink sink = new ByteSink(1024);
  private final UsedNames names = new UsedNames();

  /** The value for a row of a validated batch that is a PUT. */
  public Bytes put(RowCursor row) {
    begin(ChangeKind.PUT);
    writeColumns(row);
    return end(row.batch().array(), row.keyOffset(), row.keyBytes());
  }

  /**
   * The value for a row of a validated batch that is an UPDATE.
   *
   * @param after type and value of each column that the row then has, by name
   */
  public Bytes update(RowCursor row, SortedMap<String, Bytes> after) {
    begin(ChangeKind.UPDATE);
    writeColumns(row);
    writeColumns(after);
    return end(row.batch().array(), row.keyOffset(), row.keyBytes());
  }

  /** The value for a whole row. */
  public Bytes row(Bytes key, SortedMap<String, Bytes> columns) {
    begin(ChangeKind.PUT);
    writeColumns(columns);
    byte[] array = key.toByteArray();
    return end(array, 0, array.length);
  }

  private void begin(ChangeKind kind) {
    sink.truncate(0);
    sink.writeByte(FORMAT);
    sink.writeByte(kind.code());
  }

  private Bytes end(byte[] key, int keyOffset, int keyBytes) {
    sink.writeInt(crc(key, keyOffset, keyBytes, sink.array(), sink.size()));
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** The key is part of it, so that a value is never taken for that of another row. */
  private static int crc(byte[] key, int keyOffset, int keyBytes, byte[] value, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(key, keyOffset, keyBytes);
    crc.update(value, 0, bytes);
    return (int) crc.getValue();
  }

  /** Whether two values have as many bytes and the same checksum, which is not computed again. */
  public static boolean isAlike(Bytes one, Bytes other) {
    int length = one.length();
    if (length != other.length() || length < CRC_BYTES) {
      return false;
    }
    for (int i = length - CRC_BYTES; i < length; i++) {
      if (one.at(i) != other.at(i)) {
        return false;
      }
    }
    return true;
  }

  private void writeColumns(SortedMap<String, Bytes> columns) {
    byte[] encoded = Dictionary.encode(columns.keySet().toArray(new String[0]));
    sink.writeVarint(columns.size());
    sink.writeVarint(encoded.length);
    sink.write(encoded, 0, encoded.length);
    int bytes = Binary.varintBytes(columns.size());
    int index = 0;
    for (Bytes value : columns.values()) {
      bytes += Binary.varintBytes(index++) + value.length();
    }
    sink.writeVarint(bytes);
    sink.writeVarint(columns.size());
    index = 0;
    for (Bytes value : columns.values()) {
      sink.writeVarint(index++);
      sink.write(value);
    }
  }

  private void writeColumns(RowCursor row) {
    names.look(row);
    names.writeNames(sink);
    sink.writeVarint(names.columnsBytes());
    names.writeColumns(sink);
  }

  /**
   * Reads a value.
   *
   * @throws MalformedException when the bytes are no value, or were written for a different key
   *     than {@code key}
   * @throws NewerFormatException when the bytes are a value of a newer build
   */
  public static RecordValue decode(Bytes key, Bytes value) {
    byte[] array = value.toByteArray();
    int limit = array.length - CRC_BYTES;
    if (limit < 2) {
      throw new MalformedException("a record's value of " + array.length + " bytes");
    }
    byte[] keyArray = key.toByteArray();
    if (crc(keyArray, 0, keyArray.length, array, limit) != Binary.getInt(array, limit)) {
      throw new MalformedException(
          ErrorCode.CORRUPT, "the checksum of the value of key " + key + " does not match");
    }
    if (array[0] != FORMAT) {
      throw new NewerFormatException("a record's value of format " + (array[0] & 0xff));
    }
    boolean isUpdate = array[1] == ChangeKind.UPDATE.code();
    if (!isUpdate && array[1] != ChangeKind.PUT.code()) {
      throw new NewerFormatException("a record's value of kind " + (array[1] & 0xff));
    }
    RecordValue.Part change = part(array, 2, limit);
    RecordValue.Part row = isUpdate ? part(array, change.columnsEnd(), limit) : change;
    if (row.columnsEnd() != limit) {
      throw new MalformedException((limit - row.columnsEnd()) + " bytes behind a record's value");
    }
    return new RecordValue(array, isUpdate, change, row);
  }

  private static RecordValue.Part part(byte[] array, int offset, int limit) {
    long names = Binary.getVarint(array, offset, limit);
    long namesBytes = Binary.getVarint(array, Binary.next(names), limit);
    int namesOffset = Binary.next(namesBytes);
    int namesEnd = end(namesOffset, Binary.value(namesBytes), limit);
    long columnsBytes = Binary.getVarint(array, namesEnd, limit);
    int columnsOffset = Binary.next(columnsBytes);
    int columnsEnd = end(columnsOffset, Binary.value(columnsBytes), limit);
    return new RecordValue.Part(
        Binary.value(names), namesOffset, namesEnd, columnsOffset, columnsEnd);
  }

  private static int end(int offset, int bytes, int limit) {
    if (bytes > limit - offset) {
      throw new MalformedException(
          bytes + " bytes in a record's value where " + (limit - offset) + " are left");
    }
    return offset + bytes;
  }
}
