package io.tunnel.sdk.worker.thread;

/** The threads that run what the user wrote. Thread-safe. */
public interface ProcessorThreads extends AutoCloseable {

  /** As many threads as that many channels can use. */
  void fitTo(int channels);

  /**
   * Runs the task when a thread is free, tasks in the order in which they were given; returns false
   * when the threads have been closed.
   */
  boolean run(Runnable task);

  /**
   * Runs the task at once beside those that may occupy all threads: for a word to somebody who is
   * busy. A caller gives one such task at a time. Returns false when the threads have been closed.
   */
  boolean runBeside(Runnable task);

  /** Whether the calling thread is one of these: it must not wait for them to end. */
  boolean isOwnThread();

  /** Interrupts what runs; what waits runs yet. */
  void interrupt();

  /** Runs what waits, then ends the threads. Idempotent. */
  @Override
  void close();
}
