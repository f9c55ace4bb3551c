package io.tunnel.it.sim.truth;

import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * When a request may have found the rows of a partition: behind any position from {@code since} on,
 * and, where rows expire, at any time that the server's clock showed between the request's arrival
 * and its answer.
 *
 * @param since the last position that was acknowledged when the request arrived
 * @param earliestMicros the least time that the clock showed since then
 * @param latestMicros the greatest time that it showed
 */
record Moments(PartitionTruth truth, long since, long earliestMicros, long latestMicros) {

  /** Something that is asked of the rows of a moment. */
  @FunctionalInterface
  interface Question {
    /**
     * Whether the answer fits.
     *
     * @param stored the rows that the changes leave
     * @param alive those of them whose time to live is not over
     */
    boolean fits(RowFold stored, RowFold alive);
  }

  /** Whether the answer fits at any of the moments. */
  boolean any(Question question) {
    return any(since, truth.committed(), question);
  }

  /** Whether the answer fits at any moment between two positions. */
  boolean any(long first, long last, Question question) {
    RowFold stored = truth.fold(first);
    boolean fits = fits(stored, question);
    for (long position = first + 1; position <= last && !fits; position++) {
      stored.apply(truth.at(position).record());
      fits = fits(stored, question);
    }
    return fits;
  }

  private boolean fits(RowFold stored, Question question) {
    return truth.ttlMicros() == 0
        ? question.fits(stored, stored)
        : overUntil(stored).stream()
            .anyMatch(over -> question.fits(stored, stored.writtenBehind(over)));
  }

  /** The last commit times of rows that were over: of times with the same rows left, one. */
  private NavigableSet<Long> overUntil(RowFold stored) {
    long first = earliestMicros - truth.ttlMicros();
    NavigableSet<Long> times = new TreeSet<>();
    times.add(first);
    stored.rows().keySet().stream()
        .map(stored::commitMicros)
        .filter(micros -> micros > first && micros <= latestMicros - truth.ttlMicros())
        .forEach(times::add);
    return times;
  }
}
