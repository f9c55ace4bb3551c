package io.tunnel.server.log;

/**
 * Where the batches of one partition stand in one segment, in the order of their positions. Safe to
 * read from any thread while its owner adds to it.
 */
abstract class BatchIndex {

  /** How many batches; entries below stay as they are for ever. */
  abstract int count();

  /** Position of the first change of batch {@code i}. */
  abstract long firstPosition(int i);

  /** Offset of batch {@code i} in the segment's file. */
  abstract int fileOffset(int i);

  /** Bytes of all batches of the partition in this segment that stand before batch {@code i}. */
  abstract int bytesBefore(int i);

  /** Bytes of the first {@code count} batches. */
  abstract int bytesOf(int count);

  /**
   * Position of the last change of the first {@code count} batches. It is asked for a count, and
   * not of the index as it is, because the owner may add between two questions of a reader.
   */
  abstract long lastPosition(int count);

  /** Bytes of batch {@code i} of the first {@code count}. */
  final int batchBytes(int i, int count) {
    return (i + 1 < count ? bytesBefore(i + 1) : bytesOf(count)) - bytesBefore(i);
  }

  /** The first of the first {@code count} batches that has changes after {@code position}. */
  final int firstBehind(long position, int count) {
    int at = Math.max(0, floor(position + 1, count));
    return at < count && lastPosition(at + 1) <= position ? at + 1 : at;
  }

  /**
   * The last of the first {@code count} batches that starts at or before {@code position}; -1 when
   * none does.
   */
  final int floor(long position, int count) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (firstPosition(middle) <= position) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }
}
