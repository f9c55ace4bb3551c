package io.tunnel.server.backup.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Does tasks on a bounded number of threads. Each thread has a tool of its own, so tools need not
 * be safe for several threads, and their number bounds threads and memory.
 *
 * <p>After the first failure no other task begins, and threads that wait are interrupted. All
 * threads have ended when a call returns, so the caller may close what the tasks used.
 */
final class SideBySide {

  private SideBySide() {}

  /** A task. */
  @FunctionalInterface
  interface Work<T, U, V> {
    /** Does the task with the tool of the thread. */
    V done(T tool, U task) throws IOException;
  }

  /**
   * Does all tasks. With one tool, the calling thread does the tasks in order.
   *
   * @param name of the threads, in dumps
   * @param tools one for each thread, at least one
   * @return the results in the order of the tasks
   * @throws IOException of the task that failed first
   */
  static <T, U, V> List<V> all(String name, List<T> tools, List<U> tasks, Work<T, U, V> work)
      throws IOException {
    if (tools.size() == 1 || tasks.size() < 2) {
      List<V> results = new ArrayList<>();
      for (U task : tasks) {
        results.add(work.done(tools.get(0), task));
      }
      return results;
    }
    return new Run<>(name, tools, tasks, work).run();
  }

  /** One call. */
  private static final class Run<T, U, V> {
    private final List<U> tasks;
    private final Work<T, U, V> work;
    private final List<Optional<V>> results;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<Optional<Throwable>> failure =
        new AtomicReference<>(Optional.empty());
    private final CountDownLatch ended;

    Run(String name, List<T> tools, List<U> tasks, Work<T, U, V> work) {
      this.tasks = tasks;
      this.work = work;
      this.results = new ArrayList<>(tasks.stream().map(task -> Optional.<V>empty()).toList());
      int count = Math.min(tools.size(), tasks.size());
      this.ended = new CountDownLatch(count);
      for (int i = 0; i < count; i++) {
        T tool = tools.get(i);
        threads.add(new Thread(() -> work(tool), name + "-" + i));
      }
    }

    List<V> run() throws IOException {
      threads.forEach(Thread::start);
      boolean isInterrupted = false;
      while (true) {
        try {
          ended.await();
          break;
        } catch (InterruptedException e) {
          isInterrupted = true;
          fail(new IOException("interrupted", e));
        }
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
      rethrow();
      synchronized (results) {
        return results.stream().map(Optional::orElseThrow).toList();
      }
    }

    private void work(T tool) {
      try {
        for (int task = next.getAndIncrement();
            task < tasks.size() && failure.get().isEmpty();
            task = next.getAndIncrement()) {
          V result = work.done(tool, tasks.get(task));
          synchronized (results) {
            results.set(task, Optional.of(result));
          }
        }
      } catch (IOException | RuntimeException | Error e) {
        fail(e);
      } finally {
        ended.countDown();
      }
    }

    /** The first failure counts: later failures come from interrupted tasks. */
    private void fail(Throwable reason) {
      if (failure.compareAndSet(Optional.empty(), Optional.of(reason))) {
        threads.forEach(Thread::interrupt);
      }
    }

    private void rethrow() throws IOException {
      Optional<Throwable> first = failure.get();
      if (first.isEmpty()) {
        return;
      }
      Throwable reason = first.get();
      if (reason instanceof IOException e) {
        throw e;
      } else if (reason instanceof Error e) {
        throw e;
      } else if (reason instanceof RuntimeException e) {
        throw e;
      }
    }
  }
}
