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
 * What all parts of a worker stand on.
 *
 * @param notices to the user's listener
 * @param counts of what has happened
 * @param broken is told of what a task threw
 */
record WorkerRuntime(
    WorkerSettings settings,
    ProcessorSource processors,
    WorkerPorts ports,
    Notices notices,
    WorkerCounts counts,
    Consumer<Throwable> broken)
    implements DeliveryThread {

  /** This runtime for a part that is told itself of what its tasks threw. */
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

  /** Uniform in [0, 1); on the worker's thread only. */
  double chance() {
    return ports.chance().nextDouble();
  }

  /** Runs the task on the worker's thread; dropped when that has ended, and all state with it. */
  void post(Runnable task) {
    post(task, () -> {});
  }

  /** Runs the task on the worker's thread, or {@code dropped} here when that has ended. */
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
      // The worker has ended, and all state with it.
    }
  }

  /** A broken invariant ends the session that it was found in, instead of stopping it silently. */
  @Override
  public void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      broken.accept(e);
    }
  }
}
