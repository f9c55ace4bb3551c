package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.LaneKeeper.Target;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a shard that begin, and have no lane yet. A start that fails is tried again. For
 * the shard's thread.
 */
final class StartingLanes {

  private static final Logger LOGGER = LoggerFactory.getLogger(StartingLanes.class);

  /** Between a start that failed and the next one. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Shard shard;
  private final LaneStarts starts;
  private final Shard.Clock clock;
  private final Begun begun;
  private final Map<Integer, Starting> starting = new TreeMap<>();

  /** A replica that begins. */
  private static final class Starting {
    Target target;

    /** When the start is tried again; empty while a start is under way. */
    OptionalLong retryNanos = OptionalLong.empty();

    Starting(Target target) {
      this.target = target;
    }
  }

  /** Gets a replica whose lane can begin. */
  @FunctionalInterface
  interface Begun {
    void begun(int partition, LaneState state, Target target);
  }

  StartingLanes(Shard shard, LaneStarts starts, Shard.Clock clock, Begun begun) {
    this.shard = shard;
    this.starts = starts;
    this.clock = clock;
    this.begun = begun;
  }

  /** Whether the replica begins; it is to do {@code target} when it has begun. */
  boolean isTold(int partition, Target target) {
    Starting one = starting.get(partition);
    if (one != null) {
      one.target = target;
    }
    return one != null;
  }

  /** The replica has nothing, or not what its lane needs, and has no lane. */
  void start(int partition, Target target) {
    Starting one = starting.computeIfAbsent(partition, any -> new Starting(target));
    one.retryNanos = OptionalLong.empty();
    starts
        .begin(shard, partition)
        .whenComplete(
            (state, failure) ->
                shard.execute(
                    Set.of(),
                    () -> {
                      if (failure == null) {
                        started(partition, state);
                      } else {
                        failed(partition, failure);
                      }
                    }));
  }

  private void started(int partition, LaneState state) {
    Starting one = starting.remove(partition);
    if (one.target != Target.LEAVE) {
      begun.begun(partition, state, one.target);
    }
  }

  private void failed(int partition, Throwable failure) {
    LOGGER.error(
        "the replica of partition {} cannot begin: {}; will retry in {} s",
        partition,
        failure.getMessage(),
        TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS));
    starting.get(partition).retryNanos = OptionalLong.of(clock.nanos() + RETRY_NANOS);
  }

  /** Tries again what is due. */
  void retry() {
    long now = clock.nanos();
    for (Map.Entry<Integer, Starting> each : List.copyOf(starting.entrySet())) {
      OptionalLong due = each.getValue().retryNanos;
      if (due.isPresent() && now - due.getAsLong() >= 0) {
        if (each.getValue().target == Target.LEAVE) {
          starting.remove(each.getKey());
        } else {
          start(each.getKey(), each.getValue().target);
        }
      }
    }
  }
}
