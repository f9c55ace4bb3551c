package io.tunnel.server.cluster;

/**
 * When a node asks for a placement that it needs: at most once an interval after the last placement
 * or the last question. While placements do not help, the interval doubles with each question, up
 * to {@link #BACKOFF_MAX} intervals. Every node hears every placement, so the bound holds for the
 * complete cluster, except for nodes that ask at the same time.
 */
final class PaceCore {

  /** The longest backoff, in intervals of the configuration. */
  static final int BACKOFF_MAX = 4;

  private final long intervalNanos;
  private long quietUntilNanos;
  private int backoff = 1;
  private int questions;

  PaceCore(long intervalNanos, long nowNanos) {
    this.intervalNanos = intervalNanos;
    quietUntilNanos = nowNanos;
  }

  /** Takes a look at whether a placement is needed; true when the node is to ask now. */
  boolean ask(boolean isNeeded, long nowNanos) {
    if (!isNeeded) {
      backoff = 1;
      questions = 0;
      return false;
    }
    if (nowNanos - quietUntilNanos < 0) {
      return false;
    }
    if (questions++ > 0) {
      backoff = Math.min(2 * backoff, BACKOFF_MAX);
    }
    quietUntilNanos = nowNanos + backoff * intervalNanos;
    return true;
  }

  /** A placement was decided. */
  void decided(long nowNanos) {
    long quiet = nowNanos + intervalNanos;
    if (quiet - quietUntilNanos > 0) {
      quietUntilNanos = quiet;
    }
  }
}
