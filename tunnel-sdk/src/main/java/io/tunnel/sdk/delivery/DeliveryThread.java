package io.tunnel.sdk.delivery;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** The one thread of a worker or a reader, as its deliveries use it while they are on it. */
public interface DeliveryThread {

  /** A greeted connection to that node, whose pushes and end are told on this thread. */
  CompletableFuture<Link> open(Endpoint node, PushReceiver receiver);

  /** Runs the task here and now; what it throws is told to whom it concerns. */
  void guarded(Runnable task);

  /** Runs the task on this thread after a pause; dropped when the thread has ended. */
  void later(long pauseNanos, Runnable task);

  /** Nanoseconds since some moment. */
  long nowNanos();
}
