package io.tunnel.cli.export;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StopSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Option;

/**
 * The threads of an export or an import: each takes the next part, until there are none, one has
 * failed, or the command is asked to stop.
 */
final class PartThreads {

  private static final int THREADS_MAX = 8;
  private static final long LOOK_MS = 100;

  private final AtomicInteger next = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean isStopped;

  /** The option {@code --threads}. */
  static final class Count {

    @Option(
        names = "--threads",
        paramLabel = "N",
        defaultValue = "4",
        description =
            "Partitions that are copied at the same time, 1 to 8 (default: ${DEFAULT-VALUE}).")
    private int threads;

    /** For picocli. */
    Count() {}

    void check() {
      CommandFailure.requireRange("--threads", threads, 1, THREADS_MAX);
    }

    int threads() {
      return threads;
    }
  }

  /** What is done with one part. */
  @FunctionalInterface
  interface Work {
    void on(int part) throws Exception;
  }

  /** What the calling thread does several times a second meanwhile, and once at the end. */
  @FunctionalInterface
  interface Meanwhile {
    void look() throws Exception;
  }

  /** Whether {@link Work} is to end before the end of its part. */
  boolean isStopped() {
    return isStopped;
  }

  /** Ends the work early. */
  void stop() {
    isStopped = true;
  }

  /**
   * Does the work on all parts, and returns when no thread works any more.
   *
   * @throws Exception the first failure of the work or of {@code meanwhile}, with later ones
   *     suppressed
   */
  void run(int parts, int threads, StopSignal signal, Work work, Meanwhile meanwhile)
      throws Exception {
    CountDownLatch running = new CountDownLatch(Math.min(parts, threads));
    List<Thread> all = new ArrayList<>();
    for (long i = running.getCount(); i > 0; i--) {
      all.add(new Thread(() -> take(parts, work, running), "part-" + i));
    }
    all.forEach(Thread::start);
    boolean isRunning = true;
    while (isRunning) {
      try {
        isRunning = !running.await(LOOK_MS, TimeUnit.MILLISECONDS);
        meanwhile.look();
      } catch (Exception e) {
        failed(e);
      }
      isStopped |= signal.isAsked();
    }
    rethrow(failure.get());
  }

  private void take(int parts, Work work, CountDownLatch running) {
    try {
      for (int part = next.getAndIncrement();
          part < parts && !isStopped;
          part = next.getAndIncrement()) {
        work.on(part);
      }
    } catch (Exception | Error e) {
      failed(e);
    } finally {
      running.countDown();
    }
  }

  /** The first failure ends the work. */
  private void failed(Throwable why) {
    if (!failure.compareAndSet(null, why) && failure.get() != why) {
      failure.get().addSuppressed(why);
    }
    isStopped = true;
  }

  private static void rethrow(Throwable why) throws Exception {
    if (why instanceof Error error) {
      throw error;
    } else if (why instanceof Exception exception) {
      throw exception;
    }
  }
}
