package io.tunnel.server.replica.append;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * How far the clock of a node is from the clock of the log. The commit times of changes come from
 * the leader's clock, and rows expire by commit times; so a node whose clock is off does not lead.
 *
 * <p>An append is sent and acknowledged by the node's clock, and taken by the log's clock in
 * between. Only the difference that no delay explains is counted.
 *
 * <p>Between two acknowledgements the monotonic clock of the node tells whether an operator has set
 * the wall clock. A clock that was set is off until the log has told its time, so no change is
 * dated by it.
 */
final class ClockGapCore {

  /** The greatest difference of a leader. */
  static final long MS_MAX = TimeUnit.SECONDS.toMillis(5);

  /** How much later the node's clock is; negative if it is earlier; 0 if delays explain it. */
  private long aheadMs;

  /** Wall clock minus monotonic clock when the log has told its time last; empty before. */
  private OptionalLong baseMs = OptionalLong.empty();

  /** When the log's clock was asked last, while the difference was too great. */
  private long askedNanos;

  /**
   * The log has told the time of a record.
   *
   * @param sentMs the node's clock before the record was sent
   * @param toldMs the node's clock after the answer came
   * @param toldNanos the node's monotonic clock at the same time
   */
  void measured(long sentMs, long toldMs, long toldNanos, long logMs) {
    aheadMs = Math.max(0, sentMs - logMs) - Math.max(0, logMs - toldMs);
    baseMs = OptionalLong.of(base(toldMs, toldNanos));
  }

  private static long base(long nowMs, long nowNanos) {
    return nowMs - TimeUnit.NANOSECONDS.toMillis(nowNanos);
  }

  /** Looks whether the wall clock was set since the log has told its time. */
  void look(long nowMs, long nowNanos) {
    long setMs = baseMs.isPresent() ? base(nowMs, nowNanos) - baseMs.getAsLong() : 0;
    if (Math.abs(setMs) > MS_MAX && !isOff()) {
      aheadMs = setMs;
    }
  }

  /** How many milliseconds the node's clock is ahead of the log's, as far as is known. */
  long aheadMs() {
    return aheadMs;
  }

  /** Whether the node must not lead. */
  boolean isOff() {
    return Math.abs(aheadMs) > MS_MAX;
  }

  /** The difference is too great from now on. */
  void began(long nowNanos) {
    askedNanos = nowNanos;
  }

  /** Whether to ask for the log's time again now. */
  boolean take(long nowNanos, long pauseNanos) {
    boolean isDue = isOff() && nowNanos - askedNanos >= pauseNanos;
    askedNanos = isDue ? nowNanos : askedNanos;
    return isDue;
  }
}
