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
 * Reports the progress of completed checkpoints to a tunnel, so that operators see the lag. Flink's
 * state owns the positions, so a failed or late report does no harm. Methods are for the task's
 * thread; another thread talks to the service.
 */
final class CheckpointReports implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CheckpointReports.class);

  /** The most checkpoints to remember until one completes. */
  static final int PENDING_MAX = 1_000;

  private final Target target;
  private final Executor executor;
  private final NavigableMap<Long, List<ChannelPosition>> pending = new TreeMap<>();

  /**
   * The next report, by partition; keeps finished partitions, which later checkpoints do not
   * contain.
   */
  private final AtomicReference<Map<Integer, ChannelPosition>> next =
      new AtomicReference<>(Map.of());

  private final AtomicBoolean isUnderWay = new AtomicBoolean();

  /** The tunnel that takes the reports. */
  interface Target extends AutoCloseable {

    /** Stores positions as the tunnel's progress; may block. */
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

  /** Sends the newest report, which covers the reports that it overtook. */
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
