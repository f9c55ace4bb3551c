package io.tunnel.server.changes;

import java.util.Arrays;

/**
 * When a growing log was first seen to reach a position. At most {@value #KEPT_MAX} sightings are
 * kept, 2 KiB: with one more, the sighting goes whose absence changes an age least, in proportion
 * to the age. So old sightings lie further apart than young ones, and the first and the newest
 * stay.
 */
final class SightingsCore {

  static final int KEPT_MAX = 128;

  /** Ends of the log, strictly rising. */
  private long[] lasts = new long[4];

  /** When the end was first seen; never falling. */
  private long[] micros = new long[4];

  private int count;

  /** Notes that the log reached {@code last} at {@code nowMicros}. */
  void saw(long last, long nowMicros) {
    if (count > 0 && last <= lasts[count - 1]) {
      return;
    }
    if (count == KEPT_MAX) {
      remove(leastMissed(nowMicros));
    }
    if (count == lasts.length) {
      lasts = Arrays.copyOf(lasts, 2 * count);
      micros = Arrays.copyOf(micros, 2 * count);
    }
    lasts[count] = last;
    // A clock that was set back must not make a younger record the older one.
    micros[count] = count > 0 ? Math.max(nowMicros, micros[count - 1]) : nowMicros;
    count++;
  }

  /** Without the sighting, records after the sighting before are taken for as young as the next. */
  private int leastMissed(long nowMicros) {
    int least = 1;
    double leastError = Double.MAX_VALUE;
    for (int i = 1; i < count - 1; i++) {
      double error = (double) (micros[i + 1] - micros[i - 1]) / (nowMicros - micros[i - 1] + 1);
      if (error < leastError) {
        least = i;
        leastError = error;
      }
    }
    return least;
  }

  private void remove(int index) {
    count--;
    System.arraycopy(lasts, index + 1, lasts, index, count - index);
    System.arraycopy(micros, index + 1, micros, index, count - index);
  }

  /** A time at or after the commit of a record; {@link LogFigures#UNKNOWN} beyond the last end. */
  long committedBy(long position) {
    for (int i = 0; i < count; i++) {
      if (lasts[i] >= position) {
        return micros[i];
      }
    }
    return LogFigures.UNKNOWN;
  }
}
