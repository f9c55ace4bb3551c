package io.tunnel.it.sim;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The wall clock of a world's server, which somebody sets forward and back. */
final class WallClock {

  private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private final LongSupplier worldNanos;

  /** By the time of the change, how far the clock is from the time of the world. */
  private final TreeMap<Long, Long> skewMicros = new TreeMap<>(Map.of(0L, 0L));

  private long latestMicros;

  /** How far the clock was set forward in all. */
  private long forwardMicros;

  /** A clock that begins with the time of the world. */
  WallClock(LongSupplier worldNanos) {
    this.worldNanos = worldNanos;
  }

  long nowMicros() {
    return microsAt(worldNanos.getAsLong());
  }

  private long microsAt(long nanos) {
    return EPOCH_MICROS + skewMicros.floorEntry(nanos).getValue() + nanos / 1_000;
  }

  /** The least time that the clock has shown since a time of the world. */
  long lowestMicrosSince(long nanos) {
    return Math.min(
        microsAt(nanos),
        skewMicros.tailMap(nanos, false).keySet().stream()
            .mapToLong(this::microsAt)
            .min()
            .orElse(Long.MAX_VALUE));
  }

  /** The greatest time that the clock has ever shown. */
  long latestMicros() {
    return Math.max(latestMicros, nowMicros());
  }

  /**
   * A scale that stands still where the clock is set back. Between two readings the clock advances
   * by no more than this scale, so what the clock calls old is as old here.
   */
  long livedMicros() {
    return forwardMicros + worldNanos.getAsLong() / 1_000;
  }

  /** Sets the clock forward, or back. */
  void skew(long micros) {
    latestMicros = latestMicros();
    skewMicros.merge(
        worldNanos.getAsLong(), skewMicros.lastEntry().getValue() + micros, (a, b) -> b);
    latestMicros = latestMicros();
    forwardMicros += Math.max(0, micros);
  }
}
