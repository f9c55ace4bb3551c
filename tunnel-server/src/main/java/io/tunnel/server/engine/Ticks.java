package io.tunnel.server.engine;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs periodic looks of other classes. A run that is much too late only logs that: its thread was
 * held up, and waiting tasks of the thread, heartbeats above all, came in time and have to run
 * before leases are looked at. The next run comes after them. No two runs in a row are skipped.
 */
public final class Ticks implements Runnable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Ticks.class);

  private static final long TICK_MS = 100;
  private static final long TICK_GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(3 * TICK_MS);

  /** A busy machine holds threads up many times a second: the log has one line a minute. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanos;
  private final long gapNanosMax;
  private final List<Runnable> looks;
  private long lastNanos;
  private boolean wasLeftOut;

  /** Stalls since the last line of the log, and the longest of them. */
  private int stalls;

  private long stallNanosMax;

  /** When the log had a line; a minute ago before the first one. */
  private long loggedNanos;

  /** Runs {@code looks} in order; after a failed look the next ones still run. */
  public Ticks(LongSupplier nanos, long gapNanosMax, List<Runnable> looks) {
    this.nanos = nanos;
    this.gapNanosMax = gapNanosMax;
    this.looks = List.copyOf(looks);
    this.lastNanos = nanos.getAsLong();
    this.loggedNanos = lastNanos - LOG_NANOS;
  }

  /** Runs {@code looks} on {@code thread} a few times a second, until the thread ends. */
  public static void begin(
      ScheduledExecutorService thread, LongSupplier nanos, List<Runnable> looks) {
    // With a delay: at a fixed rate, missed runs would come before waiting tasks.
    thread.scheduleWithFixedDelay(
        new Ticks(nanos, TICK_GAP_NANOS_MAX, looks), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs {@code look} on {@code thread} at this interval in milliseconds, until the thread ends.
   */
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
      heldUp(gapNanos);
    } else {
      looks.forEach(Ticks::guarded);
    }
    lastNanos = nanos.getAsLong();
  }

  private void heldUp(long gapNanos) {
    stalls++;
    stallNanosMax = Math.max(stallNanosMax, gapNanos);
    long now = nanos.getAsLong();
    if (now - loggedNanos >= LOG_NANOS) {
      LOGGER.warn(
          "thread {} was held up {} times since the last such line, for {} ms at most; each time a"
              + " look was skipped, so that waiting tasks run first",
          Thread.currentThread().getName(),
          stalls,
          stallNanosMax / 1_000_000);
      stalls = 0;
      stallNanosMax = 0;
      loggedNanos = now;
    }
  }

  private static void guarded(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException | VirtualMachineError e) {
      // A schedule ends with the first exception, but leases, for one, must keep expiring.
      LOGGER.error("a tick of thread {} failed", Thread.currentThread().getName(), e);
    }
  }
}
