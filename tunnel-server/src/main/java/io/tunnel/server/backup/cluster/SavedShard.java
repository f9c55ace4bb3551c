package io.tunnel.server.backup.cluster;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.MovedCatalog;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.partition.Refold;
import io.tunnel.server.replica.append.PartitionRestore.Changes;
import io.tunnel.server.replica.append.PartitionRestore.Extent;
import io.tunnel.server.replica.append.PartitionRestore.Saved;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.PartitionScan;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** A shard of the directory of a single server that no server has open. For one thread. */
final class SavedShard implements Closeable {

  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final TableStoreConfig ROWS = new TableStoreConfig(64L << 20, 64L << 20, 1);

  /** Bytes of changes that are read at once, beyond one batch. */
  private static final int READ_BYTES_MAX = 1 << 20;

  private final StoredCatalog catalog;
  private final LocalLog log;
  private final TableStore table;

  private SavedShard(StoredCatalog catalog, LocalLog log, TableStore table) {
    this.catalog = catalog;
    this.log = log;
    this.table = table;
  }

  /**
   * Opens a shard, and brings its rows up to its log.
   *
   * @param directory of the shard
   */
  static SavedShard open(Path directory, int shard, StoredCatalog catalog) throws IOException {
    LocalLog log =
        LocalLog.open(
            new FileDisk(directory.resolve("log")),
            new LogIdentity(shard, catalog.origin()),
            SEGMENT_BYTES_MAX);
    TableStore table = null;
    try {
      table =
          TableStore.openUncompacted(
              PrivateFiles.createDirectories(directory.resolve("table")),
              ROWS,
              log::sync,
              partition -> Expiry.of(catalog.tables().meta(partition)));
      if (table.isNew() && !log.isWhole()) {
        throw new IOException(directory + " has no rows, and its log has not all changes");
      }
      table.requireOrigin(catalog.origin());
      table.noteOrigin(catalog.origin());
      fold(log, table, catalog);
      return new SavedShard(catalog, log, table);
    } catch (IOException | RuntimeException e) {
      if (table != null) {
        table.close();
      }
      log.close();
      throw e;
    }
  }

  /** Brings the rows up to the log. */
  static void fold(LocalLog log, TableStore table, StoredCatalog catalog) throws IOException {
    log.replay(
        table.foldedOffset(),
        new Refold(
            table,
            catalog.tables()::hasPartition,
            partition ->
                catalog.tables().meta(partition).flatMap(of -> AutoNumbers.of(of.primaryKey()))));
  }

  /** The entries of a partition. */
  PartitionScan rows(int partition) {
    return table.scanEntries(partition);
  }

  /**
   * The changes of a partition. After damaged changes that a repair trimmed, the changes after
   * them: the log of a cluster has no gaps.
   *
   * @param least see {@link Saved}
   */
  Saved changes(int partition, long least) {
    long next = log.committed(partition) + 1;
    long first = firstDense(partition, next);
    return new Saved(
        partition,
        MovedCatalog.incarnations(catalog.texts(), partition),
        least,
        new Extent(first, next, lastMicros(first, next)),
        new Reading(partition, first));
  }

  /** The changes before have times of their own only while the log has them. */
  private long lastMicros(long first, long next) {
    return first == next && next > 1 ? log.newestMicros() : 0;
  }

  /** The first position after the last gap. */
  private long firstDense(int partition, long next) {
    long dense = log.firstPosition(partition);
    for (long at = dense; at < next; ) {
      Optional<Extents> batch = batchAt(partition, at);
      if (batch.isEmpty()) {
        at++;
        dense = at;
      } else {
        dense = batch.get().firstPosition() > at ? batch.get().firstPosition() : dense;
        at = batch.get().lastPosition() + 1;
      }
    }
    return dense;
  }

  /** Empty where the change was trimmed. */
  private Optional<Extents> batchAt(int partition, long position) {
    try {
      return Optional.of(log.plan(partition, position, 1));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.HISTORY_LOST) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /** Reads batches, a few at once. */
  private final class Reading implements Changes {
    private final int partition;
    private final Deque<ChangeBatch> read = new ArrayDeque<>();
    private long position;

    Reading(int partition, long first) {
      this.partition = partition;
      this.position = first;
    }

    @Override
    public Optional<ChangeBatch> next() throws IOException {
      if (read.isEmpty()) {
        Extents found = log.plan(partition, position, READ_BYTES_MAX);
        ByteBuffer bytes = ByteBuffer.allocate(found.bytes());
        found.read(bytes);
        for (int offset = 0; offset < bytes.capacity(); ) {
          ChangeBatch batch = ChangeBatch.parse(bytes.array(), offset, bytes.capacity());
          offset += batch.byteCount();
          position = batch.lastPosition() + 1;
          read.add(batch);
        }
      }
      return Optional.ofNullable(read.poll());
    }
  }

  @Override
  public void close() throws IOException {
    table.close();
    log.close();
  }
}
