package io.tunnel.server.partition;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves when it is looked at. */
public final class TestClock implements Shard.Clock {

  private final AtomicLong now = new AtomicLong(1_000_000);
  private final AtomicLong passedNanos = new AtomicLong();
  private final AtomicLong setMicros = new AtomicLong();

  @Override
  public long epochMicros() {
    return now.incrementAndGet() + passedNanos.get() / 1_000 + setMicros.get();
  }

  @Override
  public long nanos() {
    return now.incrementAndGet() + passedNanos.get();
  }

  /** Time passes. */
  public void pass(long ms) {
    passedNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /** Somebody sets the wall clock to that much later, or earlier. */
  public void set(long ms) {
    setMicros.addAndGet(TimeUnit.MILLISECONDS.toMicros(ms));
  }
}
