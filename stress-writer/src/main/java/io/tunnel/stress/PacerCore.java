package io.tunnel.stress;

/**
 * When each row of one sender should leave, so that all senders together send {@code rate} rows a
 * second, evenly. The times depend on nothing that happened: a sender that was held up sends what
 * is overdue at once, and latency counted from the intended time shows the delay instead of hiding
 * it ("coordinated omission"). Used by one thread.
 */
final class PacerCore {

  /** Rows a second of all senders together. */
  static final long RATE_MAX = 1_000_000_000L;

  private static final long SECOND_NANOS = 1_000_000_000L;

  private final long startNanos;
  private final long rate;
  private final int senders;
  private long index;

  /** The times of sender number {@code sender} (from 0) of {@code senders}. */
  PacerCore(long startNanos, long rate, int senders, int sender) {
    if (rate < 1 || rate > RATE_MAX) {
      throw new IllegalArgumentException("a rate is 1 to " + RATE_MAX + " rows/s, not " + rate);
    }
    if (sender < 0 || sender >= senders) {
      throw new IllegalArgumentException("sender " + sender + " of " + senders);
    }
    this.startNanos = startNanos;
    this.rate = rate;
    this.senders = senders;
    this.index = sender;
  }

  /** The intended time of the next row. */
  long nextNanos() {
    long at = atNanos(index);
    index += senders;
    return at;
  }

  private long atNanos(long ofIndex) {
    return startNanos + ofIndex / rate * SECOND_NANOS + ofIndex % rate * SECOND_NANOS / rate;
  }

  /** How many rows after those of {@link #nextNanos} are due before a moment. */
  long dueBefore(long endNanos) {
    long sinceNanos = endNanos - startNanos;
    if (sinceNanos <= 0) {
      return 0;
    }
    // Rows of all senders whose intended times are before the moment: the smallest index at or
    // after it, found without an overflow.
    long seconds = sinceNanos / SECOND_NANOS;
    long below = seconds * rate + ceil((sinceNanos % SECOND_NANOS) * (double) rate / SECOND_NANOS);
    while (below > 0 && atNanos(below - 1) >= endNanos) {
      below--;
    }
    while (atNanos(below) < endNanos) {
      below++;
    }
    return below <= index ? 0 : (below - index - 1) / senders + 1;
  }

  private static long ceil(double number) {
    return (long) Math.ceil(number);
  }
}
