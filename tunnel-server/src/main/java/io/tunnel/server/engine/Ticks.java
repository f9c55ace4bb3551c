package io.tunnel.server.engine;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the clock for others, each time that it is run. A run that comes much later than it
 * should only says so: its thread was held up, and what waits for that thread, heartbeats first of
 * all, came in time and has to be counted before leases are looked at. The next run is behind it.
 * No two runs in a row are left out.
 */
public final class Ticks implements Runnable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Ticks.class);

  private static final long TICK_MS = 100;
  private static final long TICK_GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(3 * TICK_MS);

  private final LongSupplier nanos;
  private final long gapNanosMax;
  private final List<Runnable> looks;
  private long lastNanos;
  private boolean wasLeftOut;

  /** Does {@code looks} in their order; one that fails does not keep the next from being done. */
  public Ticks(LongSupplier nanos, long gapNanosMax, List<Runnable> looks) {
    this.nanos = nanos;
    this.gapNanosMax = gapNanosMax;
    this.looks = List.copyOf(looks);
    this.lastNanos = nanos.getAsLong();
  }

  /** Does {@code looks} on {@code thread} again and again, some times a second, until it ends. */
  public static void begin(
      ScheduledExecutorService thread, LongSupplier nanos, List<Runnable> looks) {
    // With a delay: at a fixed rate those that were missed would come before what waits.
    thread.scheduleWithFixedDelay(
        new Ticks(nanos, TICK_GAP_NANOS_MAX, looks), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Does {@code look} on {@code thread} every so many milliseconds, until the thread ends. */
  public static void every(
      ScheduledExecutorService thread, LongSupplier nanos, long ms, Runnable look) {
    thread.scheduleWithFixedDelay(
        new Ticks(nanos, Long.MAX_VALUE, List.of(look)), ms, ms, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run() {
    long gapNanos = nanos.getAsLong() - lastNanos;
    wasLeftOut = !wasLeftOut && gapNanos > gapNanosMax;
    if (wasLeftOut) {
      LOGGER.warn(
          "thread {} was held up for {} ms",
          Thread.currentThread().getName(),
          gapNanos / 1_000_000);
    } else {
      looks.forEach(Ticks::guarded);
    }
    lastNanos = nanos.getAsLong();
  }

  private static void guarded(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException | VirtualMachineError e) {
      // A schedule ends with the first exception; leases, for one, must go on ending.
      LOGGER.error("a tick of thread {} failed", Thread.currentThread().getName(), e);
    }
  }
}
