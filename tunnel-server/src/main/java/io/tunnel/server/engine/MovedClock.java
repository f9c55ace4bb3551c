package io.tunnel.server.engine;

import io.tunnel.server.partition.Shard;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands until its owner moves it. Begins in the year 2000. */
final class MovedClock implements Shard.Clock {

  /** 2000-01-01T00:00:00Z in microseconds since 1970. */
  private static final long BEGIN_MICROS = 946_684_800_000_000L;

  private final AtomicLong passedMicros = new AtomicLong();

  void advance(Duration duration) {
    pass(TimeUnit.NANOSECONDS.toMicros(duration.toNanos()));
  }

  /** Lets a microsecond pass: no two commits have one time. */
  void committed() {
    pass(1);
  }

  private void pass(long micros) {
    var unused = passedMicros.addAndGet(micros);
  }

  @Override
  public long epochMicros() {
    return BEGIN_MICROS + passedMicros.get();
  }

  @Override
  public long nanos() {
    return TimeUnit.MICROSECONDS.toNanos(passedMicros.get());
  }
}
