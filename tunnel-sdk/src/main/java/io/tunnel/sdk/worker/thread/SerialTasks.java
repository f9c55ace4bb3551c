package io.tunnel.sdk.worker.thread;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs tasks one after the other beside the threads that process, so that neither waits for the
 * other. Thread-safe.
 */
public final class SerialTasks {

  private final ProcessorThreads threads;
  private final BlockingQueue<Runnable> tasks;
  private final AtomicBoolean isRunning = new AtomicBoolean();

  public SerialTasks(ProcessorThreads threads, int tasksMax) {
    this.threads = threads;
    this.tasks = new LinkedBlockingQueue<>(tasksMax);
  }

  /** Runs the task when those before it have run; returns false when too many wait. */
  public boolean offer(Runnable task) {
    if (!tasks.offer(task)) {
      return false;
    }
    if (isRunning.compareAndSet(false, true) && !threads.runBeside(this::drain)) {
      drain(); // The threads have ended, and with them whatever this one could hold up.
    }
    return true;
  }

  /** One more look after the last task: what came meanwhile found somebody running. */
  private void drain() {
    do {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      isRunning.set(false);
    } while (!tasks.isEmpty() && isRunning.compareAndSet(false, true));
  }
}
