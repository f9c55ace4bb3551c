package io.tunnel.server.cluster;

/**
 * When to ask for a decision that is needed: not before a while after the last decision or the last
 * question, and, when decisions do not help, after twice that while, and so on. Every node sees
 * every decision, so the whole cluster is bounded by it, but for those who ask at the same moment.
 */
final class PaceCore {

  /** The longest while, in those of the configuration. */
  static final int BACKOFF_MAX = 4;

  private final long intervalNanos;
  private long quietUntilNanos;
  private int backoff = 1;
  private int questions;

  PaceCore(long intervalNanos, long nowNanos) {
    this.intervalNanos = intervalNanos;
    quietUntilNanos = nowNanos;
  }

  /** Whether to ask now. */
  boolean asks(boolean isNeeded, long nowNanos) {
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

  /** Something was decided. */
  void decided(long nowNanos) {
    long quiet = nowNanos + intervalNanos;
    if (quiet - quietUntilNanos > 0) {
      quietUntilNanos = quiet;
    }
  }
}
