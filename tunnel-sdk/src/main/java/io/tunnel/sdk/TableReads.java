package io.tunnel.sdk;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.write.PartitionMaps;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Reads rows of one table. Caches the table's id and schema, and reads them again once when the
 * server does not know the id, because the table was dropped and created again.
 */
final class TableReads {

  /** Bytes of the keys of one request: far below a frame. */
  private static final int KEYS_BYTES_MAX = 1 << 20;

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

  Optional<Row> row(PrimaryKey key, RowSelection selection, ReadMode mode) {
    EventLoops.requireMayBlock("reading a row");
    return Caller.await(rowAsync(key, selection, mode));
  }

  CompletableFuture<Optional<Row>> rowAsync(PrimaryKey key, RowSelection selection, ReadMode mode) {
    Bytes encoded = KeyCodec.encode(key, schema());
    ReadTerms terms = new ReadTerms(mode == ReadMode.STRICT, selection.require(schema()));
    return ask(
            Operation.GET_ROW,
            read ->
                new Ask(
                    holderOf(read, encoded),
                    new GetRowRequest(read.tableId(), encoded, terms).encode()))
        .thenApply(payload -> decode(RowPage.decode(payload)).stream().findFirst());
  }

  /** The rows that there are of the keys, in the order in which the keys came first. */
  CompletableFuture<Map<PrimaryKey, Row>> rowsAsync(
      Collection<PrimaryKey> keys, RowSelection selection, ReadMode mode) {
    ReadTerms terms = new ReadTerms(mode == ReadMode.STRICT, selection.require(schema()));
    TreeSet<Bytes> encoded = new TreeSet<>();
    keys.forEach(key -> encoded.add(KeyCodec.encode(key, schema())));
    Map<PrimaryKey, Row> found = new ConcurrentHashMap<>();
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    for (List<Bytes> part : parts(table, encoded)) {
      parts.add(rowsAsync(part, terms, found));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(
            unused -> {
              Map<PrimaryKey, Row> ordered = new LinkedHashMap<>();
              for (PrimaryKey key : keys) {
                Optional.ofNullable(found.get(key)).ifPresent(row -> ordered.put(key, row));
              }
              return ordered;
            });
  }

  /** Splits rising keys by partition, and by what one request holds. */
  private static List<List<Bytes>> parts(TableDescription table, Iterable<Bytes> keys) {
    List<List<Bytes>> parts = new ArrayList<>();
    int partition = -1;
    int bytes = 0;
    for (Bytes key : keys) {
      int own = holderOf(table, key).id();
      boolean isNew =
          own != partition
              || bytes + key.length() > KEYS_BYTES_MAX
              || parts.get(parts.size() - 1).size() == Limits.GET_KEYS_MAX;
      if (isNew) {
        parts.add(new ArrayList<>());
        bytes = 0;
      }
      parts.get(parts.size() - 1).add(key);
      partition = own;
      bytes += key.length();
    }
    return parts;
  }

  /**
   * Reads rows of rising keys of one partition. The partitions of a table that was made again may
   * be others: the keys are then split anew.
   */
  private CompletableFuture<Void> rowsAsync(
      List<Bytes> keys, ReadTerms terms, Map<PrimaryKey, Row> found) {
    int[] asked = {0};
    return ask(
            Operation.GET_ROWS,
            read -> {
              List<Bytes> first = parts(read, keys).get(0);
              asked[0] = first.size();
              return new Ask(
                  holderOf(read, first.get(0)),
                  new GetRowsRequest(read.tableId(), first, terms).encode());
            })
        .thenCompose(
            payload -> {
              RowPage page = RowPage.decode(payload);
              decode(page).forEach(row -> found.put(row.primaryKey(), row));
              int looked = page.next().isPresent() ? page.looked().rows() : asked[0];
              if (looked < 1 || looked > asked[0]) {
                throw new MalformedException(
                    "an answer that looked up " + looked + " of " + asked[0] + " keys");
              }
              List<Bytes> rest = keys.subList(looked, keys.size());
              return rest.isEmpty()
                  ? CompletableFuture.completedFuture(null)
                  : rowsAsync(rest, terms, found);
            });
  }

  /** The rows of a page. */
  List<Row> decode(RowPage page) {
    List<PrimaryKeySchema> schema = schema();
    List<Row> rows = new ArrayList<>(page.rows().rowCount());
    for (RowCursor row = page.rows().rows(); row.next(); ) {
      rows.add(decode(row, schema, page.commitMicrosOf(row.index())));
    }
    return rows;
  }

  /** A page of a range, from the leader of the partition where the page begins. */
  RowPage page(IntFunction<RangeRequest> request) {
    EventLoops.requireMayBlock("reading a page");
    return RowPage.decode(
        Caller.await(
            ask(
                Operation.GET_RANGE,
                read -> {
                  RangeRequest range = request.apply(read.tableId());
                  PartitionDescription holder =
                      range.direction() == Direction.FORWARD
                          ? holderOf(read, range.from())
                          : holderBelow(read, range.to());
                  return new Ask(holder, range.encode());
                })));
  }

  /** The partition of a key, or of the first key not below a bound. */
  private static PartitionDescription holderOf(TableDescription table, Bytes key) {
    PartitionDescription holder = table.partitions().get(0);
    for (PartitionDescription partition : table.partitions()) {
      holder = partition.from().compareTo(key) <= 0 ? partition : holder;
    }
    return holder;
  }

  /** The partition of the last key below a bound, or the last partition without a bound. */
  private static PartitionDescription holderBelow(TableDescription table, Bytes bound) {
    PartitionDescription holder = table.partitions().get(0);
    for (PartitionDescription partition : table.partitions()) {
      boolean isBelow = bound.length() == 0 || partition.from().compareTo(bound) < 0;
      holder = isBelow ? partition : holder;
    }
    return holder;
  }

  /** A request about rows of one partition. */
  private static final class Ask {
    final PartitionDescription partition;
    final byte[] payload;

    Ask(PartitionDescription partition, byte[] payload) {
      this.partition = partition;
      this.payload = payload;
    }
  }

  private CompletableFuture<byte[]> ask(
      Operation operation, Function<TableDescription, Ask> request) {
    TableDescription seen = table;
    return send(operation, request.apply(seen))
        .exceptionallyCompose(
            failure -> {
              boolean isOutdated =
                  Caller.unwrap(failure) instanceof RefusedException refused
                      && (refused.code() == ErrorCode.TABLE_NOT_FOUND
                          || refused.code() == ErrorCode.WRONG_PARTITION);
              return isOutdated
                  ? maps.read()
                      .thenCompose(read -> askAnew(operation, request, read, seen, failure))
                  : CompletableFuture.failedFuture(failure);
            });
  }

  private CompletableFuture<byte[]> askAnew(
      Operation operation,
      Function<TableDescription, Ask> request,
      TableDescription read,
      TableDescription seen,
      Throwable failure) {
    table = read;
    return read.partitions().equals(seen.partitions()) && read.tableId() == seen.tableId()
        ? CompletableFuture.failedFuture(failure)
        : send(operation, request.apply(read));
  }

  private CompletableFuture<byte[]> send(Operation operation, Ask ask) {
    Subject subject = Subject.partition(table.meta().name(), ask.partition.id());
    return caller.ask(subject, operation, ask.payload).thenApply(Frame::payload);
  }

  /** Encodes a bound, whose columns must be the first columns of the table's key. */
  Bytes bound(Optional<PrimaryKey> key) {
    if (key.isEmpty()) {
      return Bytes.EMPTY;
    }
    List<PrimaryKeySchema> schema = schema();
    List<PrimaryKeyColumn> columns = key.get().getPrimaryKeyColumns();
    ByteSink sink = new ByteSink(64);
    for (int i = 0; i < columns.size(); i++) {
      PrimaryKeyColumn column = columns.get(i);
      boolean matches =
          i < schema.size()
              && column.getName().equals(schema.get(i).name())
              && column.getValue().getType() == schema.get(i).type();
      if (!matches) {
        throw new IllegalArgumentException(
            "bound " + key.get() + " does not name the first columns of the key " + schema);
      }
      KeyCodec.write(sink, column.getValue());
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Row decode(
      RowCursor row, List<PrimaryKeySchema> schema, Optional<Long> commitMicros) {
    ChangeBatch batch = row.batch();
    PrimaryKey key = KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), schema);
    ColumnCursor cursor = row.columns();
    List<Column> columns = new ArrayList<>(cursor.left());
    while (cursor.next()) {
      columns.add(new Column(batch.name(cursor.nameIndex()), cursor.value()));
    }
    return new Row(key, columns, commitMicros);
  }
}
