package io.tunnel.sdk.transport;

/**
 * The one thread that owns all state of a worker or a reader. Tasks run one after the other, in the
 * order of the calls, and never inside a call.
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

  /** Ends the thread; tasks that have not begun may be dropped. Idempotent. */
  void close();
}
