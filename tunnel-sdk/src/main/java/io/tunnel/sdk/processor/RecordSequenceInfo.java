package io.tunnel.sdk.processor;

/** Position and commit time of a record in its partition. */
public final class RecordSequenceInfo implements Comparable<RecordSequenceInfo> {

  private final long position;
  private final long timestamp;

  /** Combines {@link #position} and {@link #getTimestamp}. */
  public RecordSequenceInfo(long position, long timestamp) {
    this.position = position;
    this.timestamp = timestamp;
  }

  /** Strictly increasing inside the partition; positions of two partitions do not compare. */
  public long position() {
    return position;
  }

  /**
   * Commit time of the record, in microseconds since 1970; never decreases inside the partition.
   */
  public long getTimestamp() {
    return timestamp;
  }

  /** By position. */
  @Override
  public int compareTo(RecordSequenceInfo other) {
    return Long.compare(position, other.position);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordSequenceInfo that
        && position == that.position
        && timestamp == that.timestamp;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(position);
  }

  @Override
  public String toString() {
    return position + " at " + timestamp;
  }
}
