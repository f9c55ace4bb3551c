package io.tunnel.programs.demo;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When the positions of one partition were acknowledged: written by the thread that acknowledges,
 * read by the thread that consumes, both in rising order, without a lock. Acknowledgements within
 * {@value #MERGE_NANOS} ns count as one, so that a batch takes one entry.
 *
 * <p>Entries stand in chunks that are linked; those that the reader has left are garbage.
 */
final class AckTimes {

  /** The time of positions that are not acknowledged yet. */
  static final long NOT_YET = Long.MIN_VALUE;

  private static final long MERGE_NANOS = 20_000;
  private static final int CHUNK_ENTRIES = 512;

  private Chunk writing = new Chunk();
  private int writeIndex = -1;
  private long writeNanos;

  private Chunk reading = writing;
  private int readIndex;

  private static final class Chunk {
    /** The last position of each entry; grows while the entry is the newest. */
    final AtomicLongArray last = new AtomicLongArray(CHUNK_ENTRIES);

    /** Written before {@link #size} says that the entry is there. */
    final long[] nanos = new long[CHUNK_ENTRIES];

    volatile int size;
    volatile Chunk next;
  }

  /** Writer: the position, higher than all before, was acknowledged now. */
  void acknowledged(long position, long nowNanos) {
    if (writeIndex >= 0 && nowNanos - writeNanos <= MERGE_NANOS) {
      writing.last.setRelease(writeIndex, position);
      return;
    }
    if (++writeIndex == CHUNK_ENTRIES) {
      Chunk next = new Chunk();
      writing.next = next;
      writing = next;
      writeIndex = 0;
    }
    writeNanos = nowNanos;
    writing.nanos[writeIndex] = nowNanos;
    writing.last.setRelease(writeIndex, position);
    writing.size = writeIndex + 1;
  }

  /** Reader: when that position, not lower than any before, was acknowledged. */
  long ackNanos(long position) {
    while (true) {
      // The order of these two reads matters: an entry that is not the newest grows no more.
      int size = reading.size;
      if (readIndex < size) {
        if (reading.last.getAcquire(readIndex) >= position) {
          return reading.nanos[readIndex];
        }
        if (readIndex + 1 < size) {
          readIndex++;
          continue;
        }
      }
      Chunk next = reading.next;
      if (next == null || readIndex + 1 < CHUNK_ENTRIES || next.size == 0) {
        return NOT_YET;
      }
      if (reading.last.getAcquire(readIndex) >= position) {
        return reading.nanos[readIndex];
      }
      reading = next;
      readIndex = 0;
    }
  }
}
