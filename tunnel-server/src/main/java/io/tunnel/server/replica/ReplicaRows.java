package io.tunnel.server.replica;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.lead.Leader;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** The rows of the replicas of a shard, and what is stored with them, for the shard's thread. */
interface ReplicaRows extends Leader.Rows, Closeable {

  /**
   * Begins to fold batches in order, and to store the states of their replicas with them. Run the
   * fold until it is whole before you begin the next one.
   */
  TableFold begin(List<ChangeBatch> batches, Map<Integer, Bytes> states);

  /** Offset of the log up to which everything is folded. */
  long foldedOffset();

  /** The states that were stored last, by partition. */
  SortedMap<Integer, Bytes> states();

  /** Removes the rows of a partition. */
  void drop(int partition) throws IOException;

  /** All that can be done with the rows. */
  TableStore store();

  /** The rows, for readers on any thread. */
  default TableRows readable() {
    return store();
  }

  /** The rows that RocksDB keeps. */
  record InStore(TableStore store) implements ReplicaRows {

    @Override
    public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
      return store.encodedColumns(partition, key);
    }

    @Override
    public long commitMicros(int partition, Bytes key) {
      return store.commitMicros(partition, key);
    }

    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return store.exists(partition, array, keyOffset, keyBytes);
    }

    @Override
    public TableFold begin(List<ChangeBatch> batches, Map<Integer, Bytes> states) {
      return store.begin(batches, new BesideRows(states, Map.of()));
    }

    @Override
    public long foldedOffset() {
      return store.foldedOffset();
    }

    @Override
    public SortedMap<Integer, Bytes> states() {
      return store.states();
    }

    @Override
    public void drop(int partition) throws IOException {
      store.dropPartition(partition);
    }

    @Override
    public void close() throws IOException {
      store.close();
    }
  }
}
