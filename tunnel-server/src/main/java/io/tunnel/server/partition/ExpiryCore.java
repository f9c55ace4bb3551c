package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.ExpiryIndex.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Which rows of a shard have expired, and which partitions can have such rows at all. An entry of
 * the index is a hint: the row that is stored decides, so an entry may be looked at twice, and a
 * row that was written again has another entry.
 *
 * <p>A partition's {@link #oldestMicros} makes writes cheap: while no row can have expired, the
 * shard does not read the rows that a write replaces. For the shard's thread.
 */
final class ExpiryCore {

  /**
   * By partition, a time at or before the commit time of each row, stored or acknowledged; absent
   * before the first look. Rises with looks, and falls when the clock is set back.
   */
  private final Map<Integer, Long> oldestMicros = new HashMap<>();

  /** What the clock showed last. */
  private long shownMicros = Long.MIN_VALUE;

  /**
   * What became of the entries that were looked at.
   *
   * @param expired keys of rows that are to be deleted; their entries go when the rows are gone
   * @param removed entries that say nothing any more
   * @param added entries for rows that are younger than their entry was
   * @param isMore whether further entries may be due now
   */
  record Look(List<Bytes> expired, List<Entry> removed, List<Entry> added, boolean isMore) {}

  /** Commit times from now on are not before that time. */
  void shows(long nowMicros) {
    if (nowMicros < shownMicros) {
      oldestMicros.replaceAll((partition, oldest) -> Math.min(oldest, nowMicros));
    }
    shownMicros = nowMicros;
  }

  /**
   * Rows of a partition were committed at that time, or will be: by a leader whose clock is behind,
   * or by a group that was under way while the shard looked.
   */
  void saw(int partition, long commitMicros) {
    oldestMicros.computeIfPresent(partition, (of, oldest) -> Math.min(oldest, commitMicros));
  }

  /** Whether a row of the partition can have expired at a time. */
  boolean mayBeOver(int partition, Expiry expiry, long momentMicros) {
    return expiry.isOver(oldestMicros.getOrDefault(partition, 0L), momentMicros);
  }

  /** Where entries of a partition begin, when each is {@code spanMicros} before its row at most. */
  long fromMicros(int partition, long spanMicros) {
    return Math.max(0, oldestMicros.getOrDefault(partition, 0L) - spanMicros);
  }

  /** Whether the partition was looked at. */
  boolean isKnown(int partition) {
    return oldestMicros.containsKey(partition);
  }

  /** How long ago the first row of a partition that is still stored expired; 0 if none did. */
  long lagMicros(int partition, Expiry expiry, long momentMicros) {
    long oldest = oldestMicros.getOrDefault(partition, 0L);
    return oldest > 0 && expiry.isOver(oldest, momentMicros)
        ? momentMicros - oldest - expiry.ttlMicros()
        : 0;
  }

  /**
   * Looks at the first entries of a partition, of which everything that was acknowledged is folded.
   *
   * @param entries in order
   * @param isAll whether there are no others
   * @param commitMicros of the stored row of a key; 0 without a row
   */
  Look look(
      int partition,
      Expiry expiry,
      long momentMicros,
      List<Entry> entries,
      boolean isAll,
      ToLongFunction<Bytes> commitMicros) {
    long over = expiry.overUntilMicros(momentMicros);
    Set<Bytes> expired = new LinkedHashSet<>();
    List<Entry> removed = new ArrayList<>();
    List<Entry> added = new ArrayList<>();
    long oldest = isAll ? momentMicros : entries.get(entries.size() - 1).micros();
    boolean isMore = !isAll;
    long firstExpired = Long.MAX_VALUE;
    for (Entry entry : entries) {
      if (entry.micros() > over) {
        oldest = entry.micros();
        isMore = false;
        break;
      }
      long committed = commitMicros.applyAsLong(entry.key());
      if (committed > 0 && committed <= over && expired.add(entry.key())) {
        firstExpired = Math.min(firstExpired, entry.micros());
        continue;
      }
      removed.add(entry);
      if (committed > over) {
        added.add(new Entry(later(expiry, entry.micros(), over, committed), entry.key()));
      }
    }
    for (Entry entry : added) {
      oldest = Math.min(oldest, entry.micros());
    }
    oldestMicros.put(partition, Math.min(oldest, firstExpired));
    return new Look(List.copyOf(expired), removed, added, isMore || !expired.isEmpty());
  }

  /** Where a row that is younger than its entry stands next; never due now. */
  private static long later(Expiry expiry, long entryMicros, long over, long committed) {
    long indexed = expiry.indexMicros(committed);
    return indexed > entryMicros && indexed > over ? indexed : committed;
  }

  /** A partition is gone. */
  void drop(int partition) {
    oldestMicros.remove(partition);
  }
}
