package io.tunnel.sdk.write;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import java.util.Optional;

/**
 * The smallest first key column of a partition. Keys are ordered as they are encoded; most are
 * compared without being encoded, because each row is looked up and encoded only once behind that.
 *
 * @param encoded the column's bytes
 * @param value the column, if its values are in the order of their bytes: integers, bytes, and text
 *     none of whose characters stands at or behind the surrogates, from where on the order of
 *     UTF-16 is another than that of UTF-8
 */
record Bound(Bytes encoded, Optional<PrimaryKeyValue> value) {

  private static final int KEY_BYTES_GUESS = 24;

  /** The bound of a table whose first key column is of that type. */
  static Bound of(Bytes encoded, PrimaryKeyType type) {
    try {
      PrimaryKeyValue value = KeyCodec.decodeColumn(encoded, type);
      return new Bound(encoded, Optional.of(value).filter(Bound::isInOrder));
    } catch (MalformedException e) {
      // Not a whole column: bytes can be compared with any.
      return new Bound(encoded, Optional.empty());
    }
  }

  private static boolean isInOrder(PrimaryKeyValue value) {
    return !(value.toColumnValue() instanceof StringValue text)
        || text.value().chars().allMatch(c -> c < Character.MIN_SURROGATE);
  }

  /**
   * Whether a first key column belongs behind the bound, or at it.
   *
   * @throws IllegalArgumentException perhaps, when the column can never be encoded
   */
  boolean isAtOrBelow(PrimaryKeyValue first) {
    ColumnValue bound = value.map(PrimaryKeyValue::toColumnValue).orElse(null);
    ColumnValue column = first.toColumnValue();
    if (bound instanceof BinaryValue bytes && column instanceof BinaryValue binary) {
      return bytes.value().compareTo(binary.value()) <= 0;
    }
    if (bound instanceof StringValue text && column instanceof StringValue string) {
      return text.value().compareTo(string.value()) <= 0;
    }
    if (bound instanceof IntegerValue number && column instanceof IntegerValue integer) {
      return number.value() <= integer.value();
    }
    ByteSink key = new ByteSink(KEY_BYTES_GUESS);
    KeyCodec.write(key, first);
    return encoded.compareTo(key.array(), 0, key.size()) <= 0;
  }
}
