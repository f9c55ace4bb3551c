package io.tunnel.flink.source;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for something that another process or thread will have done. */
final class Eventually {

  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Eventually() {}

  /** Looks until it is so; what is thrown meanwhile counts as not yet. */
  static void require(Callable<Boolean> condition) {
    long begunNanos = System.nanoTime();
    Throwable last = new AssertionError("it was never so");
    while (System.nanoTime() - begunNanos < NANOS_MAX) {
      try {
        if (condition.call()) {
          return;
        }
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    throw new AssertionError("not within " + NANOS_MAX + " ns", last);
  }
}
