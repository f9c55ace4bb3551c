package io.tunnel.server.replica;

import io.tunnel.server.log.Kept;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/**
 * Decides which changes of a local log to delete: changes that the shared log may compact as well.
 * The rule also applies to partitions that this node no longer follows: when the node follows a
 * partition again, it does not append the changes that the local log had before. If the bytes limit
 * of the disk is lower, the oldest changes of all partitions go first, and channels read them from
 * the shared log. A change that the table does not have on disk stays.
 */
public final class LocalRetention {

  private final LocalLog log;
  private final long bytesMax;
  private final IntToLongFunction retentionMicros;
  private final IntPredicate isLive;
  private final Table table;

  /** The table that has what the log has. */
  public interface Table {

    /** A table that a start does not make again from the local log. */
    Table NONE =
        new Table() {
          @Override
          public long durableOffset() {
            return Long.MAX_VALUE;
          }

          @Override
          public void startFlush() {}
        };

    /** The offset of the local log up to which the table has everything after a crash. */
    long durableOffset() throws IOException;

    /** Begins to make the rest durable. */
    void startFlush() throws IOException;
  }

  /**
   * Of a log.
   *
   * @param bytesMax that it may have, and one segment; 0 for any number
   * @param table the table that a start makes again from the log
   */
  public LocalRetention(
      LocalLog log,
      long bytesMax,
      IntToLongFunction retentionMicros,
      IntPredicate isLive,
      Table table) {
    this.log = log;
    this.table = table;
    this.bytesMax = bytesMax;
    this.retentionMicros = retentionMicros;
    this.isLive = isLive;
  }

  /** Looks once, on the shard's thread. */
  public void look(
      int shard, Set<Integer> followed, Set<Integer> left, Shard.Meter meter, long nowMicros)
      throws IOException {
    Map<Integer, Long> lastBases = new HashMap<>();
    boolean mustSeal = false;
    Set<Integer> all = new TreeSet<>(followed);
    all.addAll(left);
    for (int partition : all) {
      long retention = retentionMicros.applyAsLong(partition);
      if (retention < Long.MAX_VALUE) {
        mustSeal |= old(partition, nowMicros - retention, lastBases);
      }
    }
    mustSeal |= isTooLarge(all);
    giveUp(shard, all, lastBases, meter);
    // Seal after the deletion, which may free the space that sealing needs. Then delete again: the
    // sealed segment may exceed the limit too.
    if (mustSeal) {
      log.seal();
      giveUp(shard, all, lastBases, meter);
    }
  }

  private void giveUp(
      int shard, Set<Integer> partitions, Map<Integer, Long> lastBases, Shard.Meter meter)
      throws IOException {
    shrink(partitions, lastBases);
    LocalLog.Freed freed = log.trim(lastBases, isLive, table.durableOffset());
    if (freed.isHeldByTable()) {
      table.startFlush();
    }
    meter.trimmed(shard, freed.changes(), freed.segments(), freed.bytes());
  }

  /** What was read at once when a replica was made can be more in one segment than all may have. */
  private boolean isTooLarge(Set<Integer> partitions) throws IOException {
    for (Kept kept : bytesMax == 0 ? List.<Kept>of() : log.kept(partitions)) {
      if (!kept.isSealed() && kept.bytes() > bytesMax) {
        return true;
      }
    }
    return false;
  }

  /** The oldest segments go until the rest is not more than it may be. */
  private void shrink(Set<Integer> partitions, Map<Integer, Long> lastBases) throws IOException {
    long excess = bytesMax == 0 ? 0 : log.byteCount() - bytesMax;
    long last = -1;
    for (Kept kept : log.kept(partitions)) {
      if (excess <= 0 || !kept.isSealed()) {
        break;
      }
      last = kept.base();
      excess -= kept.bytes();
    }
    if (last >= 0) {
      for (int partition : partitions) {
        lastBases.merge(partition, last, Math::max);
      }
    }
  }

  /** Returns whether the segment that is written holds such changes too. */
  private boolean old(int partition, long beforeMicros, Map<Integer, Long> lastBases)
      throws IOException {
    for (Kept kept : log.kept(List.of(partition))) {
      if (!kept.isSealed()) {
        return kept.oldestMicros() < beforeMicros;
      }
      if (kept.newestMicros() >= beforeMicros) {
        return false;
      }
      lastBases.put(partition, kept.base());
    }
    return false;
  }
}
