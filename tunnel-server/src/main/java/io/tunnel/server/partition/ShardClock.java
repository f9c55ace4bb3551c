package io.tunnel.server.partition;

/** The two clocks of a shard, injected. */
public interface ShardClock {

  /** Microseconds since 1970; may be set back. */
  long epochMicros();

  /** Nanoseconds from an arbitrary moment; never goes back. */
  long nanos();
}
