package io.tunnel.flink.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other processes will have done. */
final class Eventually {

  private static final Duration LONG = Duration.ofSeconds(90);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private Eventually() {}

  /** Looks until it is so; fails with what is missing when that takes too long. */
  static void require(Supplier<String> whatIsMissing, BooleanSupplier condition) {
    long begunNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begunNanos > LONG.toNanos()) {
        throw new AssertionError("not within " + LONG + ": " + whatIsMissing.get());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
