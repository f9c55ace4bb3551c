package io.tunnel.server.engine;

import io.tunnel.server.partition.Shard;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The machine's clocks. */
public final class SystemClock implements Shard.Clock {

  @Override
  public long epochMicros() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
