package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.ExpiryIndex;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** The rows of a shard, as far as the shard itself needs them. */
public interface ShardRows extends ConditionCore.StoredRows, Closeable {

  /** Whether a partition exists now; writes to others are refused. */
  boolean isLive(int partition);

  /** What is known of the changes that are folded; asked for once, by the shard. */
  SeenChanges seen();

  /**
   * Begins to fold batches in order, and to store the rows of {@code beside} with them. Folds of
   * different partitions may be open together; the caller must not use two folds concurrently.
   */
  TableFold begin(List<ChangeBatch> batches, BesideRows beside);

  /** When the rows of partitions expire; always one object. */
  default Expiries lives() {
    return Expiries.NONE;
  }

  /** The rows that may expire, in order. */
  default ExpiryIndex expiries() {
    return store().expiries();
  }

  /** All that can be done with them. */
  TableStore store();

  /** Offset of the log up to which they are folded and on disk: a crash does not roll it back. */
  default long durableOffset() throws IOException {
    return store().durableOffset();
  }

  /** Begins to write what is folded to disk. */
  default void startFlush() throws IOException {
    store().startFlush();
  }

  /** Removes all rows of a partition. */
  default void dropPartition(int partition) throws IOException {
    store().dropPartition(partition);
  }

  /** The rows, for readers. */
  default TableRows readable() {
    return store();
  }
}
