package io.tunnel.server.channel.ration;

/**
 * Lets a channel deliver in addition to the throttled rate, so that its backlog shrinks: 5 changes
 * for each 4 that are committed meanwhile. Counts changes, because every log knows their number.
 *
 * <p>Invariant: {@code entitled <= ENTITLED_MAX}, so a channel whose reader was slow cannot claim
 * everything that was written since; it is below zero by at most the changes of one delivery,
 * because deliveries are not cut.
 */
final class ProgressCore {

  /** The changes of a tenth of a second at a million changes a second. */
  static final long ENTITLED_MAX = 100_000;

  private static final int WRITTEN = 4;
  private static final int DELIVERED = 5;
  private static final long UNKNOWN = -1;

  /** The newest committed position at the last look; {@link #UNKNOWN} before the first. */
  private long committed = UNKNOWN;

  /** Changes that may be delivered in addition to the throttled rate. */
  private long entitled;

  /** The fraction of a change, times {@link #WRITTEN}; less than it. */
  private long rest;

  /** Notes that all changes up to {@code newest} are committed. */
  void look(long newest) {
    if (committed != UNKNOWN && newest > committed) {
      long grown = Math.min(newest - committed, ENTITLED_MAX) * DELIVERED + rest;
      entitled = Math.min(ENTITLED_MAX, entitled + grown / WRITTEN);
      rest = grown % WRITTEN;
    }
    committed = Math.max(committed, newest);
  }

  /** Notes a delivery of {@code changes}, within the throttled rate or in addition to it. */
  void delivered(long changes) {
    entitled = Math.max(-changes, entitled - changes);
  }

  /** Whether the channel may deliver in addition to the throttled rate. */
  boolean isEntitled() {
    return entitled > 0;
  }
}
