package io.tunnel.server.partition;

/** The partitions of a node. */
@FunctionalInterface
public interface PartitionHomes {

  /**
   * The home of a partition.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when it is on another node
   */
  PartitionHome of(int partition);
}
