package io.tunnel.sdk;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Bytes;
import io.tunnel.model.Column;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.write.PartitionMaps;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Reads rows of one table. Knows the table's id and schema, and learns them anew once when the
 * server does not know the id: the table was dropped and made again.
 */
final class TableReads {

  private final Caller caller;
  private final PartitionMaps maps;
  private volatile TableDescription table;

  TableReads(Caller caller, PartitionMaps maps) {
    this.caller = caller;
    this.maps = maps;
    this.table = Caller.await(maps.read());
  }

  List<PrimaryKeySchema> schema() {
    return table.meta().primaryKey();
  }

  Optional<Row> row(PrimaryKey key) {
    byte[] payload =
        ask(
            Operation.GET_ROW,
            id -> new GetRowRequest(id, KeyCodec.encode(key, schema())).encode());
    RowCursor row = ChangeBatch.parse(payload, 0, payload.length).rows();
    return row.next() ? Optional.of(decode(row, schema())) : Optional.empty();
  }

  RangePage page(IntFunction<RangeRequest> request) {
    return RangePage.decode(ask(Operation.GET_RANGE, id -> request.apply(id).encode()));
  }

  private byte[] ask(Operation operation, IntFunction<byte[]> request) {
    TableDescription seen = table;
    try {
      return ask(operation, request.apply(seen.tableId()));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
        throw e;
      }
      table = Caller.await(maps.read());
      if (table.tableId() == seen.tableId()) {
        throw e;
      }
      return ask(operation, request.apply(table.tableId()));
    }
  }

  private byte[] ask(Operation operation, byte[] payload) {
    return caller.awaitRead(operation, payload);
  }

  /** A bound as bytes: the columns that it names must be the first of the table's key. */
  Bytes bound(Optional<PrimaryKey> key) {
    if (key.isEmpty()) {
      return Bytes.EMPTY;
    }
    List<PrimaryKeySchema> schema = schema();
    List<PrimaryKeyColumn> columns = key.get().columns();
    ByteSink sink = new ByteSink(64);
    for (int i = 0; i < columns.size(); i++) {
      PrimaryKeyColumn column = columns.get(i);
      boolean matches =
          i < schema.size()
              && column.name().equals(schema.get(i).name())
              && column.value().keyType() == schema.get(i).type();
      if (!matches) {
        throw new IllegalArgumentException(
            "bound " + key.get() + " does not name the first columns of the key " + schema);
      }
      KeyCodec.write(sink, column.value());
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  Row decode(RowCursor row, List<PrimaryKeySchema> schema) {
    ChangeBatch batch = row.batch();
    PrimaryKey key = KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), schema);
    ColumnCursor cursor = row.columns();
    List<Column> columns = new ArrayList<>(cursor.left());
    while (cursor.next()) {
      columns.add(new Column(batch.name(cursor.nameIndex()), cursor.value()));
    }
    return new Row(key, columns);
  }
}
