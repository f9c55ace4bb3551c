package io.tunnel.server.catalog;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Raises the counters of a restored catalog. The server gave out numbers after the backup had read
 * the catalog: to rows of the backup's log, which the backup read later, and to clients that still
 * have them. A restored server must not give one of these numbers to anything else. The table in
 * docs/adr/0012 has every counter, also those that need no raise.
 */
public final class RestoredCounters {

  /** More table ids, or partition ids, than a server gives out between a backup and its use. */
  static final int IDS_SKIPPED = 1_000_000;

  /** More starts than a service manager makes in a year of restarts, one every 30 s. */
  static final long STARTS_SKIPPED = 1_000_000;

  /** More sessions than a server opens in a year, 30 each second. */
  static final long SESSIONS_SKIPPED = 1_000_000_000;

  private RestoredCounters() {}

  /** The texts of a catalog of a backup, with raised counters. */
  public static SortedMap<String, String> raise(Map<String, String> texts) {
    SortedMap<String, String> raised = new TreeMap<>(texts);
    Counters counters = Counters.in(texts).raised(IDS_SKIPPED, IDS_SKIPPED, STARTS_SKIPPED);
    counters.change().forEach((name, text) -> raised.put(name, text.orElseThrow()));
    RowSessionRecords.givenUpTo(RowSessionRecords.lastId(texts) + SESSIONS_SKIPPED)
        .forEach((name, text) -> raised.put(name, text.orElseThrow()));
    return raised;
  }
}
