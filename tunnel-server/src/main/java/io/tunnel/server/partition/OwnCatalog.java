package io.tunnel.server.partition;

import io.tunnel.server.table.Expiry;
import java.util.Set;

/** What the catalog of a data directory says of the partitions whose logs and rows are there. */
@FunctionalInterface
public interface OwnCatalog {

  /**
   * Whether a partition exists at the moment of the question, asked by any thread; changes and rows
   * of others are left behind, and writes to them refused.
   */
  boolean hasPartition(int partition);

  /** The highest id that the catalog ever gave to a partition. */
  default int lastPartition() {
    return Integer.MAX_VALUE;
  }

  /** The partitions that exist when the logs are opened. */
  default Set<Integer> partitionIds() {
    return Set.of();
  }

  /** When the rows of a partition expire at the moment of the question, asked by any thread. */
  default Expiry expiry(int partition) {
    return Expiry.NEVER;
  }

  /** The number that logs and rows of this catalog carry; 0 for none. */
  default int origin() {
    return 0;
  }
}
