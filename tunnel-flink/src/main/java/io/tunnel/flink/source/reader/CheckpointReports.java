package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.BasePart;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a tunnel how far completed checkpoints are, so that operators see the lag. Only a report:
 * Flink's state owns the positions, and a report that fails, or is overtaken, changes nothing.
 * Methods are for the task's thread; the service is told by another.
 */
final class CheckpointReports implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CheckpointReports.class);

  /** Checkpoints that are remembered until one of them is complete. */
  static final int PENDING_MAX = 1_000;

  private final Target target;
  private final Executor executor;
  private final NavigableMap<Long, List<ChannelPosition>> pending = new TreeMap<>();

  /** Not reported yet, by partition: of those that are read no more, no later checkpoint tells. */
  private final AtomicReference<Map<Integer, ChannelPosition>> next =
      new AtomicReference<>(Map.of());

  private final AtomicBoolean isUnderWay = new AtomicBoolean();

  /** The tunnel that is told. */
  interface Target extends AutoCloseable {

    /** Everything up to these positions was processed; may wait. */
    void report(List<ChannelPosition> positions);

    @Override
    void close();
  }

  CheckpointReports(Target target, Executor executor) {
    this.target = target;
    this.executor = executor;
  }

  void snapshot(long checkpoint, Collection<TunnelSplit> splits) {
    pending.put(
        checkpoint,
        splits.stream()
            .filter(split -> split.base().kind() == BasePart.Kind.NONE)
            .map(
                split ->
                    new ChannelPosition(
                        split.partition(),
                        ChannelType.Stream,
                        split.position(),
                        Bytes.EMPTY,
                        false,
                        split.incarnation()))
            .toList());
    if (pending.size() > PENDING_MAX) {
      pending.pollFirstEntry();
    }
  }

  void complete(long checkpoint) {
    List<ChannelPosition> positions = pending.getOrDefault(checkpoint, List.of());
    pending.headMap(checkpoint, true).clear();
    if (positions.isEmpty()) {
      return;
    }
    var unused = next.updateAndGet(waiting -> merged(waiting, positions));
    if (isUnderWay.compareAndSet(false, true)) {
      try {
        executor.execute(this::report);
      } catch (RejectedExecutionException e) {
        LOG.debug("closed before checkpoint {} was reported", checkpoint);
      }
    }
  }

  private static Map<Integer, ChannelPosition> merged(
      Map<Integer, ChannelPosition> waiting, Collection<ChannelPosition> newer) {
    Map<Integer, ChannelPosition> merged = new TreeMap<>(waiting);
    newer.forEach(position -> merged.put(position.partition(), position));
    return Collections.unmodifiableMap(merged);
  }

  /** The newest that there is: those that it overtook while it waited need no report. */
  private void report() {
    isUnderWay.set(false);
    Map<Integer, ChannelPosition> positions = next.getAndSet(Map.of());
    try {
      target.report(List.copyOf(positions.values()));
    } catch (RuntimeException e) {
      LOG.warn("cannot report progress; the next checkpoint's is", e);
      var unused = next.updateAndGet(newer -> merged(positions, newer.values()));
    }
  }

  @Override
  public void close() {
    target.close();
  }
}
