package io.tunnel.stress;

import java.util.function.BooleanSupplier;

/** The time of a run; tests have one that they turn themselves. */
public interface LoadClock {

  /** Nanoseconds from a fixed but arbitrary point; never goes back. */
  long nanos();

  /** Milliseconds since 1970, for reports. */
  long epochMs();

  /**
   * Returns when {@link #nanos} is at least {@code nanos}, or soon after {@code stopped} is true.
   */
  void waitUntil(long nanos, BooleanSupplier stopped);
}
