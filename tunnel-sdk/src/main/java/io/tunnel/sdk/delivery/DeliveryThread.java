package io.tunnel.sdk.delivery;

/** The one thread of a worker or a reader, as its links use it while they are on it. */
public interface DeliveryThread {

  /** Runs the task here and now; what it throws is told to whom it concerns. */
  void guarded(Runnable task);

  /** Runs the task on this thread after a pause; dropped when the thread has ended. */
  void later(long pauseNanos, Runnable task);
}
