package io.tunnel.stress;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The clock of this machine. */
public final class SystemClock implements LoadClock {

  /** How long a wait may go on after it was stopped. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public long epochMs() {
    return System.currentTimeMillis();
  }

  @Override
  public void waitUntil(long nanos, BooleanSupplier stopped) {
    long left = nanos - System.nanoTime();
    while (left > 0 && !stopped.getAsBoolean()) {
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
      left = nanos - System.nanoTime();
    }
  }
}
