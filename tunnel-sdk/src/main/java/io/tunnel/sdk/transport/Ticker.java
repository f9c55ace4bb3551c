package io.tunnel.sdk.transport;

/** Where the SDK takes time from. */
@FunctionalInterface
public interface Ticker {

  /** Nanoseconds since some moment; only differences mean something. */
  long nanos();
}
