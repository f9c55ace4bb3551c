package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.SimCopies;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;

/** The engine of a simulated node's partitions, by the form of the log. */
public interface SimEngine {

  /** The form of the log. */
  LogForm form();

  /** Opens what the node has on its disks. */
  Opened open(Node node) throws IOException;

  /** What an engine needs of its node. */
  record Node(
      SimClusterNode.Self self,
      Catalog catalog,
      LastPlacement placement,
      ScheduledExecutorService control,
      Shard.Clock clock) {}

  /** Open replicas. */
  record Opened(SimCopies copies, PartitionEngine engine) {}
}
