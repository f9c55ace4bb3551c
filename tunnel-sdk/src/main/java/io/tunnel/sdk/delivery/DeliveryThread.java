package io.tunnel.sdk.delivery;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** The single thread of a worker or a reader, as its deliveries use it. Called on that thread. */
public interface DeliveryThread {

  /** Opens a greeted connection to {@code node}, which calls {@code receiver} on this thread. */
  CompletableFuture<Link> open(Endpoint node, PushReceiver receiver);

  /** Runs the task at once, and passes its exceptions to the owner of the failed part. */
  void guarded(Runnable task);

  /** Runs the task on this thread after a pause; drops the task when the thread has ended. */
  void later(long pauseNanos, Runnable task);

  /** Monotonic time in nanoseconds, from an arbitrary origin. */
  long nowNanos();

  /** A random number, uniform in [0, 1). */
  double chance();
}
