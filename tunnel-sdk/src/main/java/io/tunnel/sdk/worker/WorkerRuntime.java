package io.tunnel.sdk.worker;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryThread;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The services that all parts of a worker use.
 *
 * @param notices reports to the listener, the log and the status
 * @param counts counters of events
 * @param broken handles exceptions of tasks
 */
record WorkerRuntime(
    WorkerSettings settings,
    ProcessorSource processors,
    WorkerPorts ports,
    Notices notices,
    WorkerCounts counts,
    Consumer<Throwable> broken)
    implements DeliveryThread {

  /** This runtime for a part that handles the exceptions of its tasks itself. */
  WorkerRuntime toldTo(Consumer<Throwable> part) {
    return new WorkerRuntime(settings, processors, ports, notices, counts, part);
  }

  ProcessorThreads threads() {
    return ports.processors();
  }

  @Override
  public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
    return ports.links().open(node, receiver);
  }

  @Override
  public long nowNanos() {
    return ports.ticker().nanos();
  }

  @Override
  public double chance() {
    return ports.chance().nextDouble();
  }

  /** Runs the task on the worker's thread; drops the task when the thread has ended. */
  void post(Runnable task) {
    post(task, () -> {});
  }

  /** Runs the task on the worker's thread, or {@code dropped} here when the thread has ended. */
  void post(Runnable task, Runnable dropped) {
    try {
      ports.thread().execute(() -> guarded(task));
    } catch (RejectedExecutionException e) {
      dropped.run();
    }
  }

  @Override
  public void later(long pauseNanos, Runnable task) {
    try {
      ports.thread().schedule(() -> guarded(task), pauseNanos);
    } catch (RejectedExecutionException e) {
      // The worker has ended: no task is needed.
    }
  }

  /** Exceptions are broken invariants: they end the session instead of stalling it silently. */
  @Override
  public void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      broken.accept(e);
    }
  }
}
