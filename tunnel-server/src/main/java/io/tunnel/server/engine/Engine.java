package io.tunnel.server.engine;

import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.net.NetConfig;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * The engine of a server: partitions with their logs and rows, tables, and tunnels. It can answer
 * as soon as it is open; close it when no more requests come.
 */
public interface Engine extends Closeable {

  /** The ports for the rooms that face clients. */
  Ports ports();

  /** The address to listen on; other nodes may know it already. */
  NetConfig address();

  /**
   * Begins periodic work, and joins the cluster if there is one.
   *
   * @param stopListening refuses new clients
   * @return the work to close first when the server stops, while clients are still connected
   * @throws IOException when the server cannot join its cluster; nothing has begun then
   */
  Closeable begin(Served served, Runnable stopListening) throws IOException;

  /** The condition of the disk. */
  DiskCondition condition();

  /** The health of the server. */
  Health health(int connections);

  /**
   * Refuses to decide by keys and rights while the server may have missed their revocation.
   *
   * @throws io.tunnel.model.RefusedException when this server has not read the catalog for too long
   */
  default void requireCurrentCatalog() {}

  /** Updates figures that only pages of metrics need; may block. */
  default void look() {}

  /**
   * Longest stop in milliseconds, after which the process may simply end; {@link Long#MAX_VALUE} if
   * that would do harm.
   */
  default long stopMsMax() {
    return Long.MAX_VALUE;
  }

  /** Completes with a message when the server cannot continue. */
  default CompletableFuture<String> failure() {
    return new CompletableFuture<>();
  }
}
