package io.tunnel.server.node;

import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.session.Surroundings;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the sessions of a cluster's node with clocks, a control thread and the shared log. Rows are
 * kept for no tunnel: a base channel reads the rows as they are then, and the log holds all later
 * changes behind its present end.
 */
record NodeSurroundings(
    BoundsQueries log,
    ClusterView view,
    Executor control,
    Shard.Clock clock,
    long silenceMs,
    LongAdder takenBack)
    implements Surroundings {

  /** Without a counter of checkpoints that are moved back. */
  NodeSurroundings(
      BoundsQueries log, ClusterView view, Executor control, Shard.Clock clock, long silenceMs) {
    this(log, view, control, clock, silenceMs, new LongAdder());
  }

  private static final Logger LOGGER = LoggerFactory.getLogger(NodeSurroundings.class);

  /** The surroundings of tunnels that {@code thread} owns. */
  NodeSurroundings on(Executor thread) {
    return new NodeSurroundings(log, view, thread, clock, silenceMs, takenBack);
  }

  @Override
  public void tookBack() {
    takenBack.increment();
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public long epochMicros() {
    return clock.epochMicros();
  }

  @Override
  public Optional<String> leader(int partition) {
    return view.leaderElsewhere(partition);
  }

  @Override
  public void control(Runnable action) {
    try {
      control.execute(action);
    } catch (RejectedExecutionException e) {
      LOGGER.debug("this node stops; dropping a task of the control thread", e);
    }
  }

  /**
   * Runs {@code then} at once: the leader of the partition is asked later for the moment, and gives
   * no later change a time before the moment.
   */
  @Override
  public void passBarrier(int partition, long passedMicros, Runnable then) {
    control(then);
  }

  @Override
  public void keepRows(String tunnelId, Collection<Integer> partitions, Kept whenKept) {
    log.bounds(partitions)
        .whenComplete(
            (bounds, failure) ->
                control(
                    () -> {
                      if (failure == null) {
                        whenKept.kept(ends(bounds), incarnations(bounds));
                      } else {
                        whenKept.failed(CatchUp.unavailable(failure));
                      }
                    }));
  }

  private static Map<Integer, Long> ends(Map<Integer, Bounds> boundsByPartition) {
    Map<Integer, Long> ends = new HashMap<>();
    boundsByPartition.forEach((partition, bounds) -> ends.put(partition, bounds.last()));
    return ends;
  }

  private static Map<Integer, Long> incarnations(Map<Integer, Bounds> boundsByPartition) {
    Map<Integer, Long> incarnations = new HashMap<>();
    boundsByPartition.forEach(
        (partition, bounds) ->
            bounds.incarnation().ifPresent(one -> incarnations.put(partition, one)));
    return incarnations;
  }

  @Override
  public void forgetRows(String tunnelId) {
    // None are kept.
  }

  @Override
  public void forgetRows(String tunnelId, int partition) {
    // None are kept.
  }
}
