package io.tunnel.it.sim.machine;

import io.tunnel.sdk.transport.WorkerThread;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The threads of a simulated worker. What a processor does happens at once, when it is called; that
 * it took time shows in that its thread is free, and the worker hears of it, only later.
 */
public final class SimThreads implements ProcessorThreads {

  private static final long USUAL_NANOS_MAX = 400_000;

  private final SimProcess process;
  private final SimLoop loop;
  private final int threadsMax;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final List<Busy> busy = new ArrayList<>();
  private final Runnable whenClosed;
  private Busy running;
  private int lastThread;
  private boolean isClosed;

  /** A thread that is occupied by a callback. */
  private final class Busy {
    private final SimThread thread;
    private final List<Runnable> posted = new ArrayList<>();
    private Runnable atEnd = () -> {};
    private Runnable cancel = () -> {};
    private long nanos = 1 + process.random.nextLong(USUAL_NANOS_MAX);

    Busy(SimThread thread) {
      this.thread = thread;
    }

    void end() {
      if (busy.remove(this)) {
        cancel.run();
        atEnd.run();
        posted.forEach(loop::execute);
        pump();
      }
    }
  }

  public SimThreads(SimProcess process, int threadsMax, Runnable whenClosed) {
    this.process = process;
    this.loop = new SimLoop(process.thread("loop"));
    this.threadsMax = threadsMax;
    this.whenClosed = whenClosed;
  }

  public SimLoop loop() {
    return loop;
  }

  /** The running task takes {@code nanos}, and then runs {@code atEnd}. */
  public void takes(long nanos, Runnable atEnd) {
    running.nanos = nanos;
    running.atEnd = atEnd;
  }

  @Override
  public void fitTo(int channels) {
    // A thread costs nothing here.
  }

  @Override
  public boolean run(Runnable task) {
    if (isClosed) {
      return false;
    }
    waiting.add(task);
    pump();
    return true;
  }

  private void pump() {
    while (busy.size() < threadsMax && !waiting.isEmpty()) {
      begin(waiting.remove());
    }
  }

  private void begin(Runnable task) {
    Busy next = new Busy(process.thread("processor-" + ++lastThread));
    busy.add(next);
    next.thread.execute(
        () -> {
          Busy outer = running;
          running = next;
          try {
            task.run();
          } finally {
            running = outer;
          }
          next.cancel = next.thread.after(next.nanos, next::end);
        });
  }

  @Override
  public boolean runBeside(Runnable task) {
    if (!isClosed) {
      process.thread("beside-" + ++lastThread).execute(task);
    }
    return !isClosed;
  }

  @Override
  public boolean isOwnThread() {
    return running != null;
  }

  /** Callbacks that take their time end now; that they fail is not simulated. */
  @Override
  public void interrupt() {
    List.copyOf(busy).forEach(each -> each.thread.execute(each::end));
  }

  /** Runs what waits, then nothing more. */
  @Override
  public void close() {
    isClosed = true;
  }

  /** The thread of the worker itself; what a callback posts to it comes when the callback ends. */
  public final class Own implements WorkerThread {

    @Override
    public void execute(Runnable task) {
      if (running != null) {
        running.posted.add(task);
      } else {
        loop.execute(task);
      }
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      loop.thread().after(delayNanos, task);
    }

    @Override
    public void close() {
      whenClosed.run();
    }
  }
}
