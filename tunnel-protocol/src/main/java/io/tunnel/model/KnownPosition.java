package io.tunnel.model;

/**
 * The highest position of a partition that a reader knows anything of, and in which life of the
 * partition's log it came to know it. Positions that were lost with the power, or by going back to
 * a backup, are given again to other changes: the incarnation tells these apart.
 *
 * @param position of the last change that the reader has seen, or that is in a row which it has
 *     seen
 * @param incarnation as it was said with that change, at least 1; a greater one began later
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
