package io.tunnel.server.node;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.PassedTime;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock of a node's shards. While the node's catalog is older than a limit, no further life
 * ends on this node: the catalog may lack the alteration of a table whose rows live longer now. The
 * alteration is answered when the limit is over ({@link HeardTables}), so no row ends that the
 * answer has promised.
 *
 * @param machine the clocks of the machine
 * @param ageNanos how old the catalog is
 * @param ageMsMax the limit
 */
record CatalogClock(Shard.Clock machine, LongSupplier ageNanos, long ageMsMax)
    implements Shard.Clock {

  @Override
  public long epochMicros() {
    return machine.epochMicros();
  }

  @Override
  public PassedTime passed() {
    long late = TimeUnit.NANOSECONDS.toMicros(Math.max(0, overNanos()));
    return PassedTime.at(machine.epochMicros() - late);
  }

  /** Whether the catalog is within the limit. */
  boolean isRecent() {
    return overNanos() <= 0;
  }

  private long overNanos() {
    return ageNanos.getAsLong() - TimeUnit.MILLISECONDS.toNanos(ageMsMax);
  }

  @Override
  public long nanos() {
    return machine.nanos();
  }
}
