package io.tunnel.codec;

import io.tunnel.model.Returning;
import io.tunnel.model.Returning.When;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * The value of attribute {@link FormatFeature#RETURNING} of a row: {@code u8} when (0 always, 1
 * from refused rows alone), then the names of the columns, each after its length as a varint.
 */
public final class ReturningCodec {

  private static final When[] WHEN = {When.ALWAYS, When.REFUSED};

  private ReturningCodec() {}

  /** The bytes. */
  public static Bytes encode(Returning returning) {
    ByteSink sink = new ByteSink(1 + 16 * returning.columns().size());
    sink.writeByte(returning.when() == When.ALWAYS ? 0 : 1);
    returning.columns().forEach(name -> Utf8.writeSized(sink, name));
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  /**
   * Reads {@link #encode}'s bytes.
   *
   * @throws MalformedException for other bytes
   */
  public static Returning decode(Bytes encoded) {
    byte[] array = encoded.toByteArray();
    if (array.length == 0 || array[0] < 0 || array[0] >= WHEN.length) {
      throw new MalformedException(
          "what a row returns begins with "
              + (array.length == 0 ? "nothing" : array[0])
              + ", not with 0 (always) or 1 (when refused)");
    }
    List<String> columns = new ArrayList<>();
    for (int at = 1; at < array.length; ) {
      long length = Binary.getVarint(array, at, array.length);
      int from = Binary.next(length);
      int bytes = Binary.value(length);
      if (bytes > array.length - from) {
        throw new MalformedException("the name of a column that a row returns is cut off");
      }
      Utf8.require(array, from, bytes);
      columns.add(Utf8.decode(array, from, bytes));
      at = from + bytes;
    }
    try {
      return new Returning(columns, WHEN[array[0]]);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }
}
