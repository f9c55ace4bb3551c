package io.tunnel.flink.source.split;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Optional;

/** The progress of a split in emitted records. For the task's thread. */
public final class TunnelSplitState {

  private final TunnelSplit split;
  private final boolean isBeforeChanges;

  /**
   * Contains the pages before the page of {@link #lastRow}, which is complete only when the next
   * page begins.
   */
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

  /** The state before the first record. */
  public TunnelSplitState(TunnelSplit split) {
    this.split = split;
    this.rows = split.base().rows();
    this.position = split.position();
    this.incarnation = split.incarnation();
    this.phase = split.base().kind() == BasePart.Kind.NONE ? Phase.CHANGES : Phase.ROWS;
    this.isBeforeChanges = split.base().kind() == BasePart.Kind.BEFORE_CHANGES;
    this.overlap = new OverlapCore(split.base().ranges());
    if (isBeforeChanges && split.base().ranges().isEmpty() && split.base().key().length() > 0) {
      // Another reader read the rows: no change counts as contained.
      overlap.read(split.base().key(), position);
    }
  }

  /**
   * Notes a record that was emitted or skipped.
   *
   * @param seenIn the incarnation of its position, or the position at which a row was read
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
                        + " have, so the job cannot tell which changes to skip"));
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

  /** Notes the end of the rows before changes, as of a position. */
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

  /** Whether the read of a change's row contains the change. */
  public boolean has(StreamRecord change) {
    return change.position() <= overlap.last()
        && overlap.has(change.encodedKey(), change.position());
  }

  /** See {@link TunnelSplit#isWhole}. */
  public boolean isWhole() {
    return split.isWhole();
  }

  /** Whether the split emits rows now, and changes follow. */
  public boolean isBeforeChanges() {
    return phase == Phase.ROWS && isBeforeChanges;
  }

  /** The position of the last emitted change. */
  public long position() {
    return position;
  }

  /** The unread part of the split. */
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
