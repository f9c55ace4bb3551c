package io.tunnel.sdk.worker;

import io.tunnel.sdk.transport.WorkerThread;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Runs the worker's thread and the processors' threads on the test's thread. Virtual time passes
 * only when no task is due. Tests provide the connections.
 */
abstract class VirtualWorld implements WorkerThread, ProcessorThreads, Links {

  private record Task(long atNanos, long number, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparing(Task::atNanos).thenComparing(Task::number));
  private final Random random;
  private long nowNanos;
  private long numbers;
  private boolean isClosed;

  VirtualWorld() {
    this(1);
  }

  VirtualWorld(long seed) {
    random = new Random(seed);
  }

  final WorkerPorts ports() {
    return new WorkerPorts(this, this, this, () -> nowNanos, random);
  }

  final long nowNanos() {
    return nowNanos;
  }

  /** Runs all tasks that are due until {@code time}. */
  final void runUntil(Duration time) {
    long end = time.toNanos();
    while (!tasks.isEmpty() && tasks.peek().atNanos() <= end) {
      Task next = tasks.remove();
      nowNanos = Math.max(nowNanos, next.atNanos());
      next.run().run();
    }
    nowNanos = Math.max(nowNanos, end);
  }

  @Override
  public final void execute(Runnable task) {
    schedule(task, 0);
  }

  @Override
  public final void schedule(Runnable task, long delayNanos) {
    tasks.add(new Task(nowNanos + delayNanos, numbers++, task));
  }

  @Override
  public void fitTo(int channels) {}

  @Override
  public final boolean run(Runnable task) {
    execute(task);
    return true;
  }

  @Override
  public final boolean runBeside(Runnable task) {
    execute(task);
    return true;
  }

  @Override
  public final boolean isOwnThread() {
    return false;
  }

  @Override
  public final void interrupt() {}

  @Override
  public final void close() {
    isClosed = true;
  }

  final boolean isClosed() {
    return isClosed;
  }
}
