package io.tunnel.sdk.watch;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The keys that a watch follows: single keys, prefixes of keys, or both. A watch has at most {@link
 * io.tunnel.model.Limits#WATCH_TERMS_MAX} keys and prefixes, of {@link
 * io.tunnel.model.Limits#WATCH_TERMS_BYTES_MAX} bytes as encoded.
 *
 * @param keys whole keys
 * @param prefixes first columns of keys
 */
public record WatchedKeys(List<PrimaryKey> keys, List<Prefix> prefixes) {

  /**
   * Keys that begin alike.
   *
   * @param leading values of the first columns
   * @param beginning the first characters or bytes of the next column, STRING or BINARY; empty for
   *     any value
   */
  public record Prefix(List<PrimaryKeyValue> leading, Optional<PrimaryKeyValue> beginning) {
    /** Refuses null and copies the list. */
    public Prefix {
      leading = List.copyOf(leading);
      Objects.requireNonNull(beginning, "beginning");
    }

    private boolean matches(PrimaryKey key) {
      int next = leading.size();
      if (key.size() <= next) {
        return false;
      }
      for (int i = 0; i < next; i++) {
        if (!key.getPrimaryKeyColumn(i).getValue().equals(leading.get(i))) {
          return false;
        }
      }
      return beginning.isEmpty()
          || begins(key.getPrimaryKeyColumn(next).getValue(), beginning.get());
    }

    private static boolean begins(PrimaryKeyValue value, PrimaryKeyValue beginning) {
      if (value.getType() != beginning.getType()) {
        return false;
      }
      return switch (value.getType()) {
        case STRING -> value.asString().startsWith(beginning.asString());
        case BINARY -> {
          byte[] bytes = value.asBinary();
          byte[] first = beginning.asBinary();
          yield bytes.length >= first.length
              && Arrays.equals(bytes, 0, first.length, first, 0, first.length);
        }
        case INTEGER -> false;
      };
    }
  }

  /** Refuses neither keys nor prefixes, and copies the lists. */
  public WatchedKeys {
    keys = List.copyOf(keys);
    prefixes = List.copyOf(prefixes);
    if (keys.isEmpty() && prefixes.isEmpty()) {
      throw new IllegalArgumentException("a watch follows at least one key or prefix");
    }
  }

  /** One key. */
  public static WatchedKeys key(PrimaryKey key) {
    return keys(List.of(key));
  }

  /** Some keys. */
  public static WatchedKeys keys(Collection<PrimaryKey> keys) {
    return new WatchedKeys(List.copyOf(keys), List.of());
  }

  /** All keys whose first column, a STRING, begins with {@code beginning}; all keys if empty. */
  public static WatchedKeys prefix(String beginning) {
    return prefix(List.of(), PrimaryKeyValue.fromString(beginning));
  }

  /**
   * All keys with these first columns whose next column begins with {@code beginning}.
   *
   * @param beginning a STRING or a BINARY
   */
  public static WatchedKeys prefix(List<PrimaryKeyValue> leading, PrimaryKeyValue beginning) {
    return new WatchedKeys(List.of(), List.of(new Prefix(leading, Optional.of(beginning))));
  }

  /** All keys with these first columns; all keys of the table without any. */
  public static WatchedKeys leading(List<PrimaryKeyValue> leading) {
    return new WatchedKeys(List.of(), List.of(new Prefix(leading, Optional.empty())));
  }

  /**
   * Whether a watch of these keys follows {@code key}. A program that replaces its copy by the
   * present rows deletes those keys of the copy that match and are not among the present rows.
   */
  public boolean matches(PrimaryKey key) {
    return keys.contains(key) || prefixes.stream().anyMatch(prefix -> prefix.matches(key));
  }

  /** These keys and others together. */
  public WatchedKeys and(WatchedKeys others) {
    List<PrimaryKey> allKeys = new ArrayList<>(keys);
    allKeys.addAll(others.keys);
    List<Prefix> allPrefixes = new ArrayList<>(prefixes);
    allPrefixes.addAll(others.prefixes);
    return new WatchedKeys(allKeys, allPrefixes);
  }
}
