package io.tunnel.sdk.transport;

/**
 * The one thread to which all state of a worker or a reader belongs. Tasks run one after the other,
 * in the order in which they were given, never inside the call that gives them.
 */
public interface WorkerThread {

  /**
   * Runs the task soon; from any thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the thread has ended
   */
  void execute(Runnable task);

  /**
   * Runs the task after a pause, or never when the thread ends before.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the thread has ended
   */
  void schedule(Runnable task, long delayNanos);

  /** Ends the thread; what it has not begun need not run. Idempotent. */
  void close();
}
