package io.tunnel.sdk.worker;

import io.netty.channel.EventLoop;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What all parts of a worker stand on: its event loop, its threads, time and chance. */
final class WorkerRuntime {

  private final WorkerSettings settings;
  private final ProcessorSource processors;
  private final ProcessorThreads threads;
  private final EventLoop loop;
  private final Ticker ticker;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final Consumer<Throwable> broken;

  WorkerRuntime(
      WorkerSettings settings,
      ProcessorSource processors,
      ProcessorThreads threads,
      EventLoop loop,
      Ticker ticker,
      Consumer<Throwable> broken) {
    this.settings = settings;
    this.processors = processors;
    this.threads = threads;
    this.loop = loop;
    this.ticker = ticker;
    this.broken = broken;
  }

  WorkerSettings settings() {
    return settings;
  }

  ProcessorSource processors() {
    return processors;
  }

  ProcessorThreads threads() {
    return threads;
  }

  EventLoop loop() {
    return loop;
  }

  Ticker ticker() {
    return ticker;
  }

  /** Uniform in [0, 1); on the event loop only. */
  double chance() {
    return jitter.nextDouble();
  }

  /** Runs the task on the event loop; dropped when that has ended, and all state with it. */
  void post(Runnable task) {
    try {
      loop.execute(() -> guarded(task));
    } catch (RejectedExecutionException e) {
      // The worker is gone.
    }
  }

  /** Runs the task on the event loop after a pause. */
  void later(long pauseNanos, Runnable task) {
    var unused = loop.schedule(() -> guarded(task), pauseNanos, TimeUnit.NANOSECONDS);
  }

  /** A broken invariant ends the session that it was found in, instead of stopping it silently. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      broken.accept(e);
    }
  }
}
