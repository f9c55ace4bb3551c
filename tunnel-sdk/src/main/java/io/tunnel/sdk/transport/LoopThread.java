package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A thread that is a Netty event loop, on which connections of its worker or reader live too. */
public final class LoopThread implements WorkerThread {

  private final EventLoops loops = EventLoops.start(1);
  private final EventLoops.Place place = loops.nextPlace();
  private final EventLoop loop = place.loop();

  /** A greeted connection whose pushes, and whose end, are told on this thread. */
  public CompletableFuture<Link> connect(
      LoadedConfig config, Endpoint endpoint, PushReceiver receiver) {
    return Connection.open(place, config, endpoint, receiver).thenApply(link -> link);
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    var unused = loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    loops.close();
  }
}
