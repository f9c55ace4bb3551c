package io.tunnel.server.replica.append;

import io.tunnel.server.partition.OpenGroup;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An append under way of this node, with the value of its record and the time when it was made. */
final class OwnAppend {
  /** Empty of a control record. */
  final Optional<OpenGroup> group;

  /** Receives once the outcome of a control record. */
  final Consumer<Outcome> done;

  final byte[] value;

  /** By the shard's clock. */
  final long madeNanos;

  /** By the wall clock, since 1970. */
  final long madeMs;

  private boolean hasFailed;

  OwnAppend(Optional<OpenGroup> group, Consumer<Outcome> done, byte[] value, Shard.Clock clock) {
    this.group = group;
    this.done = done;
    this.value = value;
    this.madeNanos = clock.nanos();
    this.madeMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  /** Notes a failure; false when the append has failed before. */
  boolean fail() {
    boolean isFirst = !hasFailed;
    hasFailed = true;
    return isFirst;
  }
}
