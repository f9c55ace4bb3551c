package io.tunnel.server.replica.append;

import java.util.List;

/**
 * What a reader knows of a log of appends: a function of the log's records before {@code next}.
 *
 * @param next the offset of the next record to read
 * @param position the position of the next change
 * @param number of the last record of the newest epoch that counts; 0 before one counts
 * @param hasBegun whether a record other than a marker and a BEGIN has counted
 * @param snapshot the offset of the newest record that names a snapshot and counts; {@link
 *     AppendHeader#NO_SNAPSHOT} without one
 * @param snapshotBefore the offset of the second newest
 * @param stretches the epochs, the newest last; older epochs may be forgotten
 */
record FollowState(
    long next,
    long position,
    long number,
    boolean hasBegun,
    long snapshot,
    long snapshotBefore,
    List<Stretch> stretches) {

  /** Nothing was read. */
  public static final FollowState NONE =
      new FollowState(
          0, 1, 0, false, AppendHeader.NO_SNAPSHOT, AppendHeader.NO_SNAPSHOT, List.of());

  /**
   * The offsets of an epoch: each record of the epoch from its marker to its end counts, and no
   * other record does.
   *
   * @param epoch the offset of the marker
   * @param marker the random bytes of the marker
   * @param incarnation of the changes of the epoch; above that of every earlier epoch
   * @param first the position of the next change at the marker
   * @param end the offset of the next marker, or of the first record of the epoch that does not
   *     count; {@link #OPEN} while records may follow that count
   */
  public record Stretch(long epoch, long marker, long incarnation, long first, long end) {

    /** The end of an epoch that may continue. */
    public static final long OPEN = Long.MAX_VALUE;

    /** Whether more records of the epoch may count. */
    public boolean isOpen() {
      return end == OPEN;
    }

    Stretch endedAt(long offset) {
      return isOpen() ? new Stretch(epoch, marker, incarnation, first, offset) : this;
    }

    boolean has(AppendHeader header) {
      return header.epoch() == epoch && header.marker() == marker;
    }

    boolean hasCounted(long offset, AppendHeader header) {
      return epoch < offset && offset < end && has(header);
    }
  }

  /** Takes a copy. */
  public FollowState {
    stretches = List.copyOf(stretches);
  }

  /** See {@link FollowCore#hasCounted}. */
  boolean hasCounted(long offset, AppendHeader header) {
    return hasCounted(next, stretches, offset, header);
  }

  static boolean hasCounted(long next, List<Stretch> stretches, long offset, AppendHeader header) {
    return offset < next
        && header.kind() != AppendHeader.Kind.MARKER
        && stretches.stream().anyMatch(each -> each.hasCounted(offset, header));
  }
}
