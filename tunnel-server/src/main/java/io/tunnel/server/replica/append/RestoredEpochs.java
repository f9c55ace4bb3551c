package io.tunnel.server.replica.append;

import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Start;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The markers and BEGINs of a restored log: a function of the incarnations of the partition that
 * was saved. A reader who knows a position and its incarnation, such as a savepoint, gets from the
 * restored log the answer of the former log.
 *
 * <p>Each former incarnation is an epoch that begins at its former position. Where the log has no
 * changes any more before this position, a BEGIN raises the position; elsewhere the former changes
 * do.
 */
final class RestoredEpochs {

  /**
   * Former incarnations that get an epoch: each incarnation with a first position, and the newest
   * incarnations without one. Far below {@link FollowCore#STRETCHES_MAX}, because a forgotten epoch
   * hides its changes.
   */
  static final int INCARNATIONS_MAX = 256;

  private final long first;
  private final long next;
  private final List<Step> steps = new ArrayList<>();
  private long position = 1;

  /** A part of the log, in order. */
  sealed interface Step {
    /** A marker that begins this incarnation. */
    record Marker(long incarnation) implements Step {}

    /** A BEGIN: the next change has the position {@code first}. */
    record Begin(long first) implements Step {}

    /** The records of all changes up to the position {@code next}, without {@code next}. */
    record Changes(long next) implements Step {}
  }

  private RestoredEpochs(long first, long next) {
    this.first = first;
    this.next = next;
  }

  /**
   * The steps; the last one begins the incarnation of what is written after the restore.
   *
   * @param incarnations of the saved partition
   * @param least the last incarnation is at least this number
   * @param first the position of the first change that is restored
   * @param next the position after the last change
   */
  static List<Step> of(IncarnationHistory incarnations, long least, long first, long next) {
    if (first < 1 || next < first) {
      throw new IllegalArgumentException("changes from position " + first + " to " + next);
    }
    RestoredEpochs log = new RestoredEpochs(first, next);
    for (long incarnation : chosen(incarnations)) {
      log.mark(incarnation, begun(incarnations.starts(), incarnation));
    }
    long newest = incarnations.newest().orElse(0);
    if (log.steps.isEmpty()) {
      log.mark(newest + 1, 1);
    }
    log.mark(Math.max(least, newest + 2), next);
    return List.copyOf(log.steps);
  }

  private static Iterable<Long> chosen(IncarnationHistory incarnations) {
    TreeSet<Long> chosen = new TreeSet<>();
    incarnations.starts().forEach(start -> chosen.add(start.incarnation()));
    List<Long> known = incarnations.known();
    for (int i = known.size() - 1; i >= 0 && chosen.size() < INCARNATIONS_MAX; i--) {
      chosen.add(known.get(i));
    }
    return chosen;
  }

  /** The position of the first change that was not given before an incarnation. */
  private static long begun(List<Start> starts, long incarnation) {
    for (Start start : starts) {
      if (start.incarnation() >= incarnation) {
        return start.first();
      }
    }
    // The partition was empty at all starts, so all positions are of the newest incarnation.
    return starts.isEmpty() ? 1 : Long.MAX_VALUE;
  }

  private void mark(long incarnation, long at) {
    // A BEGIN is a record of an epoch. No incarnation is before the first one.
    if (!steps.isEmpty()) {
      raise(Math.min(at, next));
    }
    steps.add(new Step.Marker(incarnation));
  }

  private void raise(long to) {
    if (position < Math.min(to, first)) {
      position = Math.min(to, first);
      steps.add(new Step.Begin(position));
    }
    if (position < to) {
      position = to;
      steps.add(new Step.Changes(to));
    }
  }
}
