package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds the positions after which readers without a tunnel can read a table's partitions. On the
 * control thread.
 */
public final class PositionFinder {

  private final LogBounds bounds;
  private final Surroundings surroundings;

  /** Finds positions in the logs of {@code bounds}. */
  public PositionFinder(LogBounds bounds, Surroundings surroundings) {
    this.bounds = bounds;
    this.surroundings = surroundings;
  }

  /**
   * Finds the positions of each partition of a table.
   *
   * @param timeMs also finds the position before the first change committed at or after this time;
   *     it waits for changes in flight, so all changes committed earlier lie before that position
   */
  public void find(
      TableRecord table, Optional<Long> timeMs, Operators.Answer<FoundPositions> answer) {
    Collection<Integer> partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    if (timeMs.isEmpty()) {
      look(table, partitions, timeMs, answer);
      return;
    }
    StreamBounds.requirePast(timeMs.get(), surroundings.epochMicros());
    AtomicInteger left = new AtomicInteger(partitions.size());
    for (int partition : partitions) {
      surroundings.passBarrier(
          partition,
          TimeUnit.MILLISECONDS.toMicros(timeMs.get()),
          () -> {
            if (left.decrementAndGet() == 0) {
              look(table, partitions, timeMs, answer);
            }
          });
    }
  }

  private void look(
      TableRecord table,
      Collection<Integer> partitions,
      Optional<Long> timeMs,
      Operators.Answer<FoundPositions> answer) {
    bounds.look(
        partitions,
        StreamBounds.moments(Optional.empty(), timeMs),
        new LogBounds.Looked() {
          @Override
          public void found(Map<Integer, LogBounds.Look> lookByPartition) {
            FoundPositions result;
            try {
              result = positions(table, timeMs, lookByPartition);
            } catch (RuntimeException e) {
              answer.failed(e);
              return;
            }
            answer.done(result);
          }

          @Override
          public void failed(Exception reason) {
            answer.failed(reason);
          }
        });
  }

  private FoundPositions positions(
      TableRecord table, Optional<Long> timeMs, Map<Integer, LogBounds.Look> lookByPartition) {
    StreamBounds found =
        new StreamBounds(Optional.empty(), lookByPartition, surroundings.epochMicros());
    return new FoundPositions(
        table.tableId(),
        table.partitions().stream()
            .map(
                partition -> {
                  ChannelKey key = new ChannelKey(partition.id(), ChannelType.Stream);
                  return new Positions(
                      partition.id(),
                      found.first(key),
                      found.last(key),
                      timeMs.map(
                          time -> before(found, key, time, lookByPartition.get(partition.id()))),
                      lookByPartition
                          .get(partition.id())
                          .bounds()
                          .incarnation()
                          .or(() -> bounds.incarnation(partition.id())));
                })
            .toList(),
        TimeUnit.MICROSECONDS.toMillis(surroundings.epochMicros()));
  }

  private static long before(StreamBounds found, ChannelKey key, long timeMs, LogBounds.Look look) {
    if (!look.moment(TimeUnit.MILLISECONDS.toMicros(timeMs)).isPassed()) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "it is not certain yet what was committed before "
              + timeMs
              + " in partition "
              + key.partition()
              + "; ask again in some seconds");
    }
    return found.before(key, timeMs);
  }
}
