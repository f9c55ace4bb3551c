package io.tunnel.server.kafka;

import java.util.Optional;

/** Says which partition of which table one of our partition ids is; any thread may ask. */
@FunctionalInterface
interface PartitionTopics {

  /**
   * Where the changes of a partition are.
   *
   * @param tableId whose topic
   * @param index of the partition in its table, which is Kafka's number of it
   * @param retentionMs how long the table keeps its changes at least; 0 for ever
   */
  record Place(int tableId, int index, long retentionMs) {
    /** Refuses what cannot be. */
    public Place {
      if (tableId < 1 || index < 0 || retentionMs < 0) {
        throw new IllegalArgumentException(
            "partition " + index + " of table " + tableId + ", kept for " + retentionMs + " ms");
      }
    }
  }

  /** Where it is; empty for a partition that is not known, or not yet. */
  Optional<Place> of(int partition);
}
