package io.tunnel.server.replica;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.replica.lead.Leader;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiConsumer;

/** The rows of the replicas of a shard, and what is stored with them, for the shard's thread. */
interface ReplicaRows extends Leader.Rows, Closeable {

  /**
   * Begins to fold batches in order, and to store with them the states of their replicas, and what
   * is known of writers. Run the fold until it is whole before you begin the next one.
   */
  TableFold begin(List<ChangeBatch> batches, BesideRows beside);

  /** Offset of the log up to which everything is folded. */
  long foldedOffset();

  /** The states that were stored last, by partition. */
  SortedMap<Integer, Bytes> states();

  /** Shows what was stored last of writers that number their batches, one at a time. */
  void writers(BiConsumer<Bytes, Bytes> visitor);

  /** What the shard keeps of writers. */
  default WriterLimits.Share writerLimits() {
    return WriterLimits.DEFAULT.of(1);
  }

  /** Removes the rows of a partition, and what is known of its writers. */
  void drop(int partition) throws IOException;

  /** All that can be done with the rows. */
  TableStore store();

  /** The rows, for readers on any thread. */
  default TableRows readable() {
    return store();
  }

  /** The rows that RocksDB keeps. */
  record InStore(TableStore store, WriterLimits.Share writerLimits) implements ReplicaRows {

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
    public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
      return store.begin(batches, beside);
    }

    @Override
    public void writers(BiConsumer<Bytes, Bytes> visitor) {
      store.writers(visitor);
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
