package io.tunnel.bench.flink.recovery;

import java.util.HashMap;
import java.util.Map;

/** The ordinal of the last row of each partition; the next row has to follow it without a gap. */
final class Ordinals {

  private final Map<Integer, Long> lastByPartition = new HashMap<>();

  /**
   * Goes on with a row.
   *
   * @throws IllegalStateException when that was there already, or is not the next
   */
  void next(int partition, long ordinal) {
    long last = lastByPartition.getOrDefault(partition, 0L);
    if (ordinal != last + 1) {
      throw new IllegalStateException(
          "row %d of partition %d behind row %d".formatted(ordinal, partition, last));
    }
    lastByPartition.put(partition, ordinal);
  }

  /** Somebody knows of rows up to there. */
  void restore(int partition, long ordinal) {
    lastByPartition.merge(partition, ordinal, Math::max);
  }

  Map<Integer, Long> lastByPartition() {
    return Map.copyOf(lastByPartition);
  }
}
