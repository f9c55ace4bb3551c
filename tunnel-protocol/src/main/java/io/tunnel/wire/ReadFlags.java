package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;

/**
 * The flags of a read: a {@code u8} at the end of a request, left out when 0. Bit 0: strict. A
 * server refuses unknown bits, because it could not answer as requested.
 */
final class ReadFlags {

  private static final int STRICT = 1;

  private ReadFlags() {}

  static void write(ByteSink sink, boolean isStrict) {
    if (isStrict) {
      sink.writeByte(STRICT);
    }
  }

  static boolean readStrict(PayloadReader reader) {
    if (reader.left() == 0) {
      return false;
    }
    int flags = reader.readByte();
    if (flags != STRICT) {
      throw new MalformedException("flags " + flags + " of a read of rows");
    }
    return true;
  }
}
