package io.tunnel.server.net.audit;

import java.util.Collection;
import java.util.TreeSet;

/**
 * When the file that is written is put aside, under which number, and which older ones go: together
 * there are at most so many files of so many bytes. A line is never cut in two.
 */
final class RotationCore {

  private final long bytesMax;
  private final int filesMax;

  /** Numbers of the files that were put aside; the largest is the newest. */
  private final TreeSet<Long> kept;

  /** Bytes of the file that is written; more than {@code bytesMax} by a single write only. */
  private long bytes;

  /**
   * Behind a start.
   *
   * @param bytesMax bytes of one file, if a single write is not larger
   * @param filesMax files at the same time, the one that is written among them
   * @param bytes of the file that is written
   * @param kept numbers of those that were put aside
   */
  RotationCore(long bytesMax, int filesMax, long bytes, Collection<Long> kept) {
    this.bytesMax = bytesMax;
    this.filesMax = filesMax;
    this.bytes = bytes;
    this.kept = new TreeSet<>(kept);
  }

  /** Whether the file has to be put aside before so many bytes are written. */
  boolean mustRotate(int more) {
    return bytes > 0 && bytes + more > bytesMax;
  }

  /** How many bytes fit before the file has to be put aside. */
  long room() {
    return Math.max(0, bytesMax - bytes);
  }

  /** The number under which the file is put aside. */
  long nextNumber() {
    return kept.isEmpty() ? 1 : kept.last() + 1;
  }

  /** The file was put aside under {@link #nextNumber}, and the next one is empty. */
  void rotated() {
    kept.add(nextNumber());
    bytes = 0;
  }

  /** Whether a file has to go. */
  boolean hasTooMany() {
    return kept.size() > filesMax - 1;
  }

  /** The number of the one that goes. */
  long oldest() {
    return kept.first();
  }

  /** The oldest is gone. */
  void deleted() {
    kept.remove(kept.first());
  }

  /** So many bytes were written. */
  void appended(int more) {
    bytes += more;
  }
}
