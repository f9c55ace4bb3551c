package io.tunnel.server.kafka;

import java.util.Optional;

/** Finds the topic of a partition id. Safe for use by any thread. */
@FunctionalInterface
interface PartitionTopics {

  /**
   * The place of a partition in the topics of its table.
   *
   * @param tableId id of the table whose topic it is
   * @param index index of the partition in its table, and its number in Kafka
   */
  record Place(int tableId, int index) {
    /** Refuses what cannot be. */
    public Place {
      if (tableId < 1 || index < 0) {
        throw new IllegalArgumentException("partition " + index + " of table " + tableId);
      }
    }
  }

  /** The place of a partition; empty for a partition that this node does not know, or not yet. */
  Optional<Place> of(int partition);

  /** The failure of a request for a partition without a place. Retriable. */
  static LogUnavailableException unknown(int partition) {
    return new LogUnavailableException(
        "partition " + partition + " is not in the catalog as far as this node has read it", null);
  }
}
