package io.tunnel.sdk.read;

import io.tunnel.sdk.delivery.DeliveryThread;

/** All that a reader needs of the world: one thread, connections that live on it, time, chance. */
public interface ReadPort extends DeliveryThread {

  /** Runs the task on the thread; false when that has ended, and nothing runs. */
  boolean execute(Runnable task);

  @Override
  default void guarded(Runnable task) {
    task.run();
  }

  /** Uniform in [0, 1); on the thread only. */
  double chance();

  /** Ends the thread and with it all connections. */
  void close();
}
