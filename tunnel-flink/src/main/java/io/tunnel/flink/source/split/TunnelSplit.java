package io.tunnel.flink.source.split;

import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.PartitionRecords.SeenIn;
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
 * @param incarnation of the position, and of those at which rows were read; nothing in the
 *     checkpoints of earlier versions, and of a service that does not tell
 */
public record TunnelSplit(
    int partition,
    BasePart base,
    long position,
    SplitEnd end,
    boolean isWhole,
    boolean isFinished,
    Optional<Long> incarnation)
    implements SourceSplit {

  /** Refuses null, and positions that cannot be. */
  public TunnelSplit {
    Objects.requireNonNull(base, "base");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(incarnation, "incarnation");
    if (position < 0) {
      throw new IllegalArgumentException("changes are read behind 0 at least, not " + position);
    }
  }

  /** The changes of a partition behind a position: all that there were, behind 0. */
  public static TunnelSplit changes(int partition, long position) {
    return new TunnelSplit(
        partition, BasePart.NONE, position, SplitEnd.NEVER, position == 0, false, Optional.empty());
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
    return new TunnelSplit(partition, other, position, end, isWhole, isFinished, incarnation);
  }

  /** This split with an end. */
  public TunnelSplit withEnd(Optional<Long> newEnd, Optional<Long> newEndMs) {
    SplitEnd other = new SplitEnd(newEnd, newEndMs);
    return new TunnelSplit(partition, base, position, other, isWhole, isFinished, incarnation);
  }

  /** A copy of this split that says whether its reader sees all changes there ever were. */
  public TunnelSplit withWhole(boolean newIsWhole) {
    return new TunnelSplit(partition, base, position, end, newIsWhole, isFinished, incarnation);
  }

  /** A copy of this split that goes on behind another position, with what is known of its rows. */
  public TunnelSplit behind(long newPosition, BasePart known) {
    return new TunnelSplit(partition, known, newPosition, end, isWhole, isFinished, incarnation);
  }

  /** A copy of this split whose positions are of that incarnation. */
  public TunnelSplit in(Optional<Long> newIncarnation) {
    return new TunnelSplit(partition, base, position, end, isWhole, isFinished, newIncarnation);
  }

  /** This split with nothing left to read. */
  public TunnelSplit finished() {
    return new TunnelSplit(partition, BasePart.NONE, position, end, isWhole, true, incarnation);
  }

  /** What the SDK is asked for first. */
  public ReadStart start() {
    if (base.kind() == BasePart.Kind.NONE) {
      return changesStart(SeenIn.NOTHING);
    }
    ReadStart rows = ReadStart.rowsBehind(partition, base.rows(), base.key());
    return base.kind() == BasePart.Kind.ALONE ? rows : knowing(rows, SeenIn.NOTHING);
  }

  /**
   * What the SDK is asked for when the rows are done.
   *
   * @param rows what was said with the last of them
   */
  public ReadStart changesStart(SeenIn rows) {
    ReadStart changes =
        new ReadStart(
            partition,
            ChannelType.Stream,
            position,
            Bytes.EMPTY,
            end.position().map(last -> Math.max(last, position)),
            end.ms());
    return knowing(changes, rows);
  }

  /**
   * The start of a reader that has seen the rows of this split: changes that a row has are left out
   * when they come, so they must be those that come.
   */
  private ReadStart knowing(ReadStart start, SeenIn rows) {
    long last = Math.max(position, rows.rowsAt().orElse(0L));
    for (RowRange range : base.ranges()) {
      last = Math.max(last, range.position());
    }
    long seen = last;
    return (rows.rowsAt().isPresent() ? rows.incarnation() : incarnation)
        .map(in -> start.knowing(new KnownPosition(seen, in)))
        .orElse(start);
  }
}
