package io.tunnel.server.replica.append;

/**
 * When a node that wants to lead claims: at once, and again after a pause that doubles with each
 * claim. Pauses start again when the node has led for long. So two nodes that both want to lead, by
 * an error of the group's leader, fence each other ever more rarely.
 */
final class LaneClaims {

  private final long pauseNanosMin;
  private final long pauseNanosMax;
  private long pauseNanos;
  private long dueNanos;
  private long claimedNanos;
  private boolean isWanted;

  /** No node wants to lead yet. */
  LaneClaims(long pauseNanosMin, long pauseNanosMax) {
    this.pauseNanosMin = pauseNanosMin;
    this.pauseNanosMax = pauseNanosMax;
  }

  /** The node wants to lead from now on; the first claim is due. */
  void want(long nowNanos) {
    if (!isWanted) {
      isWanted = true;
      pauseNanos = pauseNanosMin;
      dueNanos = nowNanos;
    }
  }

  /** The node does not want to lead any more. */
  void stop() {
    isWanted = false;
  }

  boolean isWanted() {
    return isWanted;
  }

  /**
   * Whether the node, which does not lead, is to claim now. The next claim is due after a pause.
   */
  boolean take(long nowNanos) {
    if (!isWanted || nowNanos - dueNanos < 0) {
      return false;
    }
    claimedNanos = nowNanos;
    dueNanos = nowNanos + pauseNanos;
    pauseNanos = Math.min(pauseNanosMax, 2 * pauseNanos);
    return true;
  }

  /** The node leads. When it has led for the longest pause, pauses start again. */
  void leads(long nowNanos) {
    if (nowNanos - claimedNanos >= pauseNanosMax) {
      pauseNanos = pauseNanosMin;
    }
  }
}
