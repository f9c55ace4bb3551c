package io.tunnel.it.sim.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Threads of a process that may wait. A task runs on a real thread of its own, but never beside the
 * simulation: the simulation stands still while the task runs, and the task stands still while
 * simulated time passes. So a world stays one order of events that follows from its seed.
 */
public final class SimWaiting implements Executor {

  private final SimThread thread;
  private final List<Task> waiting = new ArrayList<>();
  private Optional<Task> running = Optional.empty();

  /** Tasks run as those of {@code thread} do. */
  public SimWaiting(SimThread thread) {
    this.thread = thread;
  }

  /** Ends a task whose process is no more. */
  private static final class Ended extends Error {
    private static final long serialVersionUID = 1;
  }

  private static final class Task {
    private final Runnable action;
    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore stands = new Semaphore(0);
    private boolean hasBegun;
    private boolean hasEnded;
    private boolean isKilled;
    private long nanos;

    /** What the task waits for; empty while it lets {@link #nanos} pass. */
    private Optional<CompletableFuture<?>> awaited = Optional.empty();

    private Optional<Throwable> failure = Optional.empty();

    Task(Runnable action) {
      this.action = action;
    }

    /** Runs until the task waits or ends. */
    void resume() {
      if (hasBegun) {
        mayRun.release();
      } else {
        hasBegun = true;
        Thread real = new Thread(this::run, "simulated-waiting");
        real.setDaemon(true);
        real.start();
      }
      stands.acquireUninterruptibly();
    }

    private void run() {
      try {
        action.run();
      } catch (Ended e) {
        // The process is no more.
      } catch (RuntimeException | Error e) {
        failure = Optional.of(e);
      }
      hasEnded = true;
      stands.release();
    }

    void pass(long delayNanos) {
      nanos = delayNanos;
      stand(Optional.empty());
    }

    void await(CompletableFuture<?> until) {
      stand(Optional.of(until));
    }

    private void stand(Optional<CompletableFuture<?>> until) {
      requireAlive();
      awaited = until;
      stands.release();
      mayRun.acquireUninterruptibly();
      requireAlive();
    }

    private void requireAlive() {
      if (isKilled) {
        throw new Ended();
      }
    }
  }

  @Override
  public void execute(Runnable action) {
    thread.execute(() -> resume(new Task(action)));
  }

  private void resume(Task task) {
    waiting.remove(task);
    running = Optional.of(task);
    task.resume();
    running = Optional.empty();
    task.failure.ifPresent(
        failure -> {
          throw new IllegalStateException("a task that may wait has failed", failure);
        });
    if (!task.hasEnded) {
      waiting.add(task);
      task.awaited.ifPresentOrElse(
          until -> {
            var unused = until.whenComplete((any, failure) -> goOnLater(task, 0));
          },
          () -> goOnLater(task, task.nanos));
    }
  }

  private void goOnLater(Task task, long nanos) {
    var unused =
        thread.after(
            nanos,
            () -> {
              if (!task.isKilled) {
                resume(task);
              }
            });
  }

  /** To be called by a task: lets that much time pass. */
  public void pass(long nanos) {
    running.orElseThrow().pass(nanos);
  }

  /** To be called by a task: lets time pass until the future is complete. */
  public void await(CompletableFuture<?> until) {
    if (!until.isDone()) {
      running.orElseThrow().await(until);
    }
  }

  /** The process is no more: all tasks end where they wait. */
  public void kill() {
    for (Task task : List.copyOf(waiting)) {
      task.isKilled = true;
      task.resume();
    }
    waiting.clear();
  }
}
