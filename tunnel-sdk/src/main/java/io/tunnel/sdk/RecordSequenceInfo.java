package io.tunnel.sdk;

/**
 * Where a record stands in the order of its partition.
 *
 * @param position strictly increasing inside the partition, never compared across partitions
 * @param commitMicros when it was committed, in microseconds since 1970; never goes backwards
 *     inside the partition
 */
public record RecordSequenceInfo(long position, long commitMicros)
    implements Comparable<RecordSequenceInfo> {

  /** The commit time in microseconds since 1970, as Tablestore's SDK calls it. */
  public long getTimestamp() {
    return commitMicros;
  }

  /** By position. */
  @Override
  public int compareTo(RecordSequenceInfo other) {
    return Long.compare(position, other.position);
  }
}
