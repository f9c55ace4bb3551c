package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import java.util.function.IntFunction;

/** A snapshot of the rows. It may be closed, or its store may be, while others read. */
final class StoreSnapshot implements TableSnapshot {

  final ByteMap.Moment taken;

  /** Guarded by the monitor of {@link OpenReads}, as is {@code isReleased}. */
  int readCount;

  boolean isReleased;
  private final OpenReads reads;
  private final Dictionaries dictionaries;

  StoreSnapshot(OpenReads reads, ByteMap.Moment taken) {
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
    try (ByteMap.Cursor at =
        taken.between(bound(partition, from), StoreFormat.partitionKey(partition + 1))) {
      IntFunction<String[]> names = namesOf(partition);
      for (at.toFirst(); at.isValid(); at.next()) {
        byte[] value = at.value();
        boolean isAlive = expiredMicros < 0 || StoredRow.commitMicros(value) > expiredMicros;
        if (isAlive && !visitor.row(StoreFormat.key(at.key()), StoredRow.columns(value, names))) {
          return Scan.STOPPED;
        }
      }
      at.requireWhole();
      return Scan.WHOLE;
    }
  }

  /** The names of the dictionaries that rows of a partition use in this snapshot, by id. */
  IntFunction<String[]> namesOf(int partition) {
    // The snapshot also has the dictionaries of partitions that were dropped after it.
    return dictionaries.namesOf(partition, taken::get);
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
