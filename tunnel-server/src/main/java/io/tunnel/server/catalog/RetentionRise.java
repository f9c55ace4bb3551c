package io.tunnel.server.catalog;

/**
 * A table keeps its changes for longer than it did. What was old by then may be gone already, so
 * the time for which everything is kept only grows to what was promised.
 *
 * @param sinceMs when that began, in milliseconds since 1970
 * @param formerMs how long all changes were kept until then
 */
public record RetentionRise(long sinceMs, long formerMs) {

  /** Refuses what is no time. */
  public RetentionRise {
    if (sinceMs < 0 || formerMs < 1) {
      throw new IllegalArgumentException(
          "changes were kept for " + formerMs + " ms until " + sinceMs);
    }
  }

  /** How long all changes are kept at that moment, when nothing else is promised. */
  long keptMs(long nowMs) {
    return Math.max(formerMs, nowMs - sinceMs);
  }
}
