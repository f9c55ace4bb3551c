package io.tunnel.codec;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;

/**
 * Decodes the keys of one table; prepares the schema once for all keys. Accepts exactly the bytes
 * that {@link KeyCodec#require} accepts.
 *
 * <p>Most texts are ASCII without zero bytes, so one pass finds the end of such a text and proves
 * it valid; other columns take the slower way of {@link KeyCodec}.
 */
public final class KeyDecoder {

  private final List<PrimaryKeySchema> schema;
  private final PrimaryKey.Shape shape;

  /** The tag of each column of the schema. */
  private final int[] tags;

  /** A decoder for keys of {@code schema}. */
  public KeyDecoder(List<PrimaryKeySchema> schema) {
    this.schema = List.copyOf(schema);
    this.shape = new PrimaryKey.Shape(schema);
    this.tags = new int[schema.size()];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = KeyCodec.tag(schema.get(i).type());
    }
  }

  /**
   * Decodes a key.
   *
   * @throws MalformedException unless the bytes are exactly a key of the table
   */
  public PrimaryKey decode(byte[] array, int offset, int length) {
    PrimaryKeyValue[] values = new PrimaryKeyValue[tags.length];
    int limit = offset + length;
    int at = offset;
    for (int i = 0; i < values.length; i++) {
      int end = plainEnd(array, at, limit, tags[i]);
      if (end >= 0) {
        values[i] = plainValue(array, at + 1, end, tags[i]);
        at = tags[i] == KeyCodec.INTEGER_TAG ? end : end + 1;
      } else {
        PrimaryKeyType type = schema.get(i).type();
        int next = KeyCodec.skipColumn(array, at, limit, type);
        values[i] = KeyCodec.value(array, at, next, type);
        at = next;
      }
    }
    if (at != limit) {
      throw KeyCodec.tooManyColumns(schema);
    }
    return shape.key(values);
  }

  /**
   * The end of the value of the column at {@code offset}; negative unless the column is complete
   * and valid without escapes, and its text is ASCII.
   */
  private static int plainEnd(byte[] array, int offset, int limit, int tag) {
    if (offset >= limit || array[offset] != tag) {
      return -1;
    }
    int from = offset + 1;
    if (tag == KeyCodec.INTEGER_TAG) {
      return limit - from < Long.BYTES ? -1 : from + Long.BYTES;
    }
    int end =
        tag == KeyCodec.STRING_TAG
            ? Binary.asciiEnd(array, from, limit)
            : Binary.indexOf((byte) 0, array, from, limit);
    boolean isPlain =
        end >= 0
            && array[end] == 0
            && !(end + 1 < limit && (array[end + 1] & 0xff) == KeyCodec.ESCAPED)
            && end - from <= Limits.KEY_COLUMN_BYTES_MAX;
    return isPlain ? end : -1;
  }

  private static PrimaryKeyValue plainValue(byte[] array, int from, int end, int tag) {
    return switch (tag) {
      case KeyCodec.INTEGER_TAG ->
          PrimaryKeyValue.fromLong(Binary.getLong(array, from) ^ Long.MIN_VALUE);
      case KeyCodec.STRING_TAG ->
          PrimaryKeyValue.fromString(Utf8.decodeAscii(array, from, end - from));
      default -> PrimaryKeyValue.fromBinary(Bytes.copyOf(array, from, end - from));
    };
  }
}
