package io.tunnel.server.net.audit;

import java.util.Collection;
import java.util.TreeSet;

/**
 * Decides when the open file is rotated, under which number, and which older file is deleted, so
 * that the number of files and their bytes are bounded. A line is never split.
 */
final class RotationCore {

  private final long bytesMax;
  private final int filesMax;

  /** Numbers of the rotated files; the largest is the newest. */
  private final TreeSet<Long> kept;

  /** Bytes of the open file; above {@code bytesMax} only if a single write is larger. */
  private long bytes;

  /**
   * The state after a start.
   *
   * @param bytesMax bytes of one file, if a single write is not larger
   * @param filesMax files at the same time, the open one included
   * @param bytes of the open file
   * @param kept numbers of the rotated files
   */
  RotationCore(long bytesMax, int filesMax, long bytes, Collection<Long> kept) {
    this.bytesMax = bytesMax;
    this.filesMax = filesMax;
    this.bytes = bytes;
    this.kept = new TreeSet<>(kept);
  }

  /** Whether the file must be rotated before {@code more} bytes are written. */
  boolean mustRotate(int more) {
    return bytes > 0 && bytes + more > bytesMax;
  }

  /** The bytes that fit before the file must be rotated. */
  long room() {
    return Math.max(0, bytesMax - bytes);
  }

  /** The number of the next rotated file. */
  long nextNumber() {
    return kept.isEmpty() ? 1 : kept.last() + 1;
  }

  /** The file was rotated under {@link #nextNumber}; the open file is empty now. */
  void rotated() {
    kept.add(nextNumber());
    bytes = 0;
  }

  /** Whether a file must be deleted. */
  boolean hasTooMany() {
    return kept.size() > filesMax - 1;
  }

  /** The number of the file to delete. */
  long oldest() {
    return kept.first();
  }

  /** The oldest file was deleted. */
  void deleted() {
    kept.remove(kept.first());
  }

  /** {@code more} bytes were written. */
  void appended(int more) {
    bytes += more;
  }
}
