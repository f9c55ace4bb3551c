package io.tunnel.programs.bench;

import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import java.io.PrintWriter;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Shows on standard error which step a benchmark is at, and how far that is. */
final class StepProgress implements Progress {

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long STOP_MS_MAX = 2_000;

  private final PrintWriter err;
  private final LoadClock clock;
  private volatile String step = "";

  StepProgress(PrintWriter err, LoadClock clock) {
    this.err = err;
    this.clock = clock;
  }

  @Override
  public void step(String what) {
    step = what;
  }

  @Override
  public Watch watch(String verb, long total, LongSupplier done) {
    Screen screen = Screen.standardError(err, System.getenv());
    ProgressBar bar =
        new ProgressBar(
            step + ": " + verb,
            "rows",
            total > 0 ? OptionalLong.of(total) : OptionalLong.empty(),
            screen,
            clock::nanos);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread looking =
        new Thread(
            () -> {
              while (!isOver.get()) {
                clock.waitUntil(clock.nanos() + LOOK_NANOS, isOver::get);
                bar.advanceTo(done.getAsLong());
              }
            },
            "progress");
    looking.setDaemon(true);
    looking.start();
    return () -> {
      isOver.set(true);
      join(looking);
      bar.advanceTo(done.getAsLong());
      bar.close();
    };
  }

  private static void join(Thread thread) {
    try {
      thread.join(STOP_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
