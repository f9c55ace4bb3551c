package io.tunnel.stress;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A clock that the test turns; a thread that waits turns it to the time that it waits for. */
final class ManualClock implements LoadClock {

  private final AtomicLong nanos;

  ManualClock(long nanos) {
    this.nanos = new AtomicLong(nanos);
  }

  void advance(long byNanos) {
    nanos.addAndGet(byNanos);
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public long epochMs() {
    return nanos.get() / 1_000_000;
  }

  @Override
  public void waitUntil(long until, BooleanSupplier stopped) {
    nanos.accumulateAndGet(until, Math::max);
  }
}
