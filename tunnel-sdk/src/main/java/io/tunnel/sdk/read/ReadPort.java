package io.tunnel.sdk.read;

import io.tunnel.sdk.delivery.DeliveryThread;

/** The outside world of a reader: its thread with connections, time and chance. */
public interface ReadPort extends DeliveryThread {

  /** Runs the task on the thread; returns false, and drops the task, when the thread has ended. */
  boolean execute(Runnable task);

  @Override
  default void guarded(Runnable task) {
    task.run();
  }

  /** Ends the thread and all its connections. */
  void close();
}
