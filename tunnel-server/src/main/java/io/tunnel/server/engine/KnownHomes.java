package io.tunnel.server.engine;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.partition.PartitionHome;
import io.tunnel.server.partition.PartitionHomes;

/** The homes of partitions that some table has. */
record KnownHomes(Catalog catalog, PartitionHomes homes) implements PartitionHomes {

  @Override
  public PartitionHome of(int partition) {
    var unused = catalog.tableOfPartition(partition);
    return homes.of(partition);
  }
}
