package io.tunnel.server.engine;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;

/** The hosts of existing partitions; refuses partitions without a table. */
record KnownHosts(Catalog catalog, PartitionHosts hosts) implements PartitionHosts {

  @Override
  public PartitionHost of(int partition) {
    var unused = catalog.tableOfPartition(partition);
    return hosts.of(partition);
  }
}
