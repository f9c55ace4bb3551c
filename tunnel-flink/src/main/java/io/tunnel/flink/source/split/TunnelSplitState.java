package io.tunnel.flink.source.split;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.StreamRecord;

/** How far a split is read, in the records that were emitted. For the task's thread. */
public final class TunnelSplitState {

  private final TunnelSplit split;
  private long rows;
  private StreamRecord lastRow;
  private long position;
  private boolean hasChanges;

  /** Nothing was emitted yet. */
  public TunnelSplitState(TunnelSplit split) {
    this.split = split;
    this.rows = split.base().rows();
    this.position = split.position();
  }

  /** A record was emitted. */
  public void emitted(StreamRecord record, ChannelType type) {
    if (type == ChannelType.BaseData) {
      rows = record.position();
      lastRow = record;
    } else {
      hasChanges = true;
      position = record.position();
    }
  }

  /** The partition. */
  public int partition() {
    return split.partition();
  }

  /** Whether what is emitted now are rows that changes will follow. */
  public boolean isBeforeChanges() {
    return !hasChanges && split.base().kind() == BasePart.Kind.BEFORE_CHANGES;
  }

  /** Changes up to here were emitted. */
  public long position() {
    return position;
  }

  /** What is still to be read. */
  public TunnelSplit toSplit() {
    if (hasChanges) {
      return split.behind(position);
    }
    if (lastRow != null) {
      return split.withBase(new BasePart(split.base().kind(), rows, lastRow.encodedKey()));
    }
    return split;
  }
}
