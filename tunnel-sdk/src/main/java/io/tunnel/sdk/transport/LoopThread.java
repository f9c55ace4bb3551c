package io.tunnel.sdk.transport;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import java.util.concurrent.CompletableFuture;

/** A place on an event loop as the thread of a worker or reader, and of its connections. */
public final class LoopThread implements WorkerThread {

  private final EventLoops.Place place = EventLoops.OF_DELIVERIES.place();
  private final ClientPort port = ClientPort.of(place, new SystemClock());

  /** Opens and greets a connection; its pushes and its end arrive on this thread. */
  public CompletableFuture<Link> connect(
      LoadedConfig config, Endpoint endpoint, PushReceiver receiver) {
    return Connection.open(port, config, endpoint, receiver).thenApply(link -> link);
  }

  @Override
  public void execute(Runnable task) {
    place.execute(task);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    place.schedule(task, delayNanos);
  }

  @Override
  public void close() {
    place.close();
  }
}
