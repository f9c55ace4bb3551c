package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.concurrent.CompletableFuture;

/** Reads the partition map of one table. */
@FunctionalInterface
public interface PartitionMaps {

  /** The present partitions; fails when the table does not exist or no server answers. */
  CompletableFuture<TableDescription> read();

  /** An id for a writer that numbers its batches; fails where the service has no such writers. */
  default CompletableFuture<WriterToken> openWriter(int tableId) {
    return CompletableFuture.failedFuture(
        new RefusedException(ErrorCode.UNKNOWN_OPERATION, "no ids for writers"));
  }
}
