package io.tunnel.server.kafka;

import java.util.Optional;

/** Finds the topic of a partition id. Safe for use by any thread. */
@FunctionalInterface
interface PartitionTopics {

  /**
   * The place of a partition's changes.
   *
   * @param tableId id of the table whose topic it is
   * @param index index of the partition in its table, and its number in Kafka
   * @param retentionMs least time that the table keeps its changes; 0 for ever
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

  /** The place of a partition; empty for a partition that this node does not know, or not yet. */
  Optional<Place> of(int partition);
}
