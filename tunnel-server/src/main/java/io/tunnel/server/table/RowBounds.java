package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * What the rows of each partition do not exceed, so that most updates are known to leave a row of a
 * legal size without a look at the row. A bound is stored by the very write whose rows it is raised
 * for, so no crash leaves a row above it. Bounds rise by powers of two, which makes such writes
 * rare, and never fall while their partition exists.
 *
 * <p>Invariant: every stored row of a partition is within {@link #of} it. For the owner thread.
 */
final class RowBounds {

  /** Stands for the store itself: where it is stored, all rows came since bounds are kept. */
  private static final int STORE = StoreFormat.SYSTEM_PARTITION;

  private static final int STORED_BYTES = Long.BYTES + Integer.BYTES;

  private final Map<Integer, RowBound> byPartition = new HashMap<>();
  private final TreeSet<Integer> unstored = new TreeSet<>();
  private boolean isKept;

  /** The store has no row yet. */
  void begin() {
    isKept = true;
    unstored.add(STORE);
  }

  /** Takes over a stored one. */
  void load(int partition, byte[] stored) {
    if (partition == STORE) {
      isKept = true;
    } else {
      byPartition.put(
          partition, new RowBound(Binary.getLong(stored, 0), Binary.getInt(stored, Long.BYTES)));
    }
  }

  /** What no row of the partition exceeds. */
  RowBound of(int partition) {
    return byPartition.getOrDefault(partition, isKept ? RowBound.NONE : RowBound.UNKNOWN);
  }

  /** A row is written. */
  void saw(int partition, long valueBytes, int columns) {
    RowBound bound = of(partition);
    if (!bound.holds(valueBytes, columns)) {
      byPartition.put(partition, bound.grown(valueBytes, columns));
      unstored.add(partition);
    }
  }

  /** Writes those that were raised; they count as stored from now on. */
  void storeNew(WriteBatchSink sink) {
    for (int partition : unstored) {
      RowBound bound = of(partition);
      byte[] stored = new byte[STORED_BYTES];
      Binary.putLong(stored, 0, bound.bytes());
      Binary.putInt(stored, Long.BYTES, bound.columns());
      sink.put(StoreFormat.boundKey(partition), stored);
    }
    unstored.clear();
  }

  /** The rows of a partition are gone. */
  void drop(int partition) {
    byPartition.remove(partition);
    unstored.remove(partition);
  }
}
