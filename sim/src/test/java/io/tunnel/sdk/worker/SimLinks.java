package io.tunnel.sdk.worker;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.sdk.worker.thread.LoopLinks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/** The SDK's own way to one of several nodes, over connections that are simulated. */
public final class SimLinks {

  private SimLinks() {}

  /** Links to those nodes, or others that they tell of. */
  public static Links of(
      List<Endpoint> nodes,
      double chance,
      BiFunction<Endpoint, PushReceiver, CompletableFuture<Link>> connect) {
    return new LoopLinks(connect::apply, nodes, chance);
  }
}
