package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;

/**
 * The rows of a table's store at one time. Safe for use by any thread; a thread may close the
 * snapshot while other threads read from it.
 */
public interface TableSnapshot extends AutoCloseable {

  /** How a scan ended. */
  enum Scan {
    /** All rows were visited. */
    WHOLE,
    /** The visitor stopped it. */
    STOPPED,
    /** Nothing was visited: the snapshot was closed before. */
    CLOSED
  }

  /**
   * Visits the rows of a partition whose encoded keys are higher than {@code after} ({@link
   * Bytes#EMPTY}: all), from low to high. What it reads takes no space in the block cache.
   *
   * @throws io.tunnel.model.RefusedException CORRUPT or STORAGE_FAILED when not all can be read
   */
  default Scan scanBehind(int partition, Bytes after, TableStore.RowVisitor visitor) {
    byte[] next = new byte[after.length() + 1];
    after.copyInto(next, 0);
    // Nothing sorts between a key and itself with a 0 appended.
    return scanFrom(partition, after.length() == 0 ? after : Bytes.copyOf(next), visitor);
  }

  /**
   * As {@link #scanBehind}, from {@code from} on, a key or not; {@link Bytes#EMPTY} is the first.
   */
  default Scan scanFrom(int partition, Bytes from, TableStore.RowVisitor visitor) {
    return scanFrom(partition, from, -1, visitor);
  }

  /**
   * As {@link #scanFrom(int, Bytes, TableStore.RowVisitor)}, without the rows that were committed
   * at {@code expiredMicros} or before: they have expired; -1 for all rows.
   */
  Scan scanFrom(int partition, Bytes from, long expiredMicros, TableStore.RowVisitor visitor);

  /** Releases the snapshot; idempotent. */
  @Override
  void close();
}
