package io.tunnel.server.backup.cluster;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.MovedCatalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.RandomChanges;
import io.tunnel.server.table.RandomTable;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** The directory of a single server that has been started many times, and what is in there. */
final class SavedWorld {

  static final int SHARDS = 2;
  static final int PARTITIONS = 4;

  final Path data;
  final MemoryCatalogStore store = new MemoryCatalogStore();
  final Map<Integer, List<ChangeBatch>> kept = new TreeMap<>();
  final Map<Integer, Long> ends = new HashMap<>();
  final Map<Integer, Long> lastMicros = new HashMap<>();

  private final Random random;
  private final RandomChanges changes;
  private final List<LocalLog> logs = new ArrayList<>();
  private long nowMs = 1_000;

  SavedWorld(Path data, Random random) throws IOException {
    this.data = data;
    this.random = random;
    this.changes = new RandomChanges(random, 3);
    Catalog catalog = new Catalog(store);
    for (int i = 1; i <= PARTITIONS; i++) {
      var unused = catalog.createTable(new TableMeta("t" + i, TestRows.SCHEMA), List.of(), 0);
      kept.put(i, new ArrayList<>());
      ends.put(i, 0L);
      lastMicros.put(i, 0L);
    }
    for (int shard = 0; shard < SHARDS; shard++) {
      Path log = Files.createDirectories(data.resolve("shard-" + shard + "/log"));
      logs.add(LocalLog.open(new FileDisk(log), shard, 1 << 12));
    }
    int starts = random.nextInt(6);
    for (int start = 0; start < starts; start++) {
      nowMs += random.nextInt(3) - 1;
      var unused = new Catalog(store).beginIncarnation(ends::get, nowMs);
      run();
    }
    createTunnels();
    for (LocalLog log : logs) {
      log.close();
    }
    StoredCatalog.write(data.resolve("catalog"), store.all());
  }

  private void run() throws IOException {
    for (int i = random.nextInt(30); i > 0; i--) {
      int partition = 1 + random.nextInt(PARTITIONS - 1);
      LocalLog log = logs.get(partition % SHARDS);
      if (random.nextInt(15) == 0) {
        forget(log, partition);
      } else {
        write(log, partition);
      }
    }
  }

  private void write(LocalLog log, int partition) throws IOException {
    ChangeBatch rows = TestRows.batch(partition, changes.changes(true));
    byte[] bytes = rows.copy().array();
    long micros = lastMicros.get(partition) + random.nextInt(2);
    BatchBuilder.stamp(bytes, 0, ends.get(partition) + 1, micros);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    log.adopt(List.of(batch));
    kept.get(partition).add(batch);
    ends.put(partition, batch.lastPosition());
    lastMicros.put(partition, micros);
  }

  /** The rows have all changes of the partition, and the log has none any more. */
  private void forget(LocalLog log, int partition) throws IOException {
    fold(log, partition % SHARDS);
    log.forget(partition, ends.get(partition) + 1);
    kept.get(partition).clear();
  }

  private void fold(LocalLog log, int shard) throws IOException {
    Path rows = Files.createDirectories(data.resolve("shard-" + shard + "/table"));
    try (TableStore table = RandomTable.open(rows)) {
      SavedShard.fold(log, table, StoredCatalog.of(new TreeMap<>(store.all())));
    }
  }

  private void createTunnels() throws IOException {
    TunnelCatalog tunnels = new TunnelCatalog(new Catalog(store));
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      ChannelState at =
          ChannelState.startingAt(random.nextInt(50)).seenIn(Optional.of(1L + random.nextInt(9)));
      CreateTunnel asked =
          new CreateTunnel("t" + partition, "n", TunnelType.Stream, StreamStart.EARLIEST);
      var unused =
          tunnels.createTunnel(
              asked, tunnels.newTunnelId(partition), Map.of(ChannelKey.stream(partition), at), 5);
    }
  }

  IncarnationHistory incarnations(int partition) {
    return MovedCatalog.incarnations(store.all(), partition);
  }

  /** All entries of a partition, when its rows have all changes. */
  Map<String, Bytes> entries(int partition) throws IOException {
    try (TableStore table =
        RandomTable.open(data.resolve("shard-" + partition % SHARDS + "/table"))) {
      return RandomTable.entries(table, partition);
    }
  }
}
