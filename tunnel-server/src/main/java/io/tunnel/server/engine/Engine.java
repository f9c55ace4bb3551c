package io.tunnel.server.engine;

import io.tunnel.server.net.NetConfig;
import io.tunnel.server.partition.DiskCondition;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * What a server stands on: partitions with their logs and rows, tables, and tunnels. Open, it can
 * answer; it is closed when nobody asks any more.
 */
public interface Engine extends Closeable {

  /** What rooms are joined over. */
  Ports ports();

  /** Where to listen; others may have been told already. */
  NetConfig address();

  /**
   * Begins what goes on by itself: looks at the clock, and in a cluster taking part in it.
   *
   * @param stopListening lets no more clients come
   * @return what is ended first when the server stops, while clients are still connected
   * @throws IOException when the server cannot take its part; nothing has begun then
   */
  Closeable begin(Served served, Runnable stopListening) throws IOException;

  /** What the disk allows. */
  DiskCondition condition();

  /** What is said of the server's health. */
  Health health(int connections);

  /**
   * Refuses to decide by keys and rights that may have been taken away long ago, without a word of
   * that to this server.
   *
   * @throws io.tunnel.model.RefusedException when this server has not heard of others for too long
   */
  default void requireCurrentCatalog() {}

  /** Looks at what only pages of figures say; may wait. */
  default void look() {}

  /**
   * How long a stop may take before it does no harm to end the process instead; {@link
   * Long#MAX_VALUE} when it always would.
   */
  default long stopMsMax() {
    return Long.MAX_VALUE;
  }

  /** Completes, with what to say of it, when the server can serve no longer by itself. */
  default CompletableFuture<String> failure() {
    return new CompletableFuture<>();
  }
}
