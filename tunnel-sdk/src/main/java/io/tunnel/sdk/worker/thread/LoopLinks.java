package io.tunnel.sdk.worker.thread;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EndpointsCore;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Opens connections to the first of several nodes that answers. Runs on the worker's thread. */
public final class LoopLinks implements Links {

  private final Opener opener;
  private final EndpointsCore endpoints;

  /** Opens one connection. */
  @FunctionalInterface
  public interface Opener {
    /** Opens a greeted connection to {@code node}. */
    CompletableFuture<Link> open(Endpoint node, PushReceiver receiver);
  }

  /**
   * Links to {@code nodes} and to nodes that are learned later.
   *
   * @param chance uniform in [0, 1): selects the first node to try
   */
  public LoopLinks(Opener opener, List<Endpoint> nodes, double chance) {
    this.opener = opener;
    this.endpoints = new EndpointsCore(nodes, chance);
  }

  @Override
  public CompletableFuture<Link> open(PushReceiver receiver) {
    CompletableFuture<Link> found = new CompletableFuture<>();
    tryNext(endpoints.inTurn(), 0, receiver, found);
    return found;
  }

  private void tryNext(
      List<Endpoint> turn, int index, PushReceiver receiver, CompletableFuture<Link> found) {
    Endpoint endpoint = turn.get(index);
    // After a loss, the next connection tries this node last.
    Relay relay = new Relay(receiver, () -> endpoints.leave(endpoint));
    var unused =
        opener
            .open(endpoint, relay)
            .whenComplete(
                (link, failure) -> {
                  if (failure == null) {
                    found.complete(link);
                    return;
                  }
                  relay.cut();
                  endpoints.unreachable(endpoint);
                  if (index + 1 < turn.size()) {
                    tryNext(turn, index + 1, receiver, found);
                  } else {
                    found.completeExceptionally(Caller.unwrap(failure));
                  }
                });
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return opener.open(node, receiver);
  }

  @Override
  public void learn(Endpoint node) {
    endpoints.learn(node);
  }
}
