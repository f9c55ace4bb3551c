package io.tunnel.programs.bench.load;

import io.tunnel.stress.LoadClock;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A clock that tests turn; a wait turns it to its end. */
public final class TurnedClock implements LoadClock {

  private final AtomicLong nanos = new AtomicLong(1_000);
  private volatile long nanosOfLook;

  /** Turns the clock forward. */
  public void pass(long more) {
    nanos.addAndGet(more);
  }

  /** From now on each look takes so long. */
  public void looksTake(long each) {
    nanosOfLook = each;
  }

  /** Turns the clock to a time. */
  public void set(long to) {
    nanos.set(to);
  }

  @Override
  public long nanos() {
    return nanos.addAndGet(nanosOfLook);
  }

  @Override
  public long epochMs() {
    return nanos.get() / 1_000_000;
  }

  @Override
  public void waitUntil(long until, BooleanSupplier stopped) {
    if (!stopped.getAsBoolean()) {
      nanos.accumulateAndGet(until, Math::max);
    }
  }
}
