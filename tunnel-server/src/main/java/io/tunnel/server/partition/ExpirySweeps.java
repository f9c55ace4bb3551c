package io.tunnel.server.partition;

import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The sweeps of all shards of a server or a node. A tick costs a look at the catalog where no row
 * expires.
 */
public final class ExpirySweeps {

  private final Catalog catalog;
  private final List<ExpirySweep> sweeps = new ArrayList<>();
  private long lastNanos;
  private boolean hasTicked;

  /**
   * Sweeps that have not begun.
   *
   * @param catalog says which tables have a time to live
   * @param shards every shard of the server, in the order of the numbers of shards
   * @param rowsPerSecondMax how many rows that have expired are deleted in a second
   */
  public ExpirySweeps(Catalog catalog, List<Shard> shards, int rowsPerSecondMax) {
    this.catalog = catalog;
    double perShard = (double) rowsPerSecondMax / shards.size();
    for (Shard shard : shards) {
      sweeps.add(new ExpirySweep(sweeps.size(), shard, perShard));
    }
  }

  /**
   * Looks for rows that have expired; a few times a second, by one thread. Returns at once: the
   * shards delete the rows on their threads, where they lead the partition.
   */
  public void tick(long nowNanos) {
    double seconds = hasTicked ? (nowNanos - lastNanos) / 1e9 : 0.1;
    hasTicked = true;
    lastNanos = nowNanos;
    List<List<ExpirySweep.Swept>> byShard = new ArrayList<>();
    sweeps.forEach(sweep -> byShard.add(new ArrayList<>()));
    for (TableRecord table : catalog.tables()) {
      TableOptions options = table.meta().options();
      if (options.ttlMs().isPresent()) {
        for (PartitionRecord partition : table.partitions()) {
          byShard
              .get(partition.id() % sweeps.size())
              .add(new ExpirySweep.Swept(table.tableId(), partition.id(), options.durability()));
        }
      }
    }
    for (int shard = 0; shard < sweeps.size(); shard++) {
      if (byShard.get(shard).isEmpty()) {
        sweeps.get(shard).idle();
      } else {
        sweeps.get(shard).tick(byShard.get(shard), seconds);
      }
    }
  }

  /**
   * How long ago the first row expired that is still stored, in microseconds, in the partitions
   * that are led here; 0 without one, and empty until each of them was looked at. For any thread.
   */
  public OptionalLong lagMicros() {
    List<OptionalLong> lags = sweeps.stream().map(ExpirySweep::lagMicros).toList();
    return lags.stream().allMatch(OptionalLong::isPresent)
        ? OptionalLong.of(lags.stream().mapToLong(OptionalLong::getAsLong).max().orElse(0))
        : OptionalLong.empty();
  }
}
