package io.tunnel.sdk.testing.table;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/** Answers to reads of rows. As on the server, a page ends with its partition. */
public final class RowReads {

  private static final int PAGE_ROWS_MAX = 5_000;
  private static final int PAGE_BYTES_MAX = 4 * 1024 * 1024;

  private RowReads() {}

  /** A batch with the row, or an empty one. */
  public static byte[] get(MemoryTable table, GetRowRequest request) {
    byte[] key = request.key().toByteArray();
    try {
      KeyCodec.require(key, 0, key.length, table.meta().primaryKey());
    } catch (MalformedException e) {
      throw new RefusedException(ErrorCode.KEY_MISMATCH, e.getMessage());
    }
    MemoryPartition partition = table.partitionOf(request.key());
    BatchBuilder batch = new BatchBuilder(table.meta().primaryKey(), 256);
    Row row = partition.rows().get(request.key());
    if (row != null) {
      batch.add(new RowPutChange(row.primaryKey(), row.columns()));
    }
    return batch.build(partition.id());
  }

  /** One page. */
  public static byte[] range(MemoryTable table, RangeRequest request) {
    boolean isForward = request.direction() == Direction.FORWARD;
    int index = isForward ? table.indexOf(request.from()) : lastIndex(table, request.to());
    MemoryPartition partition = table.partitions().get(index);
    NavigableMap<Bytes, Row> rows = between(partition.rows(), request.from(), request.to());
    BatchBuilder batch = new BatchBuilder(table.meta().primaryKey(), 4096);
    int rowsMax = Math.min(request.rowsMax(), PAGE_ROWS_MAX);
    int bytesMax = Math.min(request.bytesMax(), PAGE_BYTES_MAX);
    Bytes last = Bytes.EMPTY;
    for (Map.Entry<Bytes, Row> row : (isForward ? rows : rows.descendingMap()).entrySet()) {
      boolean isFull =
          batch.rowCount() > 0 && (batch.rowCount() >= rowsMax || batch.byteCount() >= bytesMax);
      if (isFull
          || !batch.add(new RowPutChange(row.getValue().primaryKey(), row.getValue().columns()))) {
        Bytes next = isForward ? behind(last) : last;
        return RangePage.encode(Optional.of(next), batch.build(partition.id()));
      }
      last = row.getKey();
    }
    return RangePage.encode(
        isForward ? above(partition, request.to()) : below(partition, request.from()),
        batch.build(partition.id()));
  }

  private static int lastIndex(MemoryTable table, Bytes to) {
    if (to.length() == 0) {
      return table.partitions().size() - 1;
    }
    int index = table.indexOf(to);
    boolean isEmpty = table.partitions().get(index).from().equals(to);
    return index > 0 && isEmpty ? index - 1 : index;
  }

  private static NavigableMap<Bytes, Row> between(
      NavigableMap<Bytes, Row> rows, Bytes from, Bytes to) {
    if (to.length() == 0) {
      return rows.tailMap(from, true);
    }
    return from.compareTo(to) >= 0
        ? rows.subMap(from, false, from, false)
        : rows.subMap(from, true, to, false);
  }

  /** The lowest key above {@code key}. */
  private static Bytes behind(Bytes key) {
    byte[] longer = new byte[key.length() + 1];
    key.copyInto(longer, 0);
    return Bytes.copyOf(longer);
  }

  private static Optional<Bytes> above(MemoryPartition partition, Bytes to) {
    boolean isLast =
        partition.to().length() == 0 || (to.length() > 0 && partition.to().compareTo(to) >= 0);
    return isLast ? Optional.empty() : Optional.of(partition.to());
  }

  private static Optional<Bytes> below(MemoryPartition partition, Bytes from) {
    boolean isLast = partition.from().length() == 0 || partition.from().compareTo(from) <= 0;
    return isLast ? Optional.empty() : Optional.of(partition.from());
  }
}
