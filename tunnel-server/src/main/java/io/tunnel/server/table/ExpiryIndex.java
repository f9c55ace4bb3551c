package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The rows of partitions with a time to live, in the order in which they may expire. An entry is a
 * hint: the stored row decides. What must hold: each stored row of such a partition has an entry
 * whose time is at or before the commit time of the row. The fold of a write puts the entry in the
 * write of the row; entries of rows that were written again or deleted stay until somebody looks.
 */
@SuppressWarnings("try") // A use of the gate is only ended.
public final class ExpiryIndex {

  private final RocksDB db;
  private final OpenGate gate;
  private final WriteOptions unlogged;

  /** A key that may expire, and the time of its entry. */
  public record Entry(long micros, Bytes key) {}

  ExpiryIndex(RocksDB db, OpenGate gate, WriteOptions unlogged) {
    this.db = db;
    this.gate = gate;
    this.unlogged = unlogged;
  }

  /**
   * The first entries of a partition.
   *
   * @param fromMicros no entry is before; entries that were removed there are not walked over
   */
  public List<Entry> first(int partition, long fromMicros, int countMax) {
    List<Entry> found = new ArrayList<>();
    try (OpenGate.Use unused = gate.enter();
        Slice lower = new Slice(StoreFormat.expiryKey(partition, fromMicros, Bytes.EMPTY));
        Slice upper = new Slice(StoreFormat.expiriesOf(partition + 1));
        ReadOptions range =
            new ReadOptions().setIterateLowerBound(lower).setIterateUpperBound(upper);
        RocksIterator at = db.newIterator(range)) {
      for (at.seekToFirst(); at.isValid() && found.size() < countMax; at.next()) {
        byte[] key = at.key();
        int behind = StoreFormat.EXPIRY_KEY_OFFSET;
        found.add(
            new Entry(
                Binary.getLong(key, StoreFormat.EXPIRY_MICROS_OFFSET),
                Bytes.copyOf(key, behind, key.length - behind)));
      }
      TableStore.requireWholeScan(at);
    }
    return found;
  }

  /**
   * Removes entries and adds others, in one write. Under the lock of the fold. A crash may undo the
   * whole write, which leaves entries to be looked at again.
   */
  public void change(int partition, List<Entry> removed, List<Entry> added) throws IOException {
    try (OpenGate.Use unused = gate.enter();
        WriteBatch write = new WriteBatch()) {
      for (Entry entry : removed) {
        write.delete(StoreFormat.expiryKey(partition, entry.micros(), entry.key()));
      }
      for (Entry entry : added) {
        write.put(StoreFormat.expiryKey(partition, entry.micros(), entry.key()), new byte[0]);
      }
      db.write(unlogged, write);
    } catch (RocksDBException e) {
      throw TableStore.failed("cannot change the index of expiry: " + e.getMessage(), e);
    }
  }
}
