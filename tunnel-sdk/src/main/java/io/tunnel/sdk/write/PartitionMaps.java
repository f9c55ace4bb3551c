package io.tunnel.sdk.write;

import io.tunnel.wire.control.Control.TableDescription;
import java.util.concurrent.CompletableFuture;

/** Where the partition map of one table is read. */
@FunctionalInterface
public interface PartitionMaps {

  /** The partitions as they are now; fails when there is no such table or no server. */
  CompletableFuture<TableDescription> read();
}
