package io.tunnel.it.sim.machine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** A thread of a process, as far as anybody can tell: tasks run one at a time, in order, soon. */
public final class SimThread implements Executor {

  private static final int USUAL_NANOS_MAX = 20_000;
  private static final int SLOW_NANOS_MAX = 3_000_000;
  private static final int SLOW_ONE_IN = 50;

  public final SimProcess process;
  final String name;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean isScheduled;
  private boolean isRunning;
  private boolean isClosed;
  private long blockedUntilNanos;

  SimThread(SimProcess process, String name) {
    this.process = process;
    this.name = name;
  }

  /** Whose thread it is. */
  public SimProcess process() {
    return process;
  }

  /** Whether the code that asks runs on this thread. */
  public boolean isRunning() {
    return isRunning;
  }

  @Override
  public void execute(Runnable task) {
    if (process.isAlive() && !isClosed) {
      tasks.add(task);
      scheduleNext();
    }
  }

  /** Blocks for a while, as a thread that waits for an answer. */
  public void block(long nanos) {
    blockedUntilNanos = process.agenda.nowNanos() + nanos;
  }

  /** Runs the task when that much time has passed, if the process lives then. */
  public Runnable after(long delayNanos, Runnable task) {
    boolean[] isCancelled = {false};
    process.agenda.after(
        delayNanos,
        () -> {
          if (!isCancelled[0]) {
            execute(
                () -> {
                  if (!isCancelled[0]) {
                    task.run();
                  }
                });
          }
        });
    return () -> isCancelled[0] = true;
  }

  /** Runs what was given, and takes nothing more. */
  void close() {
    isClosed = true;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Whether a task of the thread waits for a disk or for somebody else. */
  public boolean isBlocked() {
    return blockedUntilNanos > process.agenda.nowNanos();
  }

  void scheduleNext() {
    if (!isScheduled && !tasks.isEmpty()) {
      isScheduled = true;
      int nanosMax = process.random.nextInt(SLOW_ONE_IN) == 0 ? SLOW_NANOS_MAX : USUAL_NANOS_MAX;
      long blockedNanos = Math.max(0, blockedUntilNanos - process.agenda.nowNanos());
      process.agenda.after(blockedNanos + process.random.nextInt(nanosMax), this::runNext);
    }
  }

  private void runNext() {
    isScheduled = false;
    if (!process.isAlive()) {
      tasks.clear();
    } else if (process.isPaused()) {
      process.sleeps(this);
    } else {
      Runnable task = tasks.remove();
      isRunning = true;
      try {
        task.run();
      } finally {
        isRunning = false;
      }
      process.taskDone(this);
      scheduleNext();
    }
  }
}
