package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;

/** Reads a binary payload from its start; a missing part is a {@link MalformedException}. */
final class PayloadReader {

  private final String what;
  private final byte[] payload;
  private int at;

  PayloadReader(String what, byte[] payload) {
    this.what = what;
    this.payload = payload;
  }

  int readByte() {
    return Binary.getByte(payload, take(1));
  }

  int readShort() {
    return Binary.getShort(payload, take(2));
  }

  int readInt() {
    return Binary.getInt(payload, take(4));
  }

  long readLong() {
    return Binary.getLong(payload, take(8));
  }

  /** The next {@code bytes} bytes. */
  Bytes readBytes(int bytes) {
    return Bytes.copyOf(payload, take(bytes), bytes);
  }

  int readVarint() {
    long number = Binary.getVarint(payload, at, payload.length);
    at = Binary.next(number);
    return Binary.value(number);
  }

  /** A varint length, and as many bytes. */
  Bytes readSized() {
    return readBytes(readVarint());
  }

  /** Continues after {@code bytes} bytes that another reader read. */
  void skip(int bytes) {
    var unused = take(bytes);
  }

  /** All remaining bytes, at most {@code bytesMax}. */
  Bytes readRest(int bytesMax) {
    if (left() > bytesMax) {
      throw new MalformedException(left() + " bytes after a " + what);
    }
    return readBytes(left());
  }

  /** The offset of the next byte. */
  int at() {
    return at;
  }

  int left() {
    return payload.length - at;
  }

  void requireEnd() {
    if (at != payload.length) {
      throw new MalformedException(left() + " bytes after a " + what);
    }
  }

  private int take(int bytes) {
    if (bytes > left()) {
      throw new MalformedException("a " + what + " of " + payload.length + " bytes is cut off");
    }
    int from = at;
    at += bytes;
    return from;
  }
}
