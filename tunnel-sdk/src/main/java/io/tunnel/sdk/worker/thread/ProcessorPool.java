package io.tunnel.sdk.worker.thread;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads in two pools. The main pool has at most one thread for each channel, up to a
 * limit. The pool beside it has one thread for each pending task.
 */
public final class ProcessorPool implements ProcessorThreads {

  private static final long IDLE_SECONDS_MAX = 30;

  private final int threadsMax;
  private final ThreadPoolExecutor pool;
  private final ThreadPoolExecutor beside;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();

  public ProcessorPool(String name, int threadsMax) {
    this.threadsMax = threadsMax;
    AtomicInteger count = new AtomicInteger();
    ThreadFactory threads =
        task -> {
          Thread thread = new ProcessorThread(task, name + "-" + count.incrementAndGet(), this);
          thread.setDaemon(true);
          return thread;
        };
    // The core size limits the threads; at most one task per channel waits in the queue.
    this.pool =
        new ThreadPoolExecutor(
            1,
            threadsMax,
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads);
    this.beside =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads);
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void fitTo(int channels) {
    pool.setCorePoolSize(Math.max(1, Math.min(threadsMax, channels)));
  }

  @Override
  public boolean run(Runnable task) {
    return run(pool, task);
  }

  @Override
  public boolean runBeside(Runnable task) {
    return run(beside, task);
  }

  private static boolean run(ThreadPoolExecutor threads, Runnable task) {
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public boolean isOwnThread() {
    return Thread.currentThread() instanceof ProcessorThread thread && thread.owner == this;
  }

  @Override
  public void interrupt() {
    running.forEach(Thread::interrupt);
  }

  @Override
  public void close() {
    pool.shutdown();
    beside.shutdown();
  }

  private static final class ProcessorThread extends Thread {
    private final ProcessorPool owner;

    ProcessorThread(Runnable task, String name, ProcessorPool owner) {
      super(task, name);
      this.owner = owner;
    }

    @Override
    public void run() {
      owner.running.add(this);
      try {
        super.run();
      } finally {
        owner.running.remove(this);
      }
    }
  }
}
