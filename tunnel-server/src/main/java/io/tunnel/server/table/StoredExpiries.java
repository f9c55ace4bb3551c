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

/** The index of expiry as RocksDB has it: the entries are keys without values. */
@SuppressWarnings("try") // A use of the gate is only ended.
record StoredExpiries(RocksDB db, OpenGate gate, WriteOptions unlogged) implements ExpiryIndex {

  /** Does not walk over entries that were removed before {@code fromMicros}. */
  @Override
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

  @Override
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
