package io.tunnel.server.partition;

/** The partitions of a node. */
@FunctionalInterface
public interface PartitionHosts {

  /**
   * The host of a partition.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when it is on another node
   */
  PartitionHost of(int partition);
}
