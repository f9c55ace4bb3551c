package io.tunnel.server.replica.shared;

/**
 * How long ago the log last confirmed a replica: the replica asked for the log's end at that
 * moment, and has read to that end since. So the replica has every change acknowledged before the
 * request.
 *
 * <p>Nanoseconds of a clock that never goes back, unlike {@link FreshCore}'s, which outlive the
 * process. Written by one thread; {@link #isOlder} is for any.
 */
final class LastWordCore {

  private static final long NEVER = Long.MIN_VALUE;

  /** Only grows; {@link #NEVER} before the first word. */
  private volatile long wordNanos = NEVER;

  /** An end that is not read to yet; -1 for none. It was asked for at {@code aimNanos}. */
  private long aim = -1;

  private long aimNanos;

  /**
   * The log's end was {@code end} at {@code askedNanos} or later, and {@code next} is read next.
   */
  void sawEnd(long end, long askedNanos, long next) {
    if (next >= end) {
      heard(askedNanos);
    } else if (aim < 0) {
      // Not the newest: a replica that is always a little behind would never be there.
      aim = end;
      aimNanos = askedNanos;
    }
  }

  /** The replica will read {@code next} next. */
  void read(long next) {
    if (aim >= 0 && next >= aim) {
      heard(aimNanos);
      aim = -1;
    }
  }

  private void heard(long askedNanos) {
    if (wordNanos == NEVER || askedNanos - wordNanos > 0) {
      wordNanos = askedNanos;
    }
  }

  /** Whether the last word is older than that, or there was none. */
  boolean isOlder(long nanosMax, long nowNanos) {
    long word = wordNanos;
    return word == NEVER || nowNanos - word > nanosMax;
  }
}
