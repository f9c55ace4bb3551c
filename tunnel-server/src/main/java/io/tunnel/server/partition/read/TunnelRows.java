package io.tunnel.server.partition.read;

import io.tunnel.model.RefusedException;
import io.tunnel.server.table.BaseRows;
import java.util.Collection;
import java.util.Map;

/** The rows of partitions as they were when a tunnel began, kept for as long as it reads them. */
public interface TunnelRows extends BaseRows {

  /** Is told once, by a shard's thread, what became of {@link #begin}: it must only pass it on. */
  interface Taken {

    /** The rows of each partition are kept as they were when this was its committed position. */
    void taken(Map<Integer, Long> committed);

    /** STORAGE_FAILED, SHUTTING_DOWN or INTERNAL; nothing is kept. */
    void failed(RefusedException reason);
  }

  /**
   * Keeps the rows of partitions as they are when their shards come to it.
   *
   * @param partitions at least one
   */
  void begin(String tunnelId, Collection<Integer> partitions, Taken whenTaken);

  /** Gives up all rows that are kept for a tunnel; idempotent. */
  void forget(String tunnelId);

  /** The base channel of a partition is finished, and its rows are given up; idempotent. */
  void forget(String tunnelId, int partition);
}
