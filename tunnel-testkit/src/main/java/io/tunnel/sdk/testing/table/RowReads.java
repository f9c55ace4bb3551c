package io.tunnel.sdk.testing.table;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/** Answers to reads of rows. As on the server, a page ends with its partition. */
public final class RowReads {

  private RowReads() {}

  /** A page with the row, or an empty one. */
  public static byte[] get(MemoryTable table, GetRowRequest request) {
    return look(table, request.terms(), List.of(request.key()));
  }

  /** A page with the rows that there are of the keys of one partition. */
  public static byte[] getAll(MemoryTable table, GetRowsRequest request) {
    return look(table, request.terms(), request.keys());
  }

  private static byte[] look(MemoryTable table, ReadTerms terms, List<Bytes> keys) {
    keys.forEach(key -> requireKey(table, key));
    MemoryPartition partition = table.partitionOf(keys.get(0));
    for (Bytes key : keys) {
      if (table.partitionOf(key).id() != partition.id()) {
        throw new RefusedException(
            ErrorCode.WRONG_PARTITION,
            "key " + key + " is not of partition " + partition.id() + ", as the keys before it");
      }
    }
    RowAnswer answer = new RowAnswer(table, terms, keys.size(), Limits.PAGE_BYTES_MAX);
    for (Bytes key : keys) {
      Row row = partition.rows().get(key);
      if (answer.isFull() || (row != null && !answer.add(key, row))) {
        return answer.encode(partition.id(), Optional.of(key));
      }
      if (row == null) {
        answer.addAbsent(key);
      }
    }
    return answer.encode(partition.id(), Optional.empty());
  }

  private static void requireKey(MemoryTable table, Bytes key) {
    byte[] array = key.toByteArray();
    try {
      KeyCodec.require(array, 0, array.length, table.meta().primaryKey());
    } catch (MalformedException e) {
      throw new RefusedException(ErrorCode.KEY_MISMATCH, e.getMessage());
    }
  }

  /** One page. */
  public static byte[] range(MemoryTable table, RangeRequest request) {
    RowAnswer answer = new RowAnswer(table, request.terms(), request.rowsMax(), request.bytesMax());
    boolean isForward = request.direction() == Direction.FORWARD;
    int index = isForward ? table.indexOf(request.from()) : lastIndex(table, request.to());
    MemoryPartition partition = table.partitions().get(index);
    NavigableMap<Bytes, Row> rows = between(partition.rows(), request.from(), request.to());
    Bytes last = Bytes.EMPTY;
    for (Map.Entry<Bytes, Row> row : (isForward ? rows : rows.descendingMap()).entrySet()) {
      if (!answer.add(row.getKey(), row.getValue())) {
        return answer.encode(partition.id(), Optional.of(isForward ? behind(last) : last));
      }
      last = row.getKey();
    }
    return answer.encode(
        partition.id(),
        isForward ? above(partition, request.to()) : below(partition, request.from()));
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
