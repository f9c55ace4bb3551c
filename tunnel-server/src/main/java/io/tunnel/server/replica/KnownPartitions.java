package io.tunnel.server.replica;

/** What the catalog says of partitions; any thread may ask. */
@FunctionalInterface
public interface KnownPartitions {

  /** Whether a partition is there. */
  boolean exists(int partition);

  /**
   * Whether a partition was there once and is no longer, which is the only reason to delete a
   * replica of it: a catalog that does not know a partition may know less than it should.
   */
  default boolean isDropped(int partition) {
    return !exists(partition);
  }
}
