package io.tunnel.codec;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.Optional;

/**
 * Encodes the beginning of keys, so that a key begins with a prefix exactly when its encoded bytes
 * begin with the encoded prefix.
 *
 * <p>The closing 0x00 of a column is also the first byte of an escaped zero. So a prefix never ends
 * with a closed column: the tag of the next column follows, and no tag is the 0xFF of an escape.
 */
public final class KeyPrefix {

  private KeyPrefix() {}

  /**
   * The prefix of all keys whose first columns are {@code leading}, and whose next column begins
   * with {@code beginning}.
   *
   * @param leading values of the first columns, fewer than the key has columns
   * @param beginning the first characters of a STRING, or the first bytes of a BINARY; empty for
   *     any value of the next column
   * @throws IllegalArgumentException when a value does not match the key's columns, when {@code
   *     leading} is a complete key, or when the column that has to begin with a value is an INTEGER
   */
  public static Bytes of(
      List<PrimaryKeyValue> leading,
      Optional<? extends PrimaryKeyValue> beginning,
      List<PrimaryKeySchema> schema) {
    if (leading.size() >= schema.size()) {
      throw new IllegalArgumentException(
          leading.size()
              + " leading columns are no prefix of a key of "
              + schema.size()
              + "; name the complete key as a key");
    }
    ByteSink sink = new ByteSink(64);
    for (int i = 0; i < leading.size(); i++) {
      requireType(leading.get(i), schema.get(i));
      KeyCodec.write(sink, leading.get(i));
    }
    PrimaryKeySchema next = schema.get(leading.size());
    if (beginning.isEmpty()) {
      sink.writeByte(KeyCodec.tag(next.type()));
    } else {
      requireType(beginning.get(), next);
      if (next.type() == PrimaryKeyType.INTEGER) {
        throw new IllegalArgumentException(
            "column '" + next.name() + "' is an INTEGER, and numbers have no prefixes");
      }
      KeyCodec.write(sink, beginning.get());
      sink.truncate(sink.size() - 1);
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static void requireType(PrimaryKeyValue value, PrimaryKeySchema column) {
    if (value.getType() != column.type()) {
      throw new IllegalArgumentException(
          "key column '" + column.name() + "' is " + column.type() + ", not " + value.getType());
    }
  }

  /**
   * Refuses bytes that no key of {@code schema} begins with because of the types of its columns.
   *
   * @throws MalformedException names the column
   */
  public static void require(Bytes prefix, List<PrimaryKeySchema> schema) {
    byte[] array = prefix.toByteArray();
    int at = 0;
    for (PrimaryKeySchema column : schema) {
      if (at == array.length) {
        return;
      }
      if (array[at] != KeyCodec.tag(column.type())) {
        throw new MalformedException(
            "a prefix has another type where the table has " + column.type());
      }
      if (column.type() == PrimaryKeyType.INTEGER) {
        at += 1 + Long.BYTES;
      } else {
        at = closingZero(array, at + 1) + 1;
      }
      if (at > array.length) {
        return;
      }
    }
    if (at != array.length) {
      throw KeyCodec.tooManyColumns(schema);
    }
  }

  /** The index of the byte that closes the column; the array's length when it is not closed. */
  private static int closingZero(byte[] array, int from) {
    int at = from;
    while (at < array.length) {
      boolean isZero = array[at] == 0;
      boolean isEscaped =
          isZero && at + 1 < array.length && (array[at + 1] & 0xff) == KeyCodec.ESCAPED;
      if (isZero && !isEscaped) {
        return at;
      }
      at += isEscaped ? 2 : 1;
    }
    return array.length;
  }
}
