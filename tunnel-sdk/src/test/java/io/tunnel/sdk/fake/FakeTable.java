package io.tunnel.sdk.fake;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table (id INTEGER, with a column v INTEGER that counts up per key) whose writes are applied in
 * memory. Refuses rows that are not of the partition they were sent to, and remembers the values
 * per key in the order in which they were applied.
 */
public final class FakeTable {

  private final int tableId;
  private final List<PartitionDescription> partitions = new ArrayList<>();
  private final Map<Integer, Long> committed = new HashMap<>();
  private final Map<Long, List<Long>> valuesByKey = new HashMap<>();
  private int batches;

  /** A table with those split points; partition ids count up from {@code firstPartitionId}. */
  public FakeTable(int tableId, int firstPartitionId, long... splitPoints) {
    this.tableId = tableId;
    Bytes from = Bytes.EMPTY;
    for (int i = 0; i <= splitPoints.length; i++) {
      Bytes to =
          i == splitPoints.length
              ? Bytes.EMPTY
              : KeyCodec.encode(PrimaryKeyValue.fromLong(splitPoints[i]));
      partitions.add(
          new PartitionDescription(firstPartitionId + i, from, to, List.of(), 0, true, 0, 0, 1, 0));
      from = to;
    }
  }

  /** The table's name and key. */
  public static TableMeta meta() {
    return new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
  }

  /** The id in an encoded key of the table. */
  public static long id(Bytes key) {
    byte[] bytes = key.toByteArray();
    return KeyCodec.decode(bytes, 0, bytes.length, meta().primaryKey())
        .getPrimaryKeyColumns()
        .get(0)
        .getValue()
        .asLong();
  }

  /** Partition map and writes of this table, on {@code server}. */
  public FakeTable serve(FakeServer server) {
    server.on(
        Operation.PARTITION_MAP, (connection, frame) -> connection.answer(frame, description()));
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          Optional<ErrorCode> refusal = refusal(request);
          if (refusal.isPresent()) {
            connection.refuse(frame, refusal.get());
          } else {
            connection.answer(frame, apply(request.batch()).encode());
          }
        });
    return this;
  }

  /** The partition map's payload. */
  public byte[] description() {
    return Json.encode(new TableDescription(tableId, meta(), 0, partitions));
  }

  /** The partition map's payload in a cluster: who leads each partition, in the map's order. */
  public byte[] description(List<Optional<String>> leaders) {
    List<PartitionDescription> led = new ArrayList<>();
    for (int i = 0; i < partitions.size(); i++) {
      led.add(led(partitions.get(i), leaders.get(i), 0));
    }
    return Json.encode(new TableDescription(tableId, meta(), 0, led));
  }

  /** What a node of a cluster answers that knows no leader of any partition. */
  public byte[] withoutFigures() {
    List<PartitionDescription> unknown = new ArrayList<>();
    for (PartitionDescription each : partitions) {
      unknown.add(
          new PartitionDescription(
              each.id(), each.from(), each.to(), List.of(), 0, false, 0, 0, 1, 0));
    }
    return Json.encode(new TableDescription(tableId, meta(), 0, unknown));
  }

  /** A partition with a leader and figures. */
  static PartitionDescription led(
      PartitionDescription partition, Optional<String> leader, long rows) {
    return new PartitionDescription(
        partition.id(),
        partition.from(),
        partition.to(),
        List.of(),
        rows,
        true,
        rows,
        rows,
        1,
        rows,
        leader);
  }

  /** The partitions. */
  List<PartitionDescription> partitions() {
    return partitions;
  }

  /** Why a write is refused as a whole, if it is. */
  public Optional<ErrorCode> refusal(WriteRequest request) {
    if (request.tableId() != tableId) {
      return Optional.of(ErrorCode.TABLE_NOT_FOUND);
    }
    for (PartitionDescription partition : partitions) {
      if (partition.id() == request.batch().partition()) {
        return holdsAll(partition, request.batch())
            ? Optional.empty()
            : Optional.of(ErrorCode.WRONG_PARTITION);
      }
    }
    return Optional.of(ErrorCode.WRONG_PARTITION);
  }

  private static boolean holdsAll(PartitionDescription partition, ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      boolean isBelow =
          partition.from().compareTo(batch.array(), row.keyOffset(), row.keyBytes()) > 0;
      boolean isAbove =
          partition.to().length() > 0
              && partition.to().compareTo(batch.array(), row.keyOffset(), row.keyBytes()) <= 0;
      if (isBelow || isAbove) {
        return false;
      }
    }
    return true;
  }

  /** Applies a batch: every row at the next position. */
  public synchronized WriteResult apply(ChangeBatch batch) {
    return apply(batch, batch.rowCount(), ErrorCode.INTERNAL);
  }

  /** Applies the first rows of a batch, and rejects the others. */
  public synchronized WriteResult apply(ChangeBatch batch, int rows, ErrorCode others) {
    batches++;
    long first = committed.getOrDefault(batch.partition(), 0L) + 1;
    int left = rows;
    for (RowCursor row = batch.rows(); left > 0 && row.next(); left--) {
      PrimaryKey key =
          KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), meta().primaryKey());
      var columns = row.columns();
      ColumnValue value = columns.next() ? columns.value() : ColumnValue.fromLong(-1);
      valuesByKey
          .computeIfAbsent(
              key.getPrimaryKeyColumns().get(0).getValue().asLong(), k -> new ArrayList<>())
          .add(value.asLong());
    }
    committed.put(batch.partition(), first + rows - 1);
    List<WriteResult.Rejection> rejections = new ArrayList<>();
    for (int i = rows; i < batch.rowCount(); i++) {
      rejections.add(new WriteResult.Rejection(i, others));
    }
    return new WriteResult(first, rows, rejections);
  }

  /** Batches applied. */
  public synchronized int batches() {
    return batches;
  }

  /** The values of each key in the order in which they were applied. */
  public synchronized Map<Long, List<Long>> valuesByKey() {
    Map<Long, List<Long>> copy = new HashMap<>();
    valuesByKey.forEach((key, values) -> copy.put(key, List.copyOf(values)));
    return copy;
  }
}
