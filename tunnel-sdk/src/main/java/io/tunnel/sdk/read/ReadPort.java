package io.tunnel.sdk.read;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryThread;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import java.util.concurrent.CompletableFuture;

/** All that a reader needs of the world: one thread, connections that live on it, time, chance. */
public interface ReadPort extends DeliveryThread {

  /** A greeted connection to that node, whose pushes and end are told on the thread. */
  CompletableFuture<Link> open(Endpoint node, PushReceiver receiver);

  /** Runs the task on the thread; false when that has ended, and nothing runs. */
  boolean execute(Runnable task);

  @Override
  default void guarded(Runnable task) {
    task.run();
  }

  /** Nanoseconds since some moment. */
  long nanos();

  /** Uniform in [0, 1); on the thread only. */
  double chance();

  /** Ends the thread and with it all connections. */
  void close();
}
