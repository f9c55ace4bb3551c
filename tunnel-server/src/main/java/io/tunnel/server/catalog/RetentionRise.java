package io.tunnel.server.catalog;

/**
 * A rise of a table's retention. Changes that were old at the rise may be gone already, so the time
 * for which all changes are kept grows slowly to the new retention.
 *
 * @param sinceMs time of the rise, in milliseconds since 1970
 * @param formerMs the former retention, in milliseconds
 */
public record RetentionRise(long sinceMs, long formerMs) {

  /** Refuses negative times. */
  public RetentionRise {
    if (sinceMs < 0 || formerMs < 1) {
      throw new IllegalArgumentException(
          "changes were kept for " + formerMs + " ms until " + sinceMs);
    }
  }

  /**
   * The time for which all changes are kept at {@code nowMs}, without regard to the new retention.
   */
  long keptMs(long nowMs) {
    return Math.max(formerMs, nowMs - sinceMs);
  }
}
