package io.tunnel.server;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A server that serves until it is closed. */
interface RunningServer extends Closeable {

  /** Where clients connect. */
  InetSocketAddress localAddress();

  /** Where health and metrics are, if they are served. */
  Optional<InetSocketAddress> httpAddress();

  /**
   * How long {@link #close} may take before it does no harm to end the process instead; {@link
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
