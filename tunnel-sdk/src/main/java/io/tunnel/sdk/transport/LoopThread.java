package io.tunnel.sdk.transport;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A Netty event loop as the thread of a worker or reader, and of its connections. */
public final class LoopThread implements WorkerThread {

  private final EventLoops loops = EventLoops.start(1);
  private final EventLoops.Place place = loops.nextPlace();
  private final EventLoop loop = place.loop();

  /** Opens and greets a connection; its pushes and its end arrive on this thread. */
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
