package io.tunnel.server.changes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/**
 * The incarnations of a log in which the positions of one partition were given. A log that lost
 * changes gives their positions again, so a position alone does not identify the change that a
 * reader has seen.
 *
 * <p>Each incarnation begins at the end of the log at that time. Changes seen in earlier
 * incarnations are valid up to there, and not beyond, whether the log lost changes or not.
 *
 * @param known the incarnations that readers may know, oldest first
 * @param starts where incarnations began, oldest first; both numbers rise
 * @param numbers which numbers incarnations have
 */
public record IncarnationHistory(List<Long> known, List<Start> starts, Numbers numbers) {

  /** Most starts that are kept of a partition. */
  public static final int STARTS_MAX = 64;

  /** How incarnations are numbered. */
  public enum Numbers {
    /** Only the known numbers: any other is of another log. */
    LISTED,
    /**
     * All numbers from the first known one on: numbers rise, and an incarnation may be without a
     * write.
     */
    ORDERED
  }

  /** A history with listed numbers. */
  public IncarnationHistory(List<Long> known, List<Start> starts) {
    this(known, starts, Numbers.LISTED);
  }

  /**
   * An incarnation and the first position that was given in it.
   *
   * @param first positions before it belong to earlier incarnations
   */
  public record Start(long incarnation, long first) {}

  /** Refuses numbers or positions that do not rise. */
  public IncarnationHistory {
    known = List.copyOf(known);
    starts = List.copyOf(starts);
    for (int i = 1; i < known.size(); i++) {
      if (known.get(i) <= known.get(i - 1)) {
        throw new IllegalArgumentException("incarnations rise: " + known);
      }
    }
    for (int i = 1; i < starts.size(); i++) {
      Start before = starts.get(i - 1);
      Start start = starts.get(i);
      if (start.incarnation() <= before.incarnation() || start.first() <= before.first()) {
        throw new IllegalArgumentException(
            "incarnations and their first positions rise: " + starts);
      }
    }
  }

  /** The newest incarnation, which new readers receive. */
  public OptionalLong newest() {
    return known.isEmpty() ? OptionalLong.empty() : OptionalLong.of(known.get(known.size() - 1));
  }

  /** Whether this history covers an incarnation. */
  public boolean knows(long incarnation) {
    return switch (numbers) {
      case LISTED -> Collections.binarySearch(known, incarnation) >= 0;
      case ORDERED -> !known.isEmpty() && incarnation >= known.get(0);
    };
  }

  /** Whether an incarnation is later than all known ones. */
  public boolean isBehind(long incarnation) {
    return known.isEmpty() || known.get(known.size() - 1) < incarnation;
  }

  /**
   * Position up to which the changes that a reader saw in an incarnation are still in the log: 0
   * for an unknown incarnation, {@link Long#MAX_VALUE} for the newest. For an incarnation later
   * than all {@linkplain #isBehind known ones}, the answer is right only once this server has read
   * the whole log.
   */
  public long sharedUpTo(long incarnation) {
    if (!knows(incarnation)) {
      return 0;
    }
    for (Start start : starts) {
      if (start.incarnation() > incarnation) {
        return start.first() - 1;
      }
    }
    // Without a start the partition was empty when the newest incarnation began.
    return incarnation >= newest().orElseThrow() ? Long.MAX_VALUE : 0;
  }

  /**
   * The starts after one more incarnation began at {@code first}. Drops starts there or after: the
   * positions of their incarnations are gone, or belong to the new one.
   *
   * <p>If there are more than {@link #STARTS_MAX}, merges the oldest two into one at the lower
   * position: readers of the incarnations between are refused earlier than necessary.
   */
  public static List<Start> begun(List<Start> starts, long incarnation, long first) {
    List<Start> after = new ArrayList<>(starts);
    after.removeIf(start -> start.first() >= first);
    after.add(new Start(incarnation, first));
    if (after.size() > STARTS_MAX) {
      long oldest = after.remove(0).first();
      after.set(0, new Start(after.get(0).incarnation(), oldest));
    }
    return List.copyOf(after);
  }
}
