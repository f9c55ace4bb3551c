package io.tunnel.sdk.worker.thread;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The daemon threads that run the user's code, for all workers of a process. Tasks may block; so
 * the threads have no limit here, and each {@link ProcessorPool} limits its own tasks.
 *
 * <p>Tasks wait in one queue. While tasks wait, one thread is on its way: the thread that became
 * idle last, or a started thread where none is idle. When it arrives, it takes a task, and calls
 * the next thread if tasks still wait. So a burst of short tasks needs few threads, because these
 * return for a second task before many others have arrived; and a task never waits for tasks that
 * block, only for the arrival of one thread for each task before it. Threads that the load does not
 * need stay idle, and end.
 */
final class CallThreads {

  private static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  /**
   * The threads of the process: workers know nothing of each other, so only a static field can be
   * shared. Without tasks the field holds no thread, because idle threads end.
   */
  static final CallThreads OF_PROCESS = new CallThreads("tunnel-processor", IDLE_NANOS_MAX);

  private final String name;
  private final long idleNanosMax;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** Idle threads that are not called; the last became idle last. */
  private final Deque<CallThread> idle = new ArrayDeque<>();

  /** Whether a thread is on its way; true while a task waits, unless the system has no thread. */
  private boolean isOneCalled;

  private int alive;
  private long started;

  CallThreads(String name, long idleNanosMax) {
    this.name = name;
    this.idleNanosMax = idleNanosMax;
  }

  /**
   * Runs the task soon.
   *
   * @throws OutOfMemoryError when there is no thread, and the system gives none
   */
  void run(Runnable task) {
    lock.lock();
    try {
      waiting.addLast(task);
      call();
    } catch (OutOfMemoryError e) {
      waiting.removeLastOccurrence(task);
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Calls a thread, unless one is on its way or no task waits. */
  private void call() {
    if (isOneCalled || waiting.isEmpty()) {
      return;
    }
    CallThread last = idle.pollLast();
    if (last != null) {
      last.isCalled = true;
      last.called.signal();
      isOneCalled = true;
      return;
    }
    try {
      new CallThread(name + "-" + ++started).start();
      isOneCalled = true;
      alive++;
    } catch (OutOfMemoryError e) {
      // Otherwise a thread that lives takes the task after its own.
      if (alive == 0) {
        throw e;
      }
    }
  }

  /** The next task; waits for one. Null when the thread was idle for too long. */
  private Runnable next(CallThread thread) {
    lock.lock();
    try {
      long leftNanos = idleNanosMax;
      while (true) {
        boolean wasCalled = thread.isCalled;
        if (wasCalled) {
          thread.isCalled = false;
          isOneCalled = false;
        }
        Runnable task = waiting.pollFirst();
        if (task == null) {
          leftNanos = await(thread, leftNanos);
          if (leftNanos <= 0 && !thread.isCalled) {
            alive--;
            return null;
          }
        } else {
          if (wasCalled) {
            call();
          }
          return task;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private long await(CallThread thread, long nanos) {
    idle.addLast(thread);
    long leftNanos = nanos;
    while (!thread.isCalled && leftNanos > 0) {
      try {
        leftNanos = thread.called.awaitNanos(leftNanos);
      } catch (InterruptedException e) {
        // Meant for a task that has ended.
      }
    }
    idle.remove(thread); // Unless it was called.
    return leftNanos;
  }

  /** A thread that takes tasks until none comes for too long. */
  final class CallThread extends Thread {
    private final Condition called = lock.newCondition();

    /** Guarded by the lock; at most one thread is called at a time. */
    private boolean isCalled = true;

    /** The pool of the running task, or null; used by this thread only. */
    private ProcessorPool pool;

    private CallThread(String name) {
      // Inherits no values of the thread that happens to start it.
      super(null, null, name, 0, false);
      setDaemon(true);
    }

    @Override
    public void run() {
      for (Runnable task = next(this); task != null; task = next(this)) {
        task.run();
      }
    }

    /** Says whose task the thread runs; null for none. */
    void lendTo(ProcessorPool borrower) {
      pool = borrower;
    }

    boolean isLentTo(ProcessorPool asked) {
      return pool == asked;
    }
  }
}
