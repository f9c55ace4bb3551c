package io.tunnel.server.node;

import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.session.Surroundings;
import io.tunnel.wire.LookAnswer.Pinned;
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
 * Joins the sessions of a cluster's node with clocks, a control thread and the leaders of
 * partitions, which keep the rows of tunnels.
 */
record NodeSurroundings(
    LeaderPins pins,
    ClusterView view,
    Executor control,
    Shard.Clock clock,
    long silenceMs,
    LongAdder takenBack)
    implements Surroundings {

  /** Without a counter of checkpoints that are moved back. */
  NodeSurroundings(
      LeaderPins pins, ClusterView view, Executor control, Shard.Clock clock, long silenceMs) {
    this(pins, view, control, clock, silenceMs, new LongAdder());
  }

  private static final Logger LOGGER = LoggerFactory.getLogger(NodeSurroundings.class);

  /** The surroundings of tunnels that {@code thread} owns. */
  NodeSurroundings on(Executor thread) {
    return new NodeSurroundings(pins, view, thread, clock, silenceMs, takenBack);
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
   * Runs {@code then} at once: the leader of the partition is asked later for the time, and gives
   * no later change a time before that time.
   */
  @Override
  public void passBarrier(int partition, long passedMicros, Runnable then) {
    control(then);
  }

  @Override
  public void keepRows(String tunnelId, Collection<Integer> partitions, RowsKept whenKept) {
    pins.pin(tunnelId, partitions)
        .whenComplete(
            (pinned, failure) ->
                control(
                    () -> {
                      if (failure == null) {
                        whenKept.kept(positions(pinned), incarnations(pinned));
                      } else {
                        forgetRows(tunnelId);
                        whenKept.failed(CatchUp.unavailable(failure));
                      }
                    }));
  }

  private static Map<Integer, Long> positions(Map<Integer, Pinned> pinnedByPartition) {
    Map<Integer, Long> positions = new HashMap<>();
    pinnedByPartition.forEach((partition, one) -> positions.put(partition, one.position()));
    return positions;
  }

  private static Map<Integer, Long> incarnations(Map<Integer, Pinned> pinnedByPartition) {
    Map<Integer, Long> incarnations = new HashMap<>();
    pinnedByPartition.forEach(
        (partition, pinned) ->
            pinned.incarnation().ifPresent(one -> incarnations.put(partition, one)));
    return incarnations;
  }

  @Override
  public void forgetRows(String tunnelId) {
    pins.unpin(tunnelId);
  }

  @Override
  public void forgetRows(String tunnelId, int partition) {
    pins.unpin(tunnelId, partition);
  }
}
