package io.tunnel.sdk.worker.thread;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs tasks one after the other, on a thread beside the threads that call processors: tasks and
 * processors never wait for each other. Thread-safe.
 */
public final class SerialTasks {

  private final ProcessorThreads threads;
  private final BlockingQueue<Runnable> tasks;
  private final AtomicBoolean isRunning = new AtomicBoolean();

  public SerialTasks(ProcessorThreads threads, int tasksMax) {
    this.threads = threads;
    this.tasks = new LinkedBlockingQueue<>(tasksMax);
  }

  /** Runs the task after all earlier tasks; returns false when too many tasks wait. */
  public boolean offer(Runnable task) {
    if (!tasks.offer(task)) {
      return false;
    }
    if (isRunning.compareAndSet(false, true) && !threads.runBeside(this::drain)) {
      drain(); // The threads have ended: no task can delay a processor.
    }
    return true;
  }

  /** Looks again after the last task: a late offer saw this method still running. */
  private void drain() {
    do {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      isRunning.set(false);
    } while (!tasks.isEmpty() && isRunning.compareAndSet(false, true));
  }
}
