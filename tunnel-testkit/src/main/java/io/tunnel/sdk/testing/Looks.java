package io.tunnel.sdk.testing;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.RowSessionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the test asks of the engine, in the words of the protocol. For the service's thread. */
final class Looks {

  private static final int PAGE_ROWS = 1_000;
  private static final int PAGE_BYTES = 1 << 20;

  private final Inside inside;

  Looks(Inside inside) {
    this.inside = inside;
  }

  void createTable(CreateTableRequest request) {
    var unused =
        inside.request(
            Operation.CREATE_TABLE,
            Json.encode(new Control.CreateTable(request.meta(), request.splitPoints())));
  }

  String createTunnel(String table, String tunnel, TunnelType type) {
    Control request = new Control.CreateTunnel(table, tunnel, type, StreamStart.EARLIEST);
    return inside.request(Operation.CREATE_TUNNEL, request, TunnelInfo.class).tunnelId();
  }

  private TableDescription table(String table) {
    return inside.request(
        Operation.PARTITION_MAP, new Control.TableName(table), TableDescription.class);
  }

  void requirePartition(String table, int partition) {
    if (table(table).partitions().stream().noneMatch(each -> each.id() == partition)) {
      throw new RefusedException(
          ErrorCode.WRONG_PARTITION, "table '" + table + "' has no partition " + partition);
    }
  }

  /** Writes each row as a batch of its own. */
  void write(String table, List<RowChange> rows) {
    TableDescription into = table(table);
    rows.forEach(row -> write(into, row));
  }

  private void write(TableDescription into, RowChange row) {
    List<PrimaryKeySchema> schema = into.meta().primaryKey();
    byte[] key = KeyCodec.encode(row.primaryKey().numbered(0), schema).toByteArray();
    int end = KeyCodec.skipColumn(key, 0, key.length, schema.get(0).type());
    BatchBuilder builder = new BatchBuilder(schema, 256);
    builder.add(row);
    byte[] batch = builder.build(partitionOf(into, Bytes.copyOf(key, 0, end)));
    WriteResult result =
        WriteResult.decode(
            inside.request(
                Operation.WRITE, WriteRequest.encode(into.tableId(), Optional.empty(), batch)));
    for (WriteResult.Rejection rejection : result.rejections()) {
      throw new RefusedException(rejection.code(), "the row " + row + " was rejected");
    }
  }

  private static int partitionOf(TableDescription table, Bytes firstColumn) {
    for (PartitionDescription partition : table.partitions()) {
      if (partition.to().length() == 0 || firstColumn.compareTo(partition.to()) < 0) {
        return partition.id();
      }
    }
    throw new IllegalStateException("no partition of " + table.meta().name() + " is the last");
  }

  List<Row> rows(String table) {
    TableDescription from = table(table);
    KeyDecoder keys = new KeyDecoder(from.meta().primaryKey());
    List<Row> rows = new ArrayList<>();
    Optional<Bytes> next = Optional.of(Bytes.EMPTY);
    while (next.isPresent()) {
      RangeRequest request =
          new RangeRequest(
              from.tableId(), Direction.FORWARD, PAGE_ROWS, PAGE_BYTES, next.get(), Bytes.EMPTY);
      RowPage page = RowPage.decode(inside.request(Operation.GET_RANGE, request.encode()));
      for (StreamRecord row : records(page.rows(), 0, keys)) {
        List<Column> columns = row.getColumns().stream().map(RecordColumn::getColumn).toList();
        rows.add(new Row(row.getPrimaryKey(), columns));
      }
      next = page.next();
    }
    return rows;
  }

  private static List<StreamRecord> records(ChangeBatch batch, long base, KeyDecoder keys) {
    List<StreamRecord> records = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      records.add(new StreamRecord(row, base + row.index(), keys));
    }
    return records;
  }

  List<StreamRecord> changes(String table) {
    TableDescription of = table(table);
    KeyDecoder keys = new KeyDecoder(of.meta().primaryKey());
    List<StreamRecord> records = new ArrayList<>();
    PartitionControl.FoundPositions found =
        inside.request(
            Operation.FIND_POSITIONS,
            new PartitionControl.FindPositions(table, Optional.empty()),
            PartitionControl.FoundPositions.class);
    for (PartitionControl.Positions each : found.partitions()) {
      records.addAll(changes(each.partition(), each.latest(), keys));
    }
    return records;
  }

  private List<StreamRecord> changes(int partition, long latest, KeyDecoder keys) {
    PartitionControl.ReadPartition request =
        new PartitionControl.ReadPartition(
            partition, ChannelType.Stream, 0, Bytes.EMPTY, Optional.of(latest), Optional.empty());
    int handle = inside.request(Operation.READ_PARTITION, request, Attached.class).handle();
    List<StreamRecord> records = new ArrayList<>();
    while (records.size() < latest) {
      Credit credit = new Credit(handle, PartitionControl.EPOCH, PAGE_BYTES);
      for (Frame push : inside.push(Operation.CREDIT, credit.encode())) {
        if (push.operation() == Operation.DELIVER) {
          for (ChangeBatch batch : Delivery.decode(push.payload()).batches()) {
            records.addAll(records(batch, batch.basePosition(), keys));
          }
        }
      }
    }
    ChannelRef read = new ChannelRef(handle, PartitionControl.EPOCH);
    var unused = inside.request(Operation.DETACH, read.encode());
    return records;
  }

  TunnelDescription tunnel(String table, String tunnel) {
    return inside.request(
        Operation.DESCRIBE_TUNNEL, new TunnelName(table, tunnel), TunnelDescription.class);
  }

  private TunnelDescription tunnelOf(String channelId) {
    Control.TunnelList all =
        Json.decode(inside.request(Operation.LIST_TUNNELS, new byte[0]), Control.TunnelList.class);
    return all.tunnels().stream()
        .map(info -> tunnel(info.table(), info.tunnel()))
        .filter(tunnel -> channel(tunnel, channelId).isPresent())
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no tunnel has a channel " + channelId));
  }

  private static Optional<ChannelDescription> channel(TunnelDescription of, String channelId) {
    return of.channels().stream()
        .filter(channel -> channel.channelId().equals(channelId))
        .findFirst();
  }

  ChannelDescription channel(String channelId) {
    return channel(tunnelOf(channelId), channelId).orElseThrow();
  }

  static ChannelDescription withDelivered(ChannelDescription of, long delivered) {
    return new ChannelDescription(
        of.channelId(),
        of.partition(),
        of.status(),
        of.owner(),
        of.clientTag(),
        of.epoch(),
        of.checkpointed(),
        delivered,
        of.committed(),
        of.lagRows(),
        of.lagBytes(),
        of.lagMs(),
        of.type(),
        of.isPaused(),
        of.end(),
        of.error(),
        of.waitsFor(),
        of.historyLeftMs(),
        of.failedAt(),
        of.retry());
  }

  /** Whether every runnable channel has a holder, and no channel is being moved. */
  static boolean isSettled(TunnelDescription tunnel) {
    return tunnel.channels().stream()
        .noneMatch(
            channel ->
                channel.status() == ChannelStatus.CLOSING
                    || (channel.status() == ChannelStatus.WAIT
                        && !tunnel.isPaused()
                        && !channel.isPaused()
                        && channel.error().isEmpty()
                        && channel.waitsFor().isEmpty()));
  }

  /** Whether all present rows and changes are processed. */
  static boolean isProcessed(TunnelDescription tunnel) {
    return tunnel.channels().stream()
        .allMatch(
            channel ->
                channel.status() == ChannelStatus.TERMINATED
                    || (channel.type() == ChannelType.Stream
                        && channel.checkpointed()
                            >= Math.min(
                                channel.committed(), channel.end().orElse(Long.MAX_VALUE))));
  }

  /** Moves a channel to its checkpoint, as an operator does. */
  void moveToWhereItIs(String channelId) {
    TunnelDescription tunnel = tunnelOf(channelId);
    ChannelDescription channel = channel(tunnel, channelId).orElseThrow();
    String table = tunnel.info().table();
    String name = tunnel.info().tunnel();
    CheckpointSet all =
        inside.request(
            Operation.EXPORT_CHECKPOINTS, new TunnelName(table, name), CheckpointSet.class);
    CheckpointSet own =
        new CheckpointSet(
            all.tableId(),
            all.table(),
            all.tunnel(),
            all.channels().stream()
                .filter(each -> each.partition() == channel.partition())
                .filter(each -> each.type() == channel.type())
                .toList());
    Seek seek =
        new Seek(
            table,
            name,
            List.of(channelId),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(own),
            false);
    var unused = inside.request(Operation.SEEK, Json.encode(seek));
  }

  List<Long> rowSessions() {
    List<Long> ids = new ArrayList<>();
    boolean isMore = true;
    while (isMore) {
      long after = ids.isEmpty() ? 0 : ids.get(ids.size() - 1);
      RowSessionControl.SessionList page =
          inside.request(
              Operation.LIST_ROW_SESSIONS,
              new RowSessionControl.After(after),
              RowSessionControl.SessionList.class);
      page.sessions().forEach(session -> ids.add(session.sessionId()));
      isMore = page.isCut();
    }
    return ids;
  }

  void endRowSession(long sessionId) {
    var unused =
        inside.request(
            Operation.END_ROW_SESSION, Json.encode(new RowSessionControl.Numbered(sessionId)));
  }
}
