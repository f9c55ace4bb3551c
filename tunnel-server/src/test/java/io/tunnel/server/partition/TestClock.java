package io.tunnel.server.partition;

import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves when it is looked at. */
public final class TestClock implements Shard.Clock {

  private final AtomicLong now = new AtomicLong(1_000_000);

  @Override
  public long epochMicros() {
    return now.incrementAndGet();
  }

  @Override
  public long nanos() {
    return now.incrementAndGet();
  }
}
