package io.tunnel.server.replica;

import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the shards of a node from its directory. All of it is a cache of the shared log: what
 * cannot be opened is deleted, and read again. Replicas of another log are refused.
 */
final class ReplicaDirectory {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaDirectory.class);

  private final Replicas.Layout layout;
  private final Replicas.Ports ports;
  private final Shard.Meter meter;
  private final Shard.Clock clock;

  ReplicaDirectory(
      Replicas.Layout layout, Replicas.Ports ports, Shard.Meter meter, Shard.Clock clock) {
    this.layout = layout;
    this.ports = ports;
    this.meter = meter;
    this.clock = clock;
  }

  /** All shards, not started. */
  List<ReplicaShard> open() throws IOException {
    layout.identity().claim(layout.directory());
    List<ReplicaShard> opened = new ArrayList<>();
    ReplicaConfig config = layout.replica().perShard(layout.count());
    try {
      for (int id = 0; id < layout.count(); id++) {
        ReplicaStore store = store(id);
        try {
          opened.add(new ReplicaShard(id, config, store, ports, meter, clock));
        } catch (RuntimeException e) {
          closeAfter(store, e);
          throw e;
        }
      }
    } catch (IOException | RuntimeException e) {
      opened.forEach(shard -> closeAfter(shard, e));
      throw e;
    }
    return opened;
  }

  private ReplicaStore store(int id) throws IOException {
    Path directory = layout.directory().resolve("shard-" + id);
    try {
      return openStore(id, directory);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn(
          "the replicas in {} cannot be used, they are deleted and made again", directory, e);
      PrivateFiles.deleteAll(directory);
      return openStore(id, directory);
    }
  }

  private ReplicaStore openStore(int id, Path directory) throws IOException {
    Path rows = PrivateFiles.createDirectories(directory.resolve("table"));
    LocalLog log =
        LocalLog.open(
            layout.disk().logs().open(directory.resolve("log")),
            id,
            layout.disk().segmentBytesMax());
    try {
      TableStore table = TableStore.open(rows, layout.table(), log::sync);
      try {
        return open(id, log, table);
      } catch (IOException | RuntimeException e) {
        closeAfter(table, e);
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      closeAfter(log, e);
      throw e;
    }
  }

  private ReplicaStore open(int id, LocalLog log, TableStore table) throws IOException {
    for (int partition : table.states().keySet()) {
      if (ports.partitions().isDropped(partition)) {
        LOGGER.info("partition {} was dropped, and its replica is deleted", partition);
        table.dropReplica(partition);
      } else if (!ports.partitions().exists(partition)) {
        LOGGER.warn(
            "the catalog does not know partition {}, and has not dropped it: its replica is kept,"
                + " and of no use before the catalog knows it",
            partition);
      }
    }
    Set<Integer> stored = table.states().keySet();
    table.retainPartitions(stored::contains);
    ReplicaStore.requireWhole(log, table.states());
    long freeBytesMin = layout.disk().freeBytesMin();
    ReplicaRows rows = new ReplicaRows.InStore(table, layout.writers().of(layout.count()));
    return new ReplicaStore(id, log, rows, freeBytesMin, meter, clock);
  }

  private static void closeAfter(Closeable opened, Exception failure) {
    try {
      opened.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
