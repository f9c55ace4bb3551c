package io.tunnel.sdk.worker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The daemon threads that call processors: never more than channels, nor than allowed. */
final class ProcessorThreads implements AutoCloseable {

  private static final long IDLE_SECONDS_MAX = 30;

  private final int threadsMax;
  private final ThreadPoolExecutor pool;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();

  ProcessorThreads(String name, int threadsMax) {
    this.threadsMax = threadsMax;
    AtomicInteger count = new AtomicInteger();
    // Which threads there are is the core size; what waits is at most a task per channel.
    this.pool =
        new ThreadPoolExecutor(
            1,
            threadsMax,
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new ProcessorThread(task, name + "-" + count.incrementAndGet(), this);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  /** As many threads as that many channels can use. */
  void fitTo(int channels) {
    pool.setCorePoolSize(Math.max(1, Math.min(threadsMax, channels)));
  }

  /** Runs the task; returns false when the threads have been stopped. */
  boolean run(Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Whether the calling thread is one of these: it must not wait for them to end. */
  boolean isOwnThread() {
    return Thread.currentThread() instanceof ProcessorThread thread && thread.owner == this;
  }

  /** Interrupts what runs; what waits runs yet. */
  void interrupt() {
    running.forEach(Thread::interrupt);
  }

  /** Runs what waits, then ends the threads. */
  @Override
  public void close() {
    pool.shutdown();
  }

  private static final class ProcessorThread extends Thread {
    private final ProcessorThreads owner;

    ProcessorThread(Runnable task, String name, ProcessorThreads owner) {
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
