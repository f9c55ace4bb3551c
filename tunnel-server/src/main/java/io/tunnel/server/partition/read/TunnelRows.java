package io.tunnel.server.partition.read;

import io.tunnel.server.table.BaseRows;
import java.util.concurrent.CompletableFuture;

/**
 * The rows of partitions as they were when a tunnel began, kept for as long as the tunnel reads
 * them.
 */
public interface TunnelRows extends BaseRows {

  /**
   * Keeps the rows of a partition as they are when everything that was acknowledged before is
   * folded. The answer is the position up to which the rows have all changes. A question that comes
   * again gets the first answer while the rows are kept. The answer comes also if too many rows are
   * kept already: then the rows are read as they are at the time of each read.
   *
   * <p>The thread of the partition's shard completes the answer, so dependent actions must be
   * short. It fails with a {@link io.tunnel.model.RefusedException}: NOT_LEADER, LOG_UNAVAILABLE,
   * BUSY, STORAGE_FAILED, SHUTTING_DOWN or INTERNAL; then no rows are kept.
   */
  CompletableFuture<Long> keep(String tunnelId, int partition);

  /** Drops all kept rows of a tunnel, and ends each {@link #keep} under way; idempotent. */
  void forget(String tunnelId);

  /** The base channel of a partition is finished, and its rows are dropped; idempotent. */
  void forget(String tunnelId, int partition);
}
