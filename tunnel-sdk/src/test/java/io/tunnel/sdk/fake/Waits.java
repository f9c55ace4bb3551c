package io.tunnel.sdk.fake;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for something that will happen, not for time to pass. */
public final class Waits {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private Waits() {}

  /** Until the latch is open. */
  public static void await(CountDownLatch latch) {
    try {
      if (!latch.await(DEADLINE_NANOS, TimeUnit.NANOSECONDS)) {
        throw new AssertionError("a latch was not counted down in time");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Until the condition holds. */
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
