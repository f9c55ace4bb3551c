package io.tunnel.sdk.worker;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A worker's thread that is a Netty event loop, on which the worker's connections live too. */
final class LoopThread implements WorkerThread {

  private final EventLoops loops = EventLoops.start(1);
  private final EventLoops.Place place = loops.nextPlace();
  private final EventLoop loop = place.loop();

  CompletableFuture<Link> connect(ClientConfig config, Endpoint endpoint, PushReceiver receiver) {
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
