package io.tunnel.wire;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyPrefix;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The keys that a watch follows: each key that is in {@code keys}, or begins with one of {@code
 * prefixes}.
 *
 * @param keys encoded keys
 * @param prefixes first bytes of encoded keys; an empty prefix is that of all keys
 * @param isKeysOnly whether changes and rows come without columns
 */
public record KeyTerms(List<Bytes> keys, List<Bytes> prefixes, boolean isKeysOnly) {

  /** Refuses no term, and more than {@link Limits} allows. */
  public KeyTerms {
    keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
    prefixes = List.copyOf(Objects.requireNonNull(prefixes, "prefixes"));
    int count = keys.size() + prefixes.size();
    if (count == 0 || count > Limits.WATCH_TERMS_MAX) {
      throw new IllegalArgumentException(
          "a watch has 1 to "
              + Limits.WATCH_TERMS_MAX
              + " keys and prefixes, not "
              + count
              + "; use several watches");
    }
    int bytes = bytesOf(keys) + bytesOf(prefixes);
    if (bytes > Limits.WATCH_TERMS_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the keys and prefixes of a watch have at most "
              + Limits.WATCH_TERMS_BYTES_MAX
              + " bytes, not "
              + bytes
              + "; use several watches");
    }
  }

  private static int bytesOf(List<Bytes> all) {
    return all.stream().mapToInt(Bytes::length).sum();
  }

  /** Bytes of all keys and prefixes. */
  public int bytes() {
    return bytesOf(keys) + bytesOf(prefixes);
  }

  /**
   * Refuses terms that match no key of {@code schema} because of the types of its columns.
   *
   * @throws io.tunnel.codec.MalformedException says which type is wrong
   */
  public void require(List<PrimaryKeySchema> schema) {
    for (Bytes key : keys) {
      KeyCodec.require(key.toByteArray(), 0, key.length(), schema);
    }
    for (Bytes prefix : prefixes) {
      KeyPrefix.require(prefix, schema);
    }
  }

  /**
   * Whether the watch follows a key. Looks at each term: a server with many watches has an index.
   */
  public boolean match(byte[] array, int offset, int length) {
    return keys.stream().anyMatch(key -> key.compareTo(array, offset, length) == 0)
        || prefixes.stream().anyMatch(prefix -> begins(prefix, array, offset, length));
  }

  private static boolean begins(Bytes prefix, byte[] array, int offset, int length) {
    return prefix.length() <= length && prefix.compareTo(array, offset, prefix.length()) == 0;
  }

  /** As {@link #match(byte[], int, int)}. */
  public boolean match(Bytes key) {
    byte[] array = key.toByteArray();
    return match(array, 0, array.length);
  }

  /** Whether a key from {@code low} on, and below {@code high} unless it is empty, may match. */
  public boolean mayMatchBetween(Bytes low, Bytes high) {
    return keys.stream().anyMatch(key -> key.compareTo(low) >= 0 && isBelow(key, high))
        || prefixes.stream()
            .anyMatch(
                prefix ->
                    isBelow(prefix, high) && (prefix.compareTo(low) >= 0 || covers(prefix, low)));
  }

  private static boolean isBelow(Bytes one, Bytes high) {
    return high.length() == 0 || one.compareTo(high) < 0;
  }

  /** Whether keys that begin with {@code prefix}, which is below {@code low}, reach up to it. */
  private static boolean covers(Bytes prefix, Bytes low) {
    byte[] array = low.toByteArray();
    int common = Math.min(prefix.length(), array.length);
    return Arrays.equals(prefix.toByteArray(), 0, common, array, 0, common)
        && prefix.length() <= array.length;
  }
}
