package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import java.util.List;

/**
 * Encodes primary keys into bytes whose unsigned lexicographic order is the order of the keys. So
 * the wire, the log and the store use the encoded key, and comparisons never decode.
 *
 * <p>A column is a tag and its value: INTEGER is 8 bytes with the sign bit flipped; STRING and
 * BINARY are their bytes with 0x00 written as 0x00 0xFF, closed by 0x00. The escape follows
 * FoundationDB's tuple layer: no tag is 0xFF, so a closing 0x00 can't be mistaken for an escape,
 * and a shorter text sorts before its extensions.
 */
public final class KeyCodec {

  static final int INTEGER_TAG = 0x03;
  static final int STRING_TAG = 0x05;
  static final int BINARY_TAG = 0x07;
  static final int ESCAPED = 0xff;

  /** Stands in the key of a PUT where the server is to choose the number. */
  private static final PrimaryKeyValue NOT_NUMBERED = PrimaryKeyValue.fromLong(0);

  private static final long HASH_SEED = 0x9e3779b97f4a7c15L;

  private KeyCodec() {}

  /** The bytes of {@code key}, whose columns must match {@code schema} in order, name and type. */
  public static Bytes encode(PrimaryKey key, List<PrimaryKeySchema> schema) {
    ByteSink sink = new ByteSink(64);
    write(sink, key, schema);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** Writes {@code key}, whose columns must match {@code schema} in order, name and type. */
  public static void write(ByteSink sink, PrimaryKey key, List<PrimaryKeySchema> schema) {
    requireMatch(key, schema);
    List<PrimaryKeyColumn> columns = key.getPrimaryKeyColumns();
    for (int i = 0; i < columns.size(); i++) {
      write(sink, columns.get(i).getValue());
    }
  }

  /** As {@link #write}, with the number 0 where the server is to choose one. */
  static void writeToNumber(ByteSink sink, PrimaryKey key, List<PrimaryKeySchema> schema) {
    requireMatch(key, schema);
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      write(sink, column.getValue().isAuto() ? NOT_NUMBERED : column.getValue());
    }
  }

  /**
   * Where the 8 bytes of the INTEGER column at a place of a key are, which was checked before.
   *
   * @param place as {@link PrimaryKeySchema#autoPlace} says
   */
  static int numberOffset(
      byte[] array, int offset, int length, List<PrimaryKeySchema> schema, int place) {
    int at = offset;
    for (int i = 0; i < place; i++) {
      at = skipColumn(array, at, offset + length, schema.get(i).type());
    }
    return at + 1;
  }

  /** The number at an offset of {@link #numberOffset}. */
  static long number(byte[] array, int offset) {
    return Binary.getLong(array, offset) ^ Long.MIN_VALUE;
  }

  /** Puts a number at an offset of {@link #numberOffset}. */
  static void putNumber(byte[] array, int offset, long number) {
    Binary.putLong(array, offset, number ^ Long.MIN_VALUE);
  }

  private static void requireMatch(PrimaryKey key, List<PrimaryKeySchema> schema) {
    List<PrimaryKeyColumn> columns = key.getPrimaryKeyColumns();
    boolean matches = columns.size() == schema.size();
    for (int i = 0; matches && i < columns.size(); i++) {
      PrimaryKeyColumn column = columns.get(i);
      matches =
          column.getValue().getType() == schema.get(i).type()
              && column.getName().equals(schema.get(i).name());
    }
    if (!matches) {
      throw new IllegalArgumentException(
          "key " + key + " does not match the table's " + describe(schema));
    }
  }

  /** The bytes of one key column. */
  public static Bytes encode(PrimaryKeyValue value) {
    ByteSink sink = new ByteSink(32);
    write(sink, value);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /** Writes one key column. */
  public static void write(ByteSink sink, PrimaryKeyValue column) {
    if (column.isAuto()) {
      throw new IllegalArgumentException(
          "the key has AUTO where the row must be named; give the number that the result of the"
              + " row's PUT has");
    }
    ColumnValue value = column.toColumnValue();
    if (value instanceof IntegerValue integer) {
      sink.writeByte(INTEGER_TAG);
      sink.writeLong(integer.value() ^ Long.MIN_VALUE);
    } else if (value instanceof StringValue string) {
      sink.writeByte(STRING_TAG);
      byte[] text = Utf8.encode(string.value());
      requireColumnBytes(text.length);
      sink.write(text, 0, text.length);
      closeEscaped(sink, text.length);
    } else if (value instanceof BinaryValue binary) {
      sink.writeByte(BINARY_TAG);
      requireColumnBytes(binary.value().length());
      sink.write(binary.value());
      closeEscaped(sink, binary.value().length());
    }
  }

  private static void requireColumnBytes(int bytes) {
    if (bytes > Limits.KEY_COLUMN_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a primary-key column has at most "
              + Limits.KEY_COLUMN_BYTES_MAX
              + " bytes, not "
              + bytes);
    }
  }

  /** Escapes the few zeros among the last {@code bytes} bytes, and closes the column. */
  private static void closeEscaped(ByteSink sink, int bytes) {
    int from = sink.size() - bytes;
    if (Binary.indexOf((byte) 0, sink.array(), from, sink.size()) >= 0) {
      escape(sink, from);
    }
    sink.writeByte(0);
  }

  private static void escape(ByteSink sink, int from) {
    int read = sink.size();
    int zeros = 0;
    for (int at = from; at < read; at++) {
      zeros += sink.array()[at] == 0 ? 1 : 0;
    }
    int write = sink.skip(zeros) + zeros;
    byte[] array = sink.array();
    // From the last byte to the first, so that no byte is overwritten before it has moved.
    while (write > read) {
      byte b = array[--read];
      if (b == 0) {
        array[--write] = (byte) ESCAPED;
      }
      array[--write] = b;
    }
  }

  /**
   * The offset after the key column that starts at {@code offset}; throws {@link
   * MalformedException} unless a complete, valid column of {@code type} stands there before {@code
   * limit}.
   */
  public static int skipColumn(byte[] array, int offset, int limit, PrimaryKeyType type) {
    if (offset >= limit) {
      throw new MalformedException("a key ends where a column of type " + type + " should be");
    }
    int tag = array[offset];
    if (tag != tag(type)) {
      throw new MalformedException(
          "key column of type " + typeName(tag) + " where the table has " + type);
    }
    if (tag == INTEGER_TAG) {
      if (limit - offset < 9) {
        throw new MalformedException("an INTEGER key column runs over the key's end");
      }
      return offset + 9;
    }
    int end = closingZero(array, offset + 1, limit);
    int escapes = escapes(array, offset + 1, end);
    if (end - offset - 1 - escapes > Limits.KEY_COLUMN_BYTES_MAX) {
      throw new MalformedException(
          ErrorCode.ROW_TOO_LARGE,
          "a key column is over " + Limits.KEY_COLUMN_BYTES_MAX + " bytes");
    }
    if (tag == STRING_TAG) {
      requireText(array, offset + 1, end, escapes);
    }
    return end + 1;
  }

  static int closingZero(byte[] array, int from, int limit) {
    int at = Binary.indexOf((byte) 0, array, from, limit);
    while (at >= 0 && at + 1 < limit && (array[at + 1] & 0xff) == ESCAPED) {
      at = Binary.indexOf((byte) 0, array, at + 2, limit);
    }
    if (at < 0) {
      throw new MalformedException("a key column is not closed");
    }
    return at;
  }

  static int escapes(byte[] array, int from, int end) {
    int escapes = 0;
    int at = Binary.indexOf((byte) 0, array, from, end);
    while (at >= 0) {
      escapes++;
      at = Binary.indexOf((byte) 0, array, at + 2, end);
    }
    return escapes;
  }

  private static void requireText(byte[] array, int from, int end, int escapes) {
    if (escapes == 0) {
      Utf8.require(array, from, end - from);
    } else {
      byte[] plain = unescape(array, from, end, escapes);
      Utf8.require(plain, 0, plain.length);
    }
  }

  private static byte[] unescape(byte[] array, int from, int end, int escapes) {
    byte[] plain = new byte[end - from - escapes];
    int to = 0;
    for (int at = from; at < end; at++) {
      plain[to++] = array[at];
      if (array[at] == 0) {
        at++;
      }
    }
    return plain;
  }

  /** Throws {@link MalformedException} unless the bytes are exactly a key of {@code schema}. */
  public static void require(byte[] array, int offset, int length, List<PrimaryKeySchema> schema) {
    requireKey(array, offset, length, schema);
  }

  /** As {@link #require}, and returns how many bytes the first column has. */
  static int requireKey(byte[] array, int offset, int length, List<PrimaryKeySchema> schema) {
    int limit = offset + length;
    int at = skipColumn(array, offset, limit, schema.get(0).type());
    int first = at - offset;
    for (int i = 1; i < schema.size(); i++) {
      at = skipColumn(array, at, limit, schema.get(i).type());
    }
    if (at != limit) {
      throw tooManyColumns(schema);
    }
    return first;
  }

  static MalformedException tooManyColumns(List<PrimaryKeySchema> schema) {
    return new MalformedException("a key has more columns than the table's " + describe(schema));
  }

  /** Decodes a key of {@code schema}; for many keys, see {@link KeyDecoder}. */
  public static PrimaryKey decode(
      byte[] array, int offset, int length, List<PrimaryKeySchema> schema) {
    return new KeyDecoder(schema).decode(array, offset, length);
  }

  /**
   * A 64-bit hash of an encoded key. Equal keys have equal hashes in every process and version, so
   * that work can be spread by hash. Not safe against keys chosen to collide.
   */
  public static long hash(byte[] array, int offset, int length) {
    long hash = HASH_SEED ^ length;
    int at = offset;
    int end = offset + length;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      hash = mix(hash ^ Binary.getLong(array, at));
    }
    for (; at < end; at++) {
      hash = mix(hash ^ array[at]);
    }
    return hash;
  }

  /**
   * The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output
   * bit.
   */
  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  /** Decodes one key column of {@code type}. */
  public static PrimaryKeyValue decodeColumn(Bytes column, PrimaryKeyType type) {
    byte[] array = column.toByteArray();
    int next = skipColumn(array, 0, array.length, type);
    if (next != array.length) {
      throw new MalformedException("bytes after a key column");
    }
    return value(array, 0, next, type);
  }

  static PrimaryKeyValue value(byte[] array, int from, int next, PrimaryKeyType type) {
    if (type == PrimaryKeyType.INTEGER) {
      return PrimaryKeyValue.fromLong(Binary.getLong(array, from + 1) ^ Long.MIN_VALUE);
    }
    int end = next - 1;
    int escapes = escapes(array, from + 1, end);
    if (type == PrimaryKeyType.BINARY) {
      byte[] plain = unescape(array, from + 1, end, escapes);
      return PrimaryKeyValue.fromBinary(Bytes.copyOf(plain));
    }
    if (escapes == 0) {
      return PrimaryKeyValue.fromString(Utf8.decode(array, from + 1, end - from - 1));
    }
    byte[] plain = unescape(array, from + 1, end, escapes);
    return PrimaryKeyValue.fromString(Utf8.decode(plain, 0, plain.length));
  }

  static int tag(PrimaryKeyType type) {
    return switch (type) {
      case INTEGER -> INTEGER_TAG;
      case STRING -> STRING_TAG;
      case BINARY -> BINARY_TAG;
    };
  }

  private static String typeName(int tag) {
    return switch (tag) {
      case INTEGER_TAG -> "INTEGER";
      case STRING_TAG -> "STRING";
      case BINARY_TAG -> "BINARY";
      default -> "unknown tag " + tag;
    };
  }

  private static String describe(List<PrimaryKeySchema> schema) {
    StringBuilder text = new StringBuilder("(");
    for (PrimaryKeySchema column : schema) {
      text.append(text.length() == 1 ? "" : ", ").append(column.describe());
    }
    return text.append(')').toString();
  }
}
