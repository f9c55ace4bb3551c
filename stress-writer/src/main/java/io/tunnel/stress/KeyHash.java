package io.tunnel.stress;

import io.tunnel.model.Bytes;
import io.tunnel.model.PrimaryKeyValue;
import java.util.List;

/**
 * The 4-byte hash that leads a key, so that keys spread evenly over partitions that split the range
 * of hashes evenly.
 */
public final class KeyHash {

  /** Bytes of a hash. */
  public static final int BYTES = 4;

  private KeyHash() {}

  /** The hash of the columns behind it. */
  public static Bytes of(List<PrimaryKeyValue> rest) {
    long hash = rest.size();
    for (PrimaryKeyValue value : rest) {
      hash = Hash64.chain(hash, Hash64.of(value));
    }
    return bytes(hash);
  }

  static Bytes of(PrimaryKeyValue first, PrimaryKeyValue second, PrimaryKeyValue third) {
    long hash = Hash64.chain(3, Hash64.of(first));
    hash = Hash64.chain(hash, Hash64.of(second));
    return bytes(Hash64.chain(hash, Hash64.of(third)));
  }

  private static Bytes bytes(long hash) {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bytes[i] = (byte) (hash >>> (56 - 8 * i));
    }
    return Bytes.copyOf(bytes);
  }
}
