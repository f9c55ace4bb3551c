package io.tunnel.flink.source.split;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Optional;

/** How far a split is read, in the records that were emitted. For the task's thread. */
public final class TunnelSplitState {

  private final TunnelSplit split;
  private final boolean isBeforeChanges;

  /** Known of the rows of {@link #lastRow}'s page only when the next page begins. */
  private OverlapCore overlap;

  private Phase phase;
  private long rows;
  private StreamRecord lastRow;
  private long lastRowAt;
  private long position;
  private Optional<Long> incarnation;

  /** ROWS to CHANGES, once. */
  private enum Phase {
    ROWS,
    CHANGES
  }

  /** Nothing was emitted yet. */
  public TunnelSplitState(TunnelSplit split) {
    this.split = split;
    this.rows = split.base().rows();
    this.position = split.position();
    this.incarnation = split.incarnation();
    this.phase = split.base().kind() == BasePart.Kind.NONE ? Phase.CHANGES : Phase.ROWS;
    this.isBeforeChanges = split.base().kind() == BasePart.Kind.BEFORE_CHANGES;
    this.overlap = new OverlapCore(split.base().ranges());
    if (isBeforeChanges && split.base().ranges().isEmpty() && split.base().key().length() > 0) {
      // Rows that somebody else read, or an earlier version: later changes of them all come.
      overlap.read(split.base().key(), position);
    }
  }

  /**
   * A record was emitted, or left out.
   *
   * @param seenIn what the service says of its position, or of that at which a row was read
   */
  public void emitted(StreamRecord record, ChannelType type, SeenIn seenIn) {
    incarnation = seenIn.incarnation();
    if (type == ChannelType.BaseData) {
      rows = record.position();
      if (isBeforeChanges) {
        long at = requireAt(seenIn.rowsAt());
        if (lastRow != null && at != lastRowAt) {
          overlap.read(lastRow.encodedKey(), lastRowAt);
        }
        lastRowAt = at;
      }
      lastRow = record;
    } else {
      position = record.position();
      if (position >= overlap.last()) {
        overlap = new OverlapCore(List.of());
      }
    }
  }

  private long requireAt(Optional<Long> rowsAt) {
    long at =
        rowsAt.orElseThrow(
            () ->
                new IllegalStateException(
                    "the service does not say which changes the rows of partition "
                        + split.partition()
                        + " have: it is older than this connector, and has to be upgraded first"));
    if (at < split.position()) {
      throw new IllegalStateException(
          "rows of partition "
              + split.partition()
              + " were read at position "
              + at
              + ", before "
              + split.position()
              + ", behind which their changes begin");
    }
    return at;
  }

  /** All rows that changes follow were emitted; there were no more at that position. */
  public void rowsEnded(SeenIn seenIn) {
    long at = requireAt(seenIn.rowsAt());
    incarnation = seenIn.incarnation();
    if (lastRow != null && at != lastRowAt) {
      overlap.read(lastRow.encodedKey(), lastRowAt);
    }
    overlap.ended(at);
    lastRow = null;
    phase = Phase.CHANGES;
  }

  /** Whether a change is in what was read of its row already. */
  public boolean has(StreamRecord change) {
    return change.position() <= overlap.last()
        && overlap.has(change.encodedKey(), change.position());
  }

  /** As {@link TunnelSplit#isWhole} has it. */
  public boolean isWhole() {
    return split.isWhole();
  }

  /** Whether what is emitted now are rows that changes will follow. */
  public boolean isBeforeChanges() {
    return phase == Phase.ROWS && isBeforeChanges;
  }

  /** Changes up to here were emitted. */
  public long position() {
    return position;
  }

  /** What is still to be read. */
  public TunnelSplit toSplit() {
    if (phase == Phase.CHANGES) {
      return split.behind(position, BasePart.done(overlap.ranges())).in(incarnation);
    }
    if (lastRow == null) {
      return split;
    }
    Bytes key = lastRow.encodedKey();
    OverlapCore known = new OverlapCore(overlap.ranges());
    if (isBeforeChanges) {
      known.read(key, lastRowAt);
    }
    return split
        .withBase(new BasePart(split.base().kind(), rows, key, known.ranges()))
        .in(incarnation);
  }
}
