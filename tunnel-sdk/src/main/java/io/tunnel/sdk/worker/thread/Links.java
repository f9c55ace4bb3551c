package io.tunnel.sdk.worker.thread;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** Opens connections to a server or to the nodes of a cluster. Called on the worker's thread. */
@FunctionalInterface
public interface Links {

  /**
   * Opens a greeted connection to any node. Its pushes and its loss reach {@code receiver} on the
   * worker's thread. The future completes on that thread too, before the first push.
   */
  CompletableFuture<Link> open(PushReceiver receiver);

  /** Opens a connection to {@code node}; to the only server where there is no cluster. */
  default CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return open(receiver);
  }

  /** Adds a node that another node has named. */
  default void learn(Endpoint node) {}
}
