package io.tunnel.server.channel.ration;

/**
 * What one channel may deliver whatever the ration is, so that a backlog that is drained shrinks: 5
 * changes for each 4 that are committed meanwhile. Counted in changes, because these are known for
 * every log.
 *
 * <p>Invariant: {@code entitled <= ENTITLED_MAX}, so who was kept from delivering by its reader
 * does not come with all that was written since; and under zero by at most the changes of one
 * delivery, since deliveries are not cut.
 */
final class ProgressCore {

  /** What is written in a tenth of a second at a million changes a second. */
  static final long ENTITLED_MAX = 100_000;

  private static final int WRITTEN = 4;
  private static final int DELIVERED = 5;
  private static final long UNKNOWN = -1;

  /** The newest committed position at the last look; {@link #UNKNOWN} before the first. */
  private long committed = UNKNOWN;

  /** Changes that may be delivered beside the ration. */
  private long entitled;

  /** What is left of one change that is not whole, times {@link #WRITTEN}: below it. */
  private long rest;

  /** Everything up to {@code newest} is committed. */
  void look(long newest) {
    if (committed != UNKNOWN && newest > committed) {
      long grown = Math.min(newest - committed, ENTITLED_MAX) * DELIVERED + rest;
      entitled = Math.min(ENTITLED_MAX, entitled + grown / WRITTEN);
      rest = grown % WRITTEN;
    }
    committed = Math.max(committed, newest);
  }

  /** So many changes were delivered, by the ration or beside it. */
  void delivered(long changes) {
    entitled = Math.max(-changes, entitled - changes);
  }

  /** Whether it may deliver beside the ration. */
  boolean isEntitled() {
    return entitled > 0;
  }
}
