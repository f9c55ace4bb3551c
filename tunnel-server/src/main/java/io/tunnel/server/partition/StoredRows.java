package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.IntPredicate;

/** The rows that RocksDB keeps. */
record StoredRows(TableStore store, SeenChanges seen, IntPredicate live, Expiries lives)
    implements ShardRows {

  /** Rows that live for ever. */
  StoredRows(TableStore store, SeenChanges seen, IntPredicate live) {
    this(store, seen, live, Expiries.NONE);
  }

  @Override
  public long commitMicros(int partition, Bytes key) {
    return store.commitMicros(partition, key);
  }

  @Override
  public boolean isLive(int partition) {
    return live.test(partition);
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return store.exists(partition, array, keyOffset, keyBytes);
  }

  @Override
  public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
    return store.encodedColumns(partition, key);
  }

  @Override
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    return store.begin(batches, beside);
  }

  /** The table is gone from the catalog, so it does not matter what a crash leaves of it. */
  @Override
  public void dropPartition(int partition) throws IOException {
    store.dropFiles(partition);
    store.dropPartition(partition);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
