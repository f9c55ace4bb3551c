package io.tunnel.server.changes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/**
 * In which lives of its log the positions of one partition were given. A position is given again
 * when changes were lost, so that a position alone does not say which change a reader has seen.
 *
 * <p>Each incarnation begins where the log ended then. What was seen before stays true up to there,
 * and nothing behind does, whether anything was lost or not.
 *
 * @param known the incarnations that readers may have been told, oldest first; of others nothing is
 *     known
 * @param starts where incarnations began, oldest first; both numbers rise
 * @param numbers of which incarnations something is known
 */
public record IncarnationHistory(List<Long> known, List<Start> starts, Numbers numbers) {

  /** Starts that are kept of a partition. */
  public static final int STARTS_MAX = 64;

  /** Which numbers incarnations have. */
  public enum Numbers {
    /** Those that are known: any other was given by somebody else. */
    LISTED,
    /**
     * Any from the first that is known on: they rise, and nothing need have been written in one.
     */
    ORDERED
  }

  /** Of incarnations whose numbers are listed. */
  public IncarnationHistory(List<Long> known, List<Start> starts) {
    this(known, starts, Numbers.LISTED);
  }

  /**
   * An incarnation and the first position that was given in it.
   *
   * @param first all positions before it are those of the incarnations before
   */
  public record Start(long incarnation, long first) {}

  /** Refuses what does not rise. */
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

  /** What new readers are told. */
  public OptionalLong newest() {
    return known.isEmpty() ? OptionalLong.empty() : OptionalLong.of(known.get(known.size() - 1));
  }

  /** Whether anything can be said of what was seen in an incarnation. */
  public boolean knows(long incarnation) {
    return switch (numbers) {
      case LISTED -> Collections.binarySearch(known, incarnation) >= 0;
      case ORDERED -> !known.isEmpty() && incarnation >= known.get(0);
    };
  }

  /** Whether an incarnation is later than all of which something was seen here. */
  public boolean isBehind(long incarnation) {
    return known.isEmpty() || known.get(known.size() - 1) < incarnation;
  }

  /**
   * Position up to which a reader of an incarnation has seen the changes that there are now: 0 for
   * an incarnation that is not known, {@link Long#MAX_VALUE} for the newest. Of one that is later
   * than those {@linkplain #isBehind seen here}, that holds for who has read the whole log.
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
   * The starts when one more incarnation begins at {@code first}. Those that began there or behind
   * are forgotten: whatever was given in them is not there any more, or is the new one's.
   *
   * <p>Of more than {@link #STARTS_MAX} the oldest two become one that began at the first position
   * of both: readers of the incarnations between are refused earlier than they need to be.
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
