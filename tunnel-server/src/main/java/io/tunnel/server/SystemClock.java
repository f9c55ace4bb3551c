package io.tunnel.server;

import io.tunnel.server.partition.Shard;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The machine's clocks. */
final class SystemClock implements Shard.Clock {

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
