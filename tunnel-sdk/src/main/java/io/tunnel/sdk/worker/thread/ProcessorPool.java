package io.tunnel.sdk.worker.thread;

import io.tunnel.sdk.worker.thread.CallThreads.CallThread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one worker, lent by the {@link CallThreads} of the process. At most one task for
 * each channel runs at a time, up to a limit; further tasks wait in order. Tasks beside them run at
 * once. All tasks have the context class loader of the thread that made the pool.
 */
public final class ProcessorPool implements ProcessorThreads {

  private static final Logger LOG = LoggerFactory.getLogger(ProcessorPool.class);

  private final CallThreads threads;
  private final int threadsMax;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  // Guarded by this.
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** Threads that run a task of this worker. */
  private final Set<Thread> running = new HashSet<>();

  /** Tasks of channels that have or will have a thread; 0 <= active. */
  private int active;

  /** The most tasks of channels at a time; 1 <= limit <= threadsMax. */
  private int limit = 1;

  private boolean isClosed;

  /** A pool that runs at most {@code threadsMax} tasks of channels at a time. */
  public ProcessorPool(int threadsMax) {
    this(CallThreads.OF_PROCESS, threadsMax);
  }

  ProcessorPool(CallThreads threads, int threadsMax) {
    this.threads = threads;
    this.threadsMax = threadsMax;
  }

  @Override
  public void fitTo(int channels) {
    synchronized (this) {
      limit = Math.max(1, Math.min(threadsMax, channels));
    }
    lend();
  }

  @Override
  public boolean run(Runnable task) {
    synchronized (this) {
      if (isClosed) {
        return false;
      }
      waiting.addLast(task);
    }
    lend();
    return true;
  }

  /** Gives threads to waiting tasks, as many as the limit allows. */
  private void lend() {
    for (Runnable task = take(); task != null; task = take()) {
      Runnable first = task;
      try {
        threads.run(() -> runChannelTasks(first));
      } catch (OutOfMemoryError e) {
        synchronized (this) {
          active--;
        }
        throw e; // Ends the session, and with it the channels that wait for the task.
      }
    }
  }

  private synchronized Runnable take() {
    Runnable task = active < limit ? waiting.pollFirst() : null;
    if (task != null) {
      active++;
    }
    return task;
  }

  private void runChannelTasks(Runnable first) {
    for (Runnable task = first; task != null; task = endAndTake()) {
      runTask(task);
    }
  }

  private synchronized Runnable endAndTake() {
    active--;
    return take();
  }

  @Override
  public boolean runBeside(Runnable task) {
    threads.run(() -> runTask(task));
    return true;
  }

  private void runTask(Runnable task) {
    CallThread thread = (CallThread) Thread.currentThread();
    thread.setContextClassLoader(loader);
    thread.lendTo(this);
    synchronized (this) {
      running.add(thread);
    }
    try {
      task.run();
    } catch (Throwable e) {
      LOG.error("a task of a worker threw; the worker resumes with its next task", e);
    } finally {
      synchronized (this) { // An interrupt hits this task or none.
        running.remove(thread);
        var unused = Thread.interrupted();
      }
      thread.lendTo(null);
      thread.setContextClassLoader(null);
    }
  }

  @Override
  public boolean isOwnThread() {
    return Thread.currentThread() instanceof CallThread thread && thread.isLentTo(this);
  }

  @Override
  public synchronized void interrupt() {
    running.forEach(Thread::interrupt);
  }

  @Override
  public synchronized void close() {
    isClosed = true;
  }
}
