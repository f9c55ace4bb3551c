package io.tunnel.sdk.write;

import io.tunnel.wire.control.Control.TableDescription;
import java.util.concurrent.CompletableFuture;

/** Reads the partition map of one table. */
@FunctionalInterface
public interface PartitionMaps {

  /** The present partitions; fails when the table does not exist or no server answers. */
  CompletableFuture<TableDescription> read();
}
