package io.tunnel.sdk.transport;

import java.time.Duration;

/** The SDK's source of time. */
@FunctionalInterface
public interface Ticker {

  /** Practically for ever, and still few enough nanoseconds for a long. */
  Duration LONGEST = Duration.ofDays(36_500);

  /** Nanoseconds since an arbitrary moment; only differences have a meaning. */
  long nanos();

  /** The given duration, at most {@link #LONGEST}, so that users may ask for any length. */
  static Duration bounded(Duration given) {
    return given.compareTo(LONGEST) > 0 ? LONGEST : given;
  }
}
