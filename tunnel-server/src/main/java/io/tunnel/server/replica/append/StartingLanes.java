package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.LaneKeeper.Target;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a shard that begin, and have no lane yet. A start that fails is tried again:
 * after two seconds while a log, the catalog or the disk is in the way, and after a pause that
 * doubles up to about a minute while no snapshot is readable. For the shard's thread, but for
 * {@link #failed} and {@link #count}.
 */
final class StartingLanes {

  private static final Logger LOGGER = LoggerFactory.getLogger(StartingLanes.class);

  /** Between a start that failed and the next one, at least. */
  private static final long RETRY_NANOS_MIN = TimeUnit.SECONDS.toNanos(2);

  /** The longest pause is 64 s. */
  private static final int RETRY_DOUBLINGS_MAX = 5;

  private final Shard shard;
  private final LaneStarts starts;
  private final Shard.Clock clock;
  private final Begun begun;
  private final Map<Integer, Starting> starting = new TreeMap<>();

  /** Partitions that have left with rows on the disk, and when the rows are deleted next. */
  private final Map<Integer, Long> left = new TreeMap<>();

  /** A copy for other threads: by partition, why no replica can begin with any snapshot. */
  private volatile Map<Integer, String> failed = Map.of();

  /** A copy for other threads: how many replicas begin. */
  private volatile int count;

  /** A replica that begins. */
  private static final class Starting {
    Target target;

    /** When the start is tried again; empty while a start is under way. */
    OptionalLong retryNanos = OptionalLong.empty();

    /** Starts that failed one after the other. */
    int failures;

    /** Why no snapshot is readable, by the last start; empty after any other failure. */
    Optional<String> unservable = Optional.empty();

    Starting(Target target) {
      this.target = target;
    }
  }

  /** Gets a replica whose lane can begin, and that has rows also where it is to leave by now. */
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

  /** By partition, why no replica of the partition can begin with any snapshot. For any thread. */
  Map<Integer, String> failed() {
    return failed;
  }

  /** How many replicas begin, or wait for the next start. For any thread. */
  int count() {
    return count;
  }

  private void publish() {
    Map<Integer, String> now = new TreeMap<>();
    starting.forEach((partition, one) -> one.unservable.ifPresent(why -> now.put(partition, why)));
    failed = Map.copyOf(now);
    count = starting.size();
  }

  /** Whether the replica begins; it is to do {@code target} when it has begun. */
  boolean isTold(int partition, Target target) {
    Starting one = starting.get(partition);
    if (one != null) {
      one.target = target;
      var unused = hasLeft(partition, one);
    }
    return one != null;
  }

  /**
   * Forgets a replica that is to leave and that no start is under way for, and deletes the rows of
   * a start that failed halfway.
   */
  private boolean hasLeft(int partition, Starting one) {
    boolean isOver = one.target == Target.LEAVE && one.retryNanos.isPresent();
    if (isOver) {
      starting.remove(partition);
      publish();
      delete(partition);
    }
    return isOver;
  }

  /**
   * Deletes what the shard has of a partition without a lane. While the disk is full, the deletion
   * is tried again every two seconds, unless a replica of the partition begins, which empties the
   * partition itself.
   */
  void delete(int partition) {
    try {
      shard.renewal().empty(partition, LaneState.NONE.follow().position()).close();
      left.remove(partition);
    } catch (IOException e) {
      if (left.put(partition, clock.nanos() + RETRY_NANOS_MIN) == null) {
        LOGGER.warn(
            "cannot delete the rows of partition {}, which this node keeps no more: {}; will retry"
                + " every {} s",
            partition,
            e.getMessage(),
            TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS_MIN));
      }
    }
  }

  /** The replica has nothing, or not what its lane needs, and has no lane. */
  void start(int partition, Target target) {
    Starting one = starting.computeIfAbsent(partition, any -> new Starting(target));
    one.retryNanos = OptionalLong.empty();
    left.remove(partition);
    publish();
    starts
        .begin(shard, partition)
        .whenComplete(
            (state, failure) ->
                shard.execute(
                    Set.of(), () -> ended(partition, state, Optional.ofNullable(failure))));
  }

  private void ended(int partition, LaneState state, Optional<Throwable> failure) {
    Starting one = starting.get(partition);
    if (failure.isEmpty()) {
      starting.remove(partition);
      publish();
      begun.begun(partition, state, one.target);
      return;
    }
    one.retryNanos = OptionalLong.of(clock.nanos());
    if (!hasLeft(partition, one)) {
      boolean isWrapped = failure.get() instanceof CompletionException;
      failed(partition, one, isWrapped ? failure.get().getCause() : failure.get());
    }
  }

  private void failed(int partition, Starting one, Throwable failure) {
    boolean isUnservable = failure instanceof UnservableException;
    // A log that was away for long delays no replica by the long pauses of damaged snapshots.
    boolean wasUnservable = one.unservable.isPresent();
    one.failures = isUnservable == wasUnservable ? one.failures + 1 : 1;
    one.unservable = isUnservable ? Optional.of(failure.getMessage()) : Optional.empty();
    int doublings = isUnservable ? Math.min(RETRY_DOUBLINGS_MAX, one.failures - 1) : 0;
    long pauseNanos = RETRY_NANOS_MIN << doublings;
    one.retryNanos = OptionalLong.of(clock.nanos() + pauseNanos);
    publish();
    tell(partition, failure, one, TimeUnit.NANOSECONDS.toSeconds(pauseNanos));
  }

  /**
   * A catalog that lags, or a log that moves, delays a start once as a rule, so one such failure is
   * no warning. Repeated failures are logged when their number is a power of two.
   */
  private static void tell(int partition, Throwable failure, Starting one, long pauseSeconds) {
    if (one.unservable.isPresent()) {
      LOGGER.error(
          "the replica of partition {} cannot begin: {}. All other partitions are served; will"
              + " retry in {} s",
          partition,
          failure.getMessage(),
          pauseSeconds);
    } else if (!(failure instanceof IOException)) {
      LOGGER.error(
          "the replica of partition {} cannot begin; will retry in {} s",
          partition,
          pauseSeconds,
          failure);
    } else if (one.failures == 1) {
      LOGGER.info(
          "the replica of partition {} cannot begin yet: {}; will retry in {} s",
          partition,
          failure.getMessage(),
          pauseSeconds);
    } else if (Integer.bitCount(one.failures) == 1) {
      LOGGER.warn(
          "the replica of partition {} cannot begin yet, after {} attempts: {}; will retry in {} s",
          partition,
          one.failures,
          failure.getMessage(),
          pauseSeconds);
    }
  }

  /** Tries again what is due. */
  void retry() {
    long now = clock.nanos();
    for (Map.Entry<Integer, Starting> each : List.copyOf(starting.entrySet())) {
      OptionalLong due = each.getValue().retryNanos;
      if (due.isPresent() && now - due.getAsLong() >= 0) {
        start(each.getKey(), each.getValue().target);
      }
    }
    if (!shard.hasFailed()) {
      List.copyOf(left.entrySet()).stream()
          .filter(each -> now - each.getValue() >= 0)
          .forEach(each -> delete(each.getKey()));
    }
  }
}
