package io.tunnel.partition.tool;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys of a file of any length in bounded memory: when full, every other key is forgotten, and from
 * then on only every 2nd, 4th, 8th… key is kept. No randomness: one file always gives one plan.
 */
final class SampleKeys {

  /** A thousand keys for each of the most partitions that a table can have. */
  static final int KEYS_MAX = 1 << 20;

  private final int keysMax;
  private List<PrimaryKeyValue> keys = new ArrayList<>();
  private long seen;
  private long stride = 1;

  SampleKeys(int keysMax) {
    this.keysMax = keysMax;
  }

  void add(PrimaryKeyValue key) {
    if (seen++ % stride != 0) {
      return;
    }
    if (keys.size() == keysMax) {
      thin();
      if ((seen - 1) % stride != 0) {
        return;
      }
    }
    keys.add(key);
  }

  private void thin() {
    List<PrimaryKeyValue> kept = new ArrayList<>(keysMax);
    for (int i = 0; i < keys.size(); i += 2) {
      kept.add(keys.get(i));
    }
    keys = kept;
    stride *= 2;
  }

  /** The keys that are kept: every {@link #stride}-th of those added, from the first on. */
  List<PrimaryKeyValue> keys() {
    return List.copyOf(keys);
  }

  /** How many were added. */
  long seen() {
    return seen;
  }

  long stride() {
    return stride;
  }
}
