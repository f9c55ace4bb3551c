package io.tunnel.programs.demo;

import java.util.function.LongConsumer;

/**
 * Per key, a summary of the changes that were seen of it: how many, a chain hash that depends on
 * their order, and a sum that does not. A hash table with open addressing in primitive arrays,
 * because it holds every key of a run. Keys are named by a 64-bit hash; two keys with the same hash
 * would be taken for one, which among a million keys happens once in 37 million runs.
 */
final class KeyChains {

  private static final int SLOTS_MIN = 1024;
  private static final long STEP = 0x9e3779b97f4a7c15L;

  private long[] keys = new long[SLOTS_MIN];
  private long[] chains = new long[SLOTS_MIN];
  private long[] sums = new long[SLOTS_MIN];

  /** 0 marks a free slot. */
  private int[] counts = new int[SLOTS_MIN];

  private int size;

  /** A key with what was seen of it; {@link #NONE} for a key that was not seen. */
  record Chain(long chain, long sum, int count) {
    static final Chain NONE = new Chain(0, 0, 0);
  }

  /** Takes the next change of a key. */
  void add(long key, long fingerprint) {
    int slot = slotOf(key);
    if (counts[slot] == 0) {
      if (size + 1 > keys.length / 5 * 3) {
        grow();
        slot = slotOf(key);
      }
      keys[slot] = key;
      size++;
    }
    chains[slot] = mix(Long.rotateLeft(chains[slot], 23) + fingerprint);
    sums[slot] += mix(fingerprint);
    counts[slot]++;
  }

  /** What was seen of a key. */
  Chain of(long key) {
    int slot = slotOf(key);
    return counts[slot] == 0 ? Chain.NONE : new Chain(chains[slot], sums[slot], counts[slot]);
  }

  /** Calls {@code visitor} with every key. */
  void forEachKey(LongConsumer visitor) {
    for (int slot = 0; slot < keys.length; slot++) {
      if (counts[slot] > 0) {
        visitor.accept(keys[slot]);
      }
    }
  }

  /** Distinct keys. */
  int size() {
    return size;
  }

  /** The slot that holds the key, or the free one where it belongs. */
  private int slotOf(long key) {
    int mask = keys.length - 1;
    int slot = (int) (mix(key) >>> 32) & mask;
    while (counts[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldKeys = keys;
    long[] oldChains = chains;
    long[] oldSums = sums;
    int[] oldCounts = counts;
    int slots = Math.multiplyExact(oldKeys.length, 2);
    keys = new long[slots];
    chains = new long[slots];
    sums = new long[slots];
    counts = new int[slots];
    for (int old = 0; old < oldKeys.length; old++) {
      if (oldCounts[old] != 0) {
        int slot = slotOf(oldKeys[old]);
        keys[slot] = oldKeys[old];
        chains[slot] = oldChains[old];
        sums[slot] = oldSums[old];
        counts[slot] = oldCounts[old];
      }
    }
  }

  private static long mix(long value) {
    long z = (value ^ value >>> 32) * STEP;
    return (z ^ z >>> 29) * 0xbf58476d1ce4e5b9L;
  }
}
