package io.tunnel.flink.source.split;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.ReadStart;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A partition as it is still to be read.
 *
 * @param partition its id
 * @param base its rows, if they are read first
 * @param position changes are read behind it
 * @param end and up to this one, if that is known
 * @param endMs and none that was committed at or after this moment, in milliseconds since 1970
 * @param isFinished whether everything was read; kept until nobody can have missed it
 */
public record TunnelSplit(
    int partition,
    BasePart base,
    long position,
    Optional<Long> end,
    Optional<Long> endMs,
    boolean isFinished)
    implements SourceSplit {

  /** Refuses null, and positions that cannot be. */
  public TunnelSplit {
    Objects.requireNonNull(base, "base");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(endMs, "endMs");
    if (position < 0 || end.orElse(0L) < 0) {
      throw new IllegalArgumentException(
          "positions are at least 0, not " + position + " and " + end);
    }
  }

  /** The changes of a partition behind a position. */
  public static TunnelSplit changes(int partition, long position) {
    return new TunnelSplit(
        partition, BasePart.NONE, position, Optional.empty(), Optional.empty(), false);
  }

  /** The id of a partition's split. */
  public static String id(int partition) {
    return Integer.toString(partition);
  }

  @Override
  public String splitId() {
    return id(partition);
  }

  /** The same with other rows before its changes. */
  public TunnelSplit withBase(BasePart other) {
    return new TunnelSplit(partition, other, position, end, endMs, isFinished);
  }

  /** The same with an end. */
  public TunnelSplit withEnd(Optional<Long> newEnd, Optional<Long> newEndMs) {
    return new TunnelSplit(partition, base, position, newEnd, newEndMs, isFinished);
  }

  /** The same behind another position; its rows are done. */
  public TunnelSplit behind(long newPosition) {
    return new TunnelSplit(partition, BasePart.NONE, newPosition, end, endMs, isFinished);
  }

  /** The same with nothing left to read. */
  public TunnelSplit finished() {
    return new TunnelSplit(partition, BasePart.NONE, position, end, endMs, true);
  }

  /** What the SDK is asked for first. */
  public ReadStart start() {
    return base.kind() == BasePart.Kind.NONE
        ? changesStart()
        : ReadStart.rowsBehind(partition, base.rows(), base.key());
  }

  /** What the SDK is asked for when the rows are done. */
  public ReadStart changesStart() {
    return new ReadStart(
        partition,
        ChannelType.Stream,
        position,
        Bytes.EMPTY,
        end.map(last -> Math.max(last, position)),
        endMs);
  }
}
