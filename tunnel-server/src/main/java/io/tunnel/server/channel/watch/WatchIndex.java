package io.tunnel.server.channel.watch;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Who follows which keys and prefixes. A search hashes the key once from its first byte to its
 * last, and looks into one map at each length that a prefix has, and into another at the end: it
 * costs the bytes of the key, the different lengths of prefixes, and what it finds, and not how
 * many terms there are.
 *
 * @param <W> who follows
 */
final class WatchIndex<W> {

  /** A list is smaller; a set forgets one of many faster. */
  private static final int LIST_MAX = 8;

  private final Map<Slice, Collection<W>> byKey = new HashMap<>();
  private final Map<Slice, Collection<W>> byPrefix = new HashMap<>();

  /** By length, how many different prefixes there are of the length; no entry is 0. */
  private final TreeMap<Integer, Integer> prefixesByLength = new TreeMap<>();

  /**
   * Bytes of an array. Comparable, so that a map stays fast when a client chooses keys whose hashes
   * are equal.
   */
  private static final class Slice implements Comparable<Slice> {
    private final byte[] array;
    private final int offset;
    private final int length;
    private final int hash;

    Slice(byte[] array, int offset, int length, int hash) {
      this.array = array;
      this.offset = offset;
      this.length = length;
      this.hash = hash;
    }

    static Slice of(Bytes term) {
      byte[] own = term.toByteArray();
      int hash = 0;
      for (byte each : own) {
        hash = with(hash, each);
      }
      return new Slice(own, 0, own.length, hash);
    }

    /** The hash of bytes with one more after them. */
    static int with(int hash, byte next) {
      return 31 * hash + next;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Slice slice && compareTo(slice) == 0;
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public int compareTo(Slice other) {
      return Arrays.compareUnsigned(
          array, offset, offset + length, other.array, other.offset, other.offset + other.length);
    }
  }

  /** Adds one that follows these keys and prefixes, and is not there yet. */
  void add(W watch, List<Bytes> keys, List<Bytes> prefixes) {
    keys.forEach(key -> add(byKey, Slice.of(key), watch));
    for (Bytes prefix : prefixes) {
      if (add(byPrefix, Slice.of(prefix), watch)) {
        prefixesByLength.merge(prefix.length(), 1, Integer::sum);
      }
    }
  }

  /** True when the term is new. */
  private static <W> boolean add(Map<Slice, Collection<W>> terms, Slice term, W watch) {
    Collection<W> there = terms.get(term);
    if (there == null) {
      List<W> first = new ArrayList<>(1);
      first.add(watch);
      terms.put(term, first);
      return true;
    }
    if (there.size() == LIST_MAX && there instanceof List) {
      there = new LinkedHashSet<>(there);
      terms.put(term, there);
    }
    if (!there.contains(watch)) {
      there.add(watch);
    }
    return false;
  }

  /** Removes one that was added with these keys and prefixes. */
  void remove(W watch, List<Bytes> keys, List<Bytes> prefixes) {
    keys.forEach(key -> remove(byKey, Slice.of(key), watch));
    for (Bytes prefix : prefixes) {
      if (remove(byPrefix, Slice.of(prefix), watch)) {
        prefixesByLength.computeIfPresent(
            prefix.length(), (length, count) -> count == 1 ? null : count - 1);
      }
    }
  }

  /** True when no watch follows the term any more. */
  private static <W> boolean remove(Map<Slice, Collection<W>> terms, Slice term, W watch) {
    Collection<W> there = terms.get(term);
    if (there == null || !there.remove(watch) || !there.isEmpty()) {
      return false;
    }
    terms.remove(term);
    return true;
  }

  /** Whether no watch follows any term. */
  boolean isEmpty() {
    return byKey.isEmpty() && byPrefix.isEmpty();
  }

  /** How many different keys and prefixes are followed. */
  int termCount() {
    return byKey.size() + byPrefix.size();
  }

  /** Passes on all who follow a key; one that follows it by two terms comes twice. */
  void find(byte[] array, int offset, int length, Consumer<W> found) {
    int hash = 0;
    int hashed = 0;
    for (int prefix : prefixesByLength.keySet()) {
      if (prefix > length) {
        break;
      }
      for (; hashed < prefix; hashed++) {
        hash = Slice.with(hash, array[offset + hashed]);
      }
      pass(byPrefix.get(new Slice(array, offset, prefix, hash)), found);
    }
    if (!byKey.isEmpty()) {
      for (; hashed < length; hashed++) {
        hash = Slice.with(hash, array[offset + hashed]);
      }
      pass(byKey.get(new Slice(array, offset, length, hash)), found);
    }
  }

  private static <W> void pass(Collection<W> watches, Consumer<W> found) {
    if (watches != null) {
      watches.forEach(found);
    }
  }
}
