package io.tunnel.sdk.transport;

import java.time.Duration;

/** Where the SDK takes time from. */
@FunctionalInterface
public interface Ticker {

  /** So long that nobody sees its end, and so short that it can be counted in nanoseconds. */
  Duration LONGEST = Duration.ofDays(36_500);

  /** Nanoseconds since some moment; only differences mean something. */
  long nanos();

  /**
   * That duration, or {@link #LONGEST} when it is longer: who wants to wait for ever may give any.
   */
  static Duration bounded(Duration given) {
    return given.compareTo(LONGEST) > 0 ? LONGEST : given;
  }
}
