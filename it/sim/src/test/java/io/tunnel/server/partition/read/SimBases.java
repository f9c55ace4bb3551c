package io.tunnel.server.partition.read;

import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.SimShards;
import io.tunnel.server.table.BaseRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The rows of base channels, from copies in memory where a real server has RocksDB's snapshots. */
public final class SimBases implements TunnelRows {

  private final SimShards shards;
  private final Executor readers;
  private final LongSupplier epochMicros;
  private final Map<String, TreeMap<Integer, RowFold>> keptByTunnel = new TreeMap<>();

  /** Rows of those shards. */
  public SimBases(SimShards shards, Executor readers, LongSupplier epochMicros) {
    this.shards = shards;
    this.readers = readers;
    this.epochMicros = epochMicros;
  }

  @Override
  public CompletableFuture<Long> keep(String tunnelId, int partition) {
    CompletableFuture<Long> position = new CompletableFuture<>();
    keptByTunnel.putIfAbsent(tunnelId, new TreeMap<>());
    Shard shard = shards.all().of(partition);
    shard.execute(
        partition,
        () -> {
          // Of a tunnel that was forgotten meanwhile nothing is kept.
          keptByTunnel
              .getOrDefault(tunnelId, new TreeMap<>())
              .put(partition, shards.rows(partition).copy());
          boolean unused = position.complete(shard.log().committed(partition));
        });
    return position;
  }

  /** Whether rows of any tunnel are kept. */
  public boolean isKeeping() {
    return keptByTunnel.values().stream().anyMatch(kept -> !kept.isEmpty());
  }

  /** Gives everything up that is kept, as a server does that has kept it for too long. */
  public void giveUp() {
    keptByTunnel.values().forEach(Map::clear);
  }

  @Override
  public void forget(String tunnelId) {
    keptByTunnel.remove(tunnelId);
  }

  @Override
  public void forget(String tunnelId, int partition) {
    keptByTunnel.getOrDefault(tunnelId, new TreeMap<>()).remove(partition);
  }

  @Override
  public void read(
      String tunnelId,
      int partition,
      Bytes after,
      long firstPosition,
      int bytesMax,
      BaseRows.Sink sink) {
    readers.execute(
        () -> {
          RowFold rows =
              keptByTunnel
                  .getOrDefault(tunnelId, new TreeMap<>())
                  .getOrDefault(partition, shards.rows(partition));
          read(rows, partition, after, firstPosition, bytesMax, sink);
        });
  }

  private void read(
      RowFold rows,
      int partition,
      Bytes after,
      long firstPosition,
      int bytesMax,
      BaseRows.Sink sink) {
    Map<Bytes, NavigableMap<String, ColumnValue>> behind =
        after.length() == 0 ? rows.rows() : rows.rows().tailMap(after, false);
    BasePage page = new BasePage(RowFold.SCHEMA, firstPosition, bytesMax);
    boolean isWhole = true;
    for (Map.Entry<Bytes, NavigableMap<String, ColumnValue>> row : behind.entrySet()) {
      List<Column> columns = new ArrayList<>();
      row.getValue().forEach((name, value) -> columns.add(new Column(name, value)));
      if (!page.add(row.getKey(), columns)) {
        isWhole = false;
        break;
      }
    }
    if (bytesMax == 0 && !isWhole) {
      sink.more();
    } else if (page.rowCount() == 0) {
      sink.end();
    } else {
      page.tell(partition, epochMicros.getAsLong(), isWhole, sink);
    }
  }
}
