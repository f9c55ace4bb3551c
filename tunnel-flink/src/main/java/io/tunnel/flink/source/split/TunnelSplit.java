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
 * @param end and up to there
 * @param isWhole whether all that a row ever was is among what is read: rows first, or the changes
 *     from the first that there was; not when older ones were not kept, or not asked for
 * @param isFinished whether everything was read; kept until nobody can have missed it
 */
public record TunnelSplit(
    int partition, BasePart base, long position, SplitEnd end, boolean isWhole, boolean isFinished)
    implements SourceSplit {

  /** Refuses null, and positions that cannot be. */
  public TunnelSplit {
    Objects.requireNonNull(base, "base");
    Objects.requireNonNull(end, "end");
    if (position < 0) {
      throw new IllegalArgumentException("changes are read behind 0 at least, not " + position);
    }
  }

  /** The changes of a partition behind a position: all that there were, behind 0. */
  public static TunnelSplit changes(int partition, long position) {
    return new TunnelSplit(
        partition, BasePart.NONE, position, SplitEnd.NEVER, position == 0, false);
  }

  /** All rows of a partition, and then the changes behind a position that was found before. */
  public static TunnelSplit rowsAndChanges(int partition, long position) {
    return changes(partition, position)
        .withBase(BasePart.all(BasePart.Kind.BEFORE_CHANGES))
        .withWhole(true);
  }

  /** The id of a partition's split. */
  public static String id(int partition) {
    return Integer.toString(partition);
  }

  @Override
  public String splitId() {
    return id(partition);
  }

  /** This split with other rows before its changes. */
  public TunnelSplit withBase(BasePart other) {
    return new TunnelSplit(partition, other, position, end, isWhole, isFinished);
  }

  /** This split with an end. */
  public TunnelSplit withEnd(Optional<Long> newEnd, Optional<Long> newEndMs) {
    SplitEnd other = new SplitEnd(newEnd, newEndMs);
    return new TunnelSplit(partition, base, position, other, isWhole, isFinished);
  }

  /** A copy of this split that says whether its reader sees all changes there ever were. */
  public TunnelSplit withWhole(boolean newIsWhole) {
    return new TunnelSplit(partition, base, position, end, newIsWhole, isFinished);
  }

  /** A copy of this split that goes on behind another position, with what is known of its rows. */
  public TunnelSplit behind(long newPosition, BasePart known) {
    return new TunnelSplit(partition, known, newPosition, end, isWhole, isFinished);
  }

  /** This split with nothing left to read. */
  public TunnelSplit finished() {
    return new TunnelSplit(partition, BasePart.NONE, position, end, isWhole, true);
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
        end.position().map(last -> Math.max(last, position)),
        end.ms());
  }
}
