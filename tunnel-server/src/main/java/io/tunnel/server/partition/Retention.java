package io.tunnel.server.partition;

import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.log.Kept;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.RetentionCore.Decision;
import io.tunnel.server.partition.RetentionCore.Piece;
import io.tunnel.server.table.PassedTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trims changes that tables keep no longer. A look decides on the caller's thread, and each shard
 * does its part on its own; until all have, further looks do nothing.
 */
final class Retention {

  private static final Logger LOGGER = LoggerFactory.getLogger(Retention.class);

  private final Catalog catalog;
  private final Shards shards;
  private final AtomicInteger shardsAtWork = new AtomicInteger();

  Retention(Catalog catalog, Shards shards) {
    this.catalog = catalog;
    this.shards = shards;
  }

  /** What one shard has to do. */
  private static final class Work {
    private final Map<Integer, Long> lastBases = new HashMap<>();
    private boolean mustSeal;
  }

  /** Looks once at everything that is kept. */
  void look(PassedTime now) throws IOException {
    if (shardsAtWork.get() > 0) {
      return;
    }
    List<Work> works = new ArrayList<>();
    shards.all().forEach(shard -> works.add(new Work()));
    for (TableRecord table : catalog.tables()) {
      TableOptions options = table.meta().options();
      if (options.retentionMs() > 0 || options.retentionBytes() > 0) {
        decide(table, works, now);
      }
    }
    shardsAtWork.set(works.size());
    for (int id = 0; id < works.size(); id++) {
      int shard = id;
      shards.all().get(shard).execute(Set.of(), () -> run(shard, works.get(shard)));
    }
  }

  private void decide(TableRecord table, List<Work> works, PassedTime now) throws IOException {
    Map<Integer, List<Integer>> partitions = new TreeMap<>();
    for (PartitionRecord partition : table.partitions()) {
      partitions
          .computeIfAbsent(shards.indexOf(partition.id()), shard -> new ArrayList<>())
          .add(partition.id());
    }
    List<Piece> pieces = new ArrayList<>();
    for (Map.Entry<Integer, List<Integer>> part : partitions.entrySet()) {
      LocalLog log = shards.all().get(part.getKey()).log();
      for (Kept kept : log.kept(part.getValue())) {
        pieces.add(
            new Piece(
                part.getKey(),
                kept.base(),
                kept.isSealed(),
                kept.bytes(),
                kept.oldestMicros(),
                kept.newestMicros()));
      }
    }
    TableOptions options = table.meta().options();
    long nowMicros = now.micros(TimeUnit.MILLISECONDS.toMicros(options.retentionMs()));
    Decision decision = RetentionCore.decide(options, pieces, nowMicros);
    decision.sealed().forEach(shard -> works.get(shard).mustSeal = true);
    decision
        .lastBases()
        .forEach(
            (shard, base) ->
                partitions.get(shard).forEach(id -> works.get(shard).lastBases.put(id, base)));
  }

  /** On the shard's thread. */
  private void run(int id, Work work) {
    Shard shard = shards.all().get(id);
    try {
      if (!shard.hasFailed()) {
        trim(id, shard, work);
      }
    } catch (IOException e) {
      // The next look tries again; a log that may accept no more refuses the next write itself.
      LOGGER.warn("shard {} could not trim changes past their retention", id, e);
    } finally {
      shardsAtWork.decrementAndGet();
    }
  }

  private void trim(int id, Shard shard, Work work) throws IOException {
    giveUp(id, shard, work);
    // Trimming segments may free the space that sealing needs; a later run trims this segment.
    if (work.mustSeal) {
      shard.log().seal();
    }
  }

  private void giveUp(int id, Shard shard, Work work) throws IOException {
    // Read here, on the shard's thread: a partition is in the catalog before its first change can
    // be
    // in the shard's queue, so none that has changes is taken for dropped. One answer for all of
    // it.
    Set<Integer> live = catalog.partitionIds();
    LocalLog.Freed freed =
        shard.log().trim(work.lastBases, live::contains, shard.rows().durableOffset());
    if (freed.isHeldByTable()) {
      shard.rows().startFlush();
    }
    shard.meter().trimmed(id, freed.changes(), freed.segments(), freed.bytes());
    if (freed.segments() > 0) {
      LOGGER.info("shard {} deleted {} segments of {} bytes", id, freed.segments(), freed.bytes());
    }
  }
}
