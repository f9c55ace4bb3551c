package io.tunnel.terminal;

import java.util.OptionalLong;

/**
 * How far work has come and how fast it goes. The rate follows the last {@value #MEMORY_SECONDS}
 * seconds or so (an exponential average), so that the time left reflects a server that has become
 * slower, and does not jump with every observation.
 */
final class ProgressCore {

  private static final double MEMORY_SECONDS = 10;

  private final OptionalLong total;
  private final long startNanos;

  /** What was done before the start, which no rate counts. */
  private long startDone;

  private long lastNanos;
  private long lastDone;
  private double perSecond;

  /**
   * What is shown.
   *
   * @param perSecond the recent rate
   * @param overallPerSecond the rate since the start
   * @param etaMs time left at the recent rate; empty when the total is not known or nothing moves
   */
  record Reading(
      long done,
      OptionalLong total,
      double perSecond,
      double overallPerSecond,
      long elapsedMs,
      OptionalLong etaMs) {

    /** 0 to 100; more work than was announced is still 100. */
    OptionalLong percent() {
      if (total.isEmpty()) {
        return OptionalLong.empty();
      }
      long all = total.getAsLong();
      return OptionalLong.of(all <= 0 || done >= all ? 100 : (long) (100.0 * done / all));
    }
  }

  ProgressCore(OptionalLong total, long startNanos) {
    this.total = total;
    this.startNanos = startNanos;
    this.lastNanos = startNanos;
  }

  /** {@code done} units were done before the start; comes before each observation. */
  void begunAt(long done) {
    startDone = done;
    lastDone = done;
  }

  /** {@code done} units were done at {@code nowNanos}, neither of which ever goes back. */
  Reading observe(long nowNanos, long done) {
    double seconds = (nowNanos - lastNanos) / 1e9;
    if (seconds > 0) {
      double now = (done - lastDone) / seconds;
      double weight = lastNanos == startNanos ? 1 : 1 - Math.exp(-seconds / MEMORY_SECONDS);
      perSecond += weight * (now - perSecond);
      lastNanos = nowNanos;
      lastDone = done;
    }
    double elapsed = (nowNanos - startNanos) / 1e9;
    double overall = elapsed > 0 ? (done - startDone) / elapsed : 0;
    return new Reading(done, total, perSecond, overall, Math.round(elapsed * 1e3), eta(done));
  }

  private OptionalLong eta(long done) {
    if (total.isEmpty()) {
      return OptionalLong.empty();
    }
    long left = total.getAsLong() - done;
    if (left <= 0) {
      return OptionalLong.of(0);
    }
    return perSecond > 0
        ? OptionalLong.of(Math.round(left / perSecond * 1e3))
        : OptionalLong.empty();
  }
}
