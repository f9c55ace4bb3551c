package io.tunnel.sdk.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits of tests for what happens outside of the service. */
public final class Waits {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private Waits() {}

  /** Returns when the condition holds. */
  public static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > DEADLINE_NANOS) {
        throw new AssertionError("not in time: " + what);
      }
      LockSupport.parkNanos(500_000);
    }
  }
}
