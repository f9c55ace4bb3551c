package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.util.function.IntFunction;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.Status;

/** A snapshot that RocksDB keeps. It may be closed, or its store may be, while others read. */
final class StoreSnapshot implements TableSnapshot {

  final Snapshot taken;

  /** Guarded by the monitor of {@link OpenReads}, as is {@code isReleased}. */
  int readCount;

  boolean isReleased;
  private final OpenReads reads;
  private final Dictionaries dictionaries;

  StoreSnapshot(OpenReads reads, Snapshot taken) {
    this.reads = reads;
    this.taken = taken;
    this.dictionaries = reads.dictionaries();
  }

  @Override
  public Scan scanFrom(
      int partition, Bytes from, long expiredMicros, TableStore.RowVisitor visitor) {
    if (!reads.begin(this)) {
      return Scan.CLOSED;
    }
    try {
      return scan(partition, from, expiredMicros, visitor);
    } finally {
      reads.end(this);
    }
  }

  private Scan scan(int partition, Bytes from, long expiredMicros, TableStore.RowVisitor visitor) {
    try (Slice lower = new Slice(bound(partition, from));
        Slice upper = new Slice(StoreFormat.partitionKey(partition + 1));
        ReadOptions range =
            new ReadOptions()
                .setSnapshot(taken)
                .setIterateLowerBound(lower)
                .setIterateUpperBound(upper)
                .setFillCache(false);
        RocksIterator at = reads.db().newIterator(range)) {
      IntFunction<String[]> names = namesOf(partition);
      for (at.seekToFirst(); at.isValid(); at.next()) {
        byte[] value = at.value();
        boolean isAlive = expiredMicros < 0 || StoredRow.commitMicros(value) > expiredMicros;
        if (isAlive && !visitor.row(StoreFormat.key(at.key()), StoredRow.columns(value, names))) {
          return Scan.STOPPED;
        }
      }
      TableStore.requireWholeScan(at);
      return Scan.WHOLE;
    }
  }

  /** The names of the dictionaries that rows of a partition use in this snapshot, by id. */
  IntFunction<String[]> namesOf(int partition) {
    return dictionaries.namesOf(partition, this::get);
  }

  /** The snapshot also has the dictionaries of partitions that were dropped after it. */
  private byte[] get(byte[] key) {
    try (ReadOptions then = new ReadOptions().setSnapshot(taken)) {
      return reads.db().get(then, key);
    } catch (RocksDBException e) {
      throw unreadable(e);
    }
  }

  /** For a read of rows that RocksDB has failed. */
  static RefusedException unreadable(RocksDBException failure) {
    Status status = failure.getStatus();
    boolean isCorrupt = status != null && status.getCode() == Status.Code.Corruption;
    return new RefusedException(
        isCorrupt ? ErrorCode.CORRUPT : ErrorCode.STORAGE_FAILED,
        "rows of the table cannot be read: " + failure.getMessage());
  }

  private static byte[] bound(int partition, Bytes from) {
    byte[] bound = new byte[StoreFormat.PARTITION_BYTES + from.length()];
    Binary.putInt(bound, 0, partition);
    from.copyInto(bound, StoreFormat.PARTITION_BYTES);
    return bound;
  }

  @Override
  public void close() {
    reads.release(this);
  }
}
