package io.tunnel.server.log;

import java.util.Arrays;

/**
 * The index of a partition in the segment that is written. One thread adds; the count, written
 * last, publishes.
 */
final class GrowingIndex extends BatchIndex {

  private volatile Entries entries = new Entries(16);
  private volatile int count;

  void add(long firstPosition, long lastPosition, int fileOffset, int bytes) {
    int at = count;
    Entries grown = entries;
    if (at + 1 == grown.bytesBefore.length) {
      grown = grown.doubled();
      entries = grown;
    }
    grown.firstPositions[at] = firstPosition;
    grown.fileOffsets[at] = fileOffset;
    grown.lastPositions[at] = lastPosition;
    grown.bytesBefore[at + 1] = grown.bytesBefore[at] + bytes;
    count = at + 1;
  }

  @Override
  int count() {
    return count;
  }

  @Override
  long firstPosition(int i) {
    return entries.firstPositions[i];
  }

  @Override
  int fileOffset(int i) {
    return entries.fileOffsets[i];
  }

  @Override
  int bytesBefore(int i) {
    return entries.bytesBefore[i];
  }

  @Override
  int bytesOf(int count) {
    return entries.bytesBefore[count];
  }

  @Override
  long lastPosition(int count) {
    return entries.lastPositions[count - 1];
  }

  /** Parallel arrays; a grown copy holds all published entries of its predecessor. */
  private static final class Entries {
    private final long[] firstPositions;
    private final long[] lastPositions;
    private final int[] fileOffsets;
    private final int[] bytesBefore;

    Entries(int capacity) {
      this(new long[capacity], new long[capacity], new int[capacity], new int[capacity + 1]);
    }

    private Entries(
        long[] firstPositions, long[] lastPositions, int[] fileOffsets, int[] bytesBefore) {
      this.firstPositions = firstPositions;
      this.lastPositions = lastPositions;
      this.fileOffsets = fileOffsets;
      this.bytesBefore = bytesBefore;
    }

    Entries doubled() {
      int capacity = firstPositions.length * 2;
      return new Entries(
          Arrays.copyOf(firstPositions, capacity),
          Arrays.copyOf(lastPositions, capacity),
          Arrays.copyOf(fileOffsets, capacity),
          Arrays.copyOf(bytesBefore, capacity + 1));
    }
  }
}
