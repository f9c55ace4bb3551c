package io.tunnel.model;

/**
 * The highest position of a partition that a reader has seen, and the incarnation of the
 * partition's log at that time. After a power loss or a restore from a backup, new changes get the
 * positions of lost changes: the incarnation tells them apart.
 *
 * @param position the last change that the reader has seen, directly or in a row
 * @param incarnation the incarnation delivered with the change, at least 1; later incarnations are
 *     greater
 */
public record KnownPosition(long position, long incarnation) {

  /** Refuses positions under 0 and incarnations under 1. */
  public KnownPosition {
    if (incarnation < 1) {
      throw new IllegalArgumentException("incarnations are at least 1, not " + incarnation);
    }
    if (position < 0) {
      throw new IllegalArgumentException("positions are at least 0, not " + position);
    }
  }
}
