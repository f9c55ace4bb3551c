package io.tunnel.server.partition;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.ExpiryIndex;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rows of a shard, as far as the shard itself needs them. */
public interface ShardRows extends ConditionCore.StoredRows, Closeable {

  /** Whether a partition exists at this moment; writes to others are refused. */
  boolean isLive(int partition);

  /** What the rows do not exceed; asked for once, by the shard that they are opened for. */
  default RowBounds bounds() {
    return RowBounds.unknown();
  }

  /** The writers that number; asked for once, by the shard that the rows are opened for. */
  default Writers writers() {
    return new Writers(Map.of());
  }

  /** The rows that are bound to sessions; asked for once, by the shard. */
  default BoundRows bound() {
    return BoundRows.none();
  }

  /**
   * Begins to fold batches in order, and to store the rows of {@code beside} with them. Folds of
   * different partitions may be open together; the caller must not use two folds concurrently.
   */
  TableFold begin(List<ChangeBatch> batches, BesideRows beside);

  /** The AUTO column of a partition's keys, if they have one. */
  default Optional<AutoNumbers> auto(int partition) {
    return Optional.empty();
  }

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

  /** Offset of the log up to which they are folded and on disk: a crash does not take it back. */
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
