package io.tunnel.server.backup.cluster;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.TableMeta;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.partition.Refold;
import io.tunnel.server.replica.append.PartitionSave;
import io.tunnel.server.replica.append.PartitionSave.Taken;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.PartitionLoad;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/**
 * A shard of a single server's directory that is made of partitions of a cluster, one after the
 * other. The directory is deleted when a step fails. For one thread.
 */
final class StagedShard implements Closeable {

  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final TableStoreConfig ROWS = new TableStoreConfig(64L << 20, 64L << 20, 1);

  private final LocalLog log;
  private final TableStore table;
  private final IntFunction<Optional<TableMeta>> tables;
  private final LongConsumer progress;

  /** The end of the last group of the log; 0 without a group. */
  private long end;

  private StagedShard(
      LocalLog log,
      TableStore table,
      IntFunction<Optional<TableMeta>> tables,
      LongConsumer progress) {
    this.log = log;
    this.table = table;
    this.tables = tables;
    this.progress = progress;
  }

  /**
   * Creates a shard.
   *
   * @param directory of the shard
   * @param identity of the shard's log; rows and log get its origin
   * @param tables by partition
   * @param progress receives the bytes that were read since the call before
   */
  static StagedShard create(
      Path directory,
      LogIdentity identity,
      IntFunction<Optional<TableMeta>> tables,
      LongConsumer progress)
      throws IOException {
    Path rows = PrivateFiles.createDirectories(directory.resolve("table"));
    Path changes = PrivateFiles.createDirectories(directory.resolve("log"));
    LocalLog log = LocalLog.open(new FileDisk(changes), identity, SEGMENT_BYTES_MAX);
    try {
      TableStore table =
          TableStore.openUncompacted(
              rows, ROWS, log::sync, partition -> Expiry.of(tables.apply(partition)));
      table.compact();
      table.noteOrigin(identity.origin());
      return new StagedShard(log, table, tables, progress);
    } catch (IOException | RuntimeException e) {
      log.close();
      throw e;
    }
  }

  /** Adds a partition; may be repeated after a failure. */
  Taken add(PartitionSave save, int partition) throws IOException {
    return save.run(new Part(partition));
  }

  /** A partition that is added. */
  private final class Part implements PartitionSave.Into {
    private final int partition;
    private Optional<Refold> refold = Optional.empty();

    Part(int partition) {
      this.partition = partition;
    }

    @Override
    public PartitionLoad rows() throws IOException {
      return table.load(partition);
    }

    /** What is remembered of writers and bound rows begins with the rows. */
    @Override
    public void begin(long first) throws IOException {
      log.forget(partition, first);
      refold =
          Optional.of(
              new Refold(
                  table,
                  id -> id == partition,
                  id -> tables.apply(id).flatMap(of -> AutoNumbers.of(of.primaryKey()))));
    }

    @Override
    public void changes(List<ChangeBatch> batches, boolean areFolded) throws IOException {
      log.adopt(batches);
      end = log.end();
      if (areFolded) {
        return;
      }
      Refold fold = refold.orElseThrow();
      for (ChangeBatch batch : batches) {
        if (batch.rowCount() > 0) {
          fold.batch(batch);
        } else {
          fold.answers(batch);
        }
      }
      fold.groupEnd(end);
    }

    @Override
    public void read(long bytes) {
      progress.accept(bytes);
    }
  }

  /** The rows have all changes of the log, and both are on the disk. */
  void finish() throws IOException {
    log.sync();
    table.fold(List.of(), end);
  }

  @Override
  public void close() throws IOException {
    table.close();
    log.close();
  }
}
