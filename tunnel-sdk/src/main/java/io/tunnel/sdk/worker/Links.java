package io.tunnel.sdk.worker;

import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** Opens connections to the server. */
@FunctionalInterface
public interface Links {

  /**
   * A greeted connection, whose pushes and whose end are told to {@code receiver} on the worker's
   * thread. The future completes there too, before anything is pushed.
   */
  CompletableFuture<Link> open(PushReceiver receiver);
}
