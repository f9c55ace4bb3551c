package io.tunnel.sdk.worker.thread;

/** The threads that run the user's code. Thread-safe. */
public interface ProcessorThreads extends AutoCloseable {

  /** Fits the number of threads to the number of channels. */
  void fitTo(int channels);

  /**
   * Runs the task when a thread is free, in order of the calls. Returns false when the threads are
   * closed.
   */
  boolean run(Runnable task);

  /**
   * Runs the task at once, even when all other threads are busy: for notices to a running processor
   * or listener. A caller has one such task at a time. Returns false when the threads are closed.
   */
  boolean runBeside(Runnable task);

  /** True on a thread of the processors; such a thread must not wait for the end of the threads. */
  boolean isOwnThread();

  /** Interrupts running tasks; waiting tasks still run. */
  void interrupt();

  /** Runs the waiting tasks, then ends the threads. Idempotent. */
  @Override
  void close();
}
