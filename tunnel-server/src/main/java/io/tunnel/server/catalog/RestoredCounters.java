package io.tunnel.server.catalog;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Makes the catalog of a backup that of a restored server: raises its counters, and ends its row
 * sessions. The server gave out numbers after the backup had read the catalog: to rows of the
 * backup's log, which the backup read later, and to clients that still have them. A restored server
 * must not give one of these numbers to anything else. The table in docs/internals/adr/0012 has
 * every counter, also those that need no raise.
 *
 * <p>A session that continued would lack the rows and locks that its program wrote after the
 * backup, and the program would never learn of the loss. An ended session makes its program write
 * them again.
 */
public final class RestoredCounters {

  /** More table ids, or partition ids, than a server gives out between a backup and its use. */
  private static final int IDS_SKIPPED = 1_000_000;

  /**
   * A backup may be restored more than once, and the restored servers know nothing of each other.
   * Each restore therefore skips a random number more, below this bound. Two restores whose servers
   * give out 1,000 ids each then meet in one of 8,000 cases; 200 restores, each of a backup of the
   * server that was restored before, use up the ids.
   */
  private static final int IDS_SKIPPED_AT_RANDOM = 1 << 24;

  /** More starts than a service manager makes in a year of restarts, one every 30 s. */
  private static final long STARTS_SKIPPED = 1_000_000;

  /** More sessions than a server opens in a year, 30 each second. */
  private static final long SESSIONS_SKIPPED = 1_000_000_000;

  /** As {@link #IDS_SKIPPED_AT_RANDOM}, for sessions. */
  private static final long SESSIONS_SKIPPED_AT_RANDOM = 1L << 50;

  private RestoredCounters() {}

  /**
   * The texts of a catalog of a backup, with raised counters and without row sessions.
   *
   * @param random different in each restore
   * @throws ArithmeticException when a counter has no numbers left
   */
  public static SortedMap<String, String> raise(Map<String, String> texts, RandomGenerator random) {
    SortedMap<String, String> raised = new TreeMap<>(texts);
    Counters counters =
        Counters.in(texts)
            .raised(
                IDS_SKIPPED + random.nextInt(IDS_SKIPPED_AT_RANDOM),
                IDS_SKIPPED + random.nextInt(IDS_SKIPPED_AT_RANDOM),
                STARTS_SKIPPED + random.nextInt(IDS_SKIPPED_AT_RANDOM));
    counters.change().forEach((name, text) -> raised.put(name, text.orElseThrow()));
    long sessions = SESSIONS_SKIPPED + random.nextLong(SESSIONS_SKIPPED_AT_RANDOM);
    RowSessionRecords.givenUpTo(Math.addExact(RowSessionRecords.lastId(texts), sessions))
        .forEach((name, text) -> raised.put(name, text.orElseThrow()));
    StoredIncarnations.skipping(texts, STARTS_SKIPPED + random.nextInt(IDS_SKIPPED_AT_RANDOM))
        .forEach((name, text) -> raised.put(name, text.orElseThrow()));
    RowSessionRecords.end(raised);
    return raised;
  }
}
