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
 * The unread part of a partition.
 *
 * @param partition the id of the partition
 * @param base the rows, if read first
 * @param position reads changes behind this position
 * @param end reads changes up to this end
 * @param isWhole whether the job sees the whole history of each row: rows first, or changes from
 *     the first on; false when older changes were deleted, or not requested
 * @param isFinished whether the split is read to its end; kept until the enumerator certainly knows
 * @param incarnation the incarnation of the positions; absent before the service has named it
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

  /** Refuses null, and invalid positions. */
  public TunnelSplit {
    Objects.requireNonNull(base, "base");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(incarnation, "incarnation");
    if (position < 0) {
      throw new IllegalArgumentException("changes are read behind 0 at least, not " + position);
    }
  }

  /** The changes of a partition behind a position; behind 0, all changes. */
  public static TunnelSplit changes(int partition, long position) {
    return new TunnelSplit(
        partition, BasePart.NONE, position, SplitEnd.NEVER, position == 0, false, Optional.empty());
  }

  /** All rows of a partition, then the changes behind a position that was looked up before. */
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

  /** A copy with another state of the rows. */
  public TunnelSplit withBase(BasePart other) {
    return new TunnelSplit(partition, other, position, end, isWhole, isFinished, incarnation);
  }

  /** A copy with another end. */
  public TunnelSplit withEnd(Optional<Long> newEnd, Optional<Long> newEndMs) {
    SplitEnd other = new SplitEnd(newEnd, newEndMs);
    return new TunnelSplit(partition, base, position, other, isWhole, isFinished, incarnation);
  }

  /** A copy with another {@link #isWhole}. */
  public TunnelSplit withWhole(boolean newIsWhole) {
    return new TunnelSplit(partition, base, position, end, newIsWhole, isFinished, incarnation);
  }

  /** A copy that goes on behind another position, with another state of the rows. */
  public TunnelSplit behind(long newPosition, BasePart known) {
    return new TunnelSplit(partition, known, newPosition, end, isWhole, isFinished, incarnation);
  }

  /** A copy with another incarnation. */
  public TunnelSplit in(Optional<Long> newIncarnation) {
    return new TunnelSplit(partition, base, position, end, isWhole, isFinished, newIncarnation);
  }

  /** A copy that is finished. */
  public TunnelSplit finished() {
    return new TunnelSplit(partition, BasePart.NONE, position, end, isWhole, true, incarnation);
  }

  /** The first start for the SDK's reader. */
  public ReadStart start() {
    if (base.kind() == BasePart.Kind.NONE) {
      return changesStart(SeenIn.NOTHING);
    }
    ReadStart rows = ReadStart.rowsBehind(partition, base.rows(), base.key());
    return base.kind() == BasePart.Kind.ALONE ? rows : knowing(rows, SeenIn.NOTHING);
  }

  /**
   * The start of the changes, after the rows.
   *
   * @param rows the positions delivered with the last row
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
   * A start that names the position of the rows. Changes contained in rows are skipped, so the
   * service must still have the changes that the rows contain.
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
