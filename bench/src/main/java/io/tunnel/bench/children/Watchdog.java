package io.tunnel.bench.children;

import io.tunnel.stress.LoadClock;
import java.util.concurrent.TimeUnit;

/** Ends a benchmark that takes too long. */
public final class Watchdog {

  private static final int INTERNAL = 70;

  private Watchdog() {}

  /** The process ends then, whatever hangs; ending it stops the children. */
  public static void endIn(int minutes, LoadClock clock) {
    long deadlineNanos = clock.nanos() + TimeUnit.MINUTES.toNanos(minutes);
    Thread watchdog =
        new Thread(
            () -> {
              clock.waitUntil(deadlineNanos, () -> false);
              System.err.println("not done after " + minutes + " minutes");
              System.exit(INTERNAL);
            },
            "watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
  }
}
