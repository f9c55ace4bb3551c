package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the lanes of a shard share.
 *
 * @param tail tells its events to the shard's thread
 * @param markers random numbers, no two alike
 * @param leader what the markers of this node say
 * @param posts runs an action on the shard's thread; any thread may call
 */
record LaneWiring(
    AppendLog log,
    AppendTail tail,
    LongSupplier markers,
    AppendValue.Leader leader,
    Consumer<Runnable> posts,
    Shard.Clock clock) {}
