package io.tunnel.programs.demo;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The CPU time of one side of the program: of all threads of a thread group, to which belong the
 * threads that {@link #call} runs on and whatever threads those start. Sample it regularly, and
 * before threads are ended: what a thread used after its last sample is not counted.
 */
final class ThreadCpu {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final ThreadGroup group;
  private final Map<Long, Long> nanosByThread = new ConcurrentHashMap<>();

  ThreadCpu(String name) {
    this.group = new ThreadGroup(name);
  }

  /** Does {@code work} on a thread of this side, and waits for it. */
  <T> T call(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(group, task, group.getName());
    thread.start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw e;
    } finally {
      sample();
    }
  }

  /** A new thread of this side, which is sampled when it ends. */
  Thread thread(Runnable task, String name) {
    return new Thread(
        group,
        () -> {
          try {
            task.run();
          } finally {
            nanosByThread.put(Thread.currentThread().getId(), THREADS.getCurrentThreadCpuTime());
          }
        },
        name);
  }

  /** Looks at all threads of this side. */
  void sample() {
    Thread[] threads = new Thread[group.activeCount() * 2 + 16];
    int count = group.enumerate(threads, true);
    for (int i = 0; i < count; i++) {
      long id = threads[i].getId();
      long nanos = THREADS.getThreadCpuTime(id);
      if (nanos > 0) {
        nanosByThread.merge(id, nanos, Math::max);
      }
    }
  }

  /** CPU time as of the last samples. */
  long nanos() {
    return nanosByThread.values().stream().mapToLong(Long::longValue).sum();
  }
}
