package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import java.util.HashSet;
import java.util.Set;

/** Encodes column names: per name the length as a varint, then the UTF-8. */
public final class Dictionary {

  private Dictionary() {}

  /**
   * The {@code count} names between {@code offset} and {@code limit}.
   *
   * @throws MalformedException when the count differs, or a name is invalid
   */
  public static String[] decode(byte[] array, int offset, int limit, int count) {
    if (count > Limits.BATCH_NAMES_MAX) {
      throw new MalformedException(
          ErrorCode.BATCH_TOO_LARGE,
          "a dictionary of "
              + count
              + " names; at most "
              + Limits.BATCH_NAMES_MAX
              + " are allowed");
    }
    String[] names = new String[count];
    int at = offset;
    for (int i = 0; i < count; i++) {
      long length = Binary.getVarint(array, at, limit);
      int bytes = Binary.value(length);
      at = Binary.next(length);
      if (bytes == 0 || bytes > Limits.COLUMN_NAME_BYTES_MAX || bytes > limit - at) {
        throw new MalformedException("a column name of " + bytes + " bytes");
      }
      Utf8.require(array, at, bytes);
      names[i] = Utf8.decode(array, at, bytes);
      at += bytes;
    }
    if (at != limit) {
      throw new MalformedException("bytes after the dictionary's last name");
    }
    return names;
  }

  /** The bytes of these names. */
  public static byte[] encode(String[] names) {
    ByteSink sink = new ByteSink(64);
    for (String name : names) {
      Utf8.writeSized(sink, name);
    }
    return sink.toByteArray();
  }

  /** Throws {@link MalformedException} for a duplicate name. */
  static void requireDistinct(String[] names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new MalformedException("column name '" + name + "' stands twice in a dictionary");
      }
    }
  }
}
