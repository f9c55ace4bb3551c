package io.tunnel.it;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what becomes true by itself. No test waits for time alone. */
public final class Poll {

  /** Longer than anything here takes on a loaded machine. */
  public static final Duration LONG = Duration.ofSeconds(60);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Poll() {}

  /** Returns when {@code condition} holds; fails when it does not within {@code deadline}. */
  public static void until(
      Duration deadline, BooleanSupplier condition, Supplier<String> whatIsMissing) {
    long started = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - started > deadline.toNanos()) {
        throw new AssertionError("not within " + deadline + ": " + whatIsMissing.get());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Waits until a deadline that is only met when something hangs. */
  public static void until(String whatIsMissing, BooleanSupplier condition) {
    until(LONG, condition, () -> whatIsMissing);
  }
}
