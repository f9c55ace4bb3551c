package io.tunnel.stress.rows;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.nio.charset.StandardCharsets;

/**
 * 64-bit hashes of values, the same on every machine and in every run. Not for secrets: an
 * adversary who chooses the input can make two inputs collide.
 */
public final class Hash64 {

  private static final long STEP = 0x9e3779b97f4a7c15L;

  private Hash64() {}

  /** Spreads the bits of {@code value}: a bijection, so distinct values stay distinct. */
  public static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /**
   * The hash of a sequence whose hash so far is {@code hash} and whose next item is {@code next}.
   */
  public static long chain(long hash, long next) {
    return mix(Long.rotateLeft(hash, 23) * STEP + next);
  }

  /**
   * The hash of bytes, their number included. Each step is a bijection of the hash so far, so that
   * inputs of one length that differ in a single place never collide.
   */
  public static long of(byte[] bytes) {
    long hash = bytes.length;
    int at = 0;
    for (; at + 8 <= bytes.length; at += 8) {
      hash = (hash ^ Binary.getLong(bytes, at)) * STEP;
      hash ^= hash >>> 32;
    }
    long tail = 0;
    for (; at < bytes.length; at++) {
      tail = tail << 8 | Binary.getByte(bytes, at);
    }
    return mix((hash ^ tail) * STEP);
  }

  /** The hash of text, by its UTF-8. */
  public static long of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The hash of a value and its type. */
  public static long of(ColumnValue value) {
    if (value instanceof IntegerValue integer) {
      return chain(1, integer.value());
    } else if (value instanceof StringValue string) {
      return chain(2, of(string.value()));
    } else if (value instanceof BinaryValue binary) {
      return chain(3, of(binary.value().toByteArray()));
    } else if (value instanceof DoubleValue real) {
      return chain(4, Double.doubleToRawLongBits(real.value()));
    } else if (value instanceof BooleanValue flag) {
      return chain(5, flag.value() ? 1 : 0);
    }
    throw new IllegalStateException("a value of unknown type " + value);
  }
}
