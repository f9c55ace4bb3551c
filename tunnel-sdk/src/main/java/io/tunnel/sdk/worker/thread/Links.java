package io.tunnel.sdk.worker.thread;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** Opens connections to the server, or to the nodes of a cluster. Called on the worker's thread. */
@FunctionalInterface
public interface Links {

  /**
   * A greeted connection to any node, whose pushes and whose end are told to {@code receiver} on
   * the worker's thread. The future completes there too, before anything is pushed.
   */
  CompletableFuture<Link> open(PushReceiver receiver);

  /** {@link #open(PushReceiver)} to that node. Where there is one server, it is any. */
  default CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return open(receiver);
  }

  /** A node has said that there is one. */
  default void learn(Endpoint node) {}
}
