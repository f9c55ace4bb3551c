package io.tunnel.server.net;

import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.ReadTurns;
import io.tunnel.server.partition.RowReads;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;

/**
 * Sends each request to the room that serves it. Rows go to their partition's home straight from
 * the event loop that received them, and so do channels to attach to; all else goes to a control
 * thread.
 */
final class Requests {

  private final NetServer.Rooms rooms;
  private final Refusals refusals;
  private final TableRequests tables;
  private final TunnelRequests tunnels;
  private final ClusterRequests cluster;
  private final PartitionRequests partitions;

  Requests(NetServer.Rooms rooms, NetServer.Threads threads) {
    this.rooms = rooms;
    this.refusals = new Refusals(rooms.cluster().view());
    RequestThreads served =
        new RequestThreads(
            threads.control(), threads.readers(), threads.epochMicros()::getAsLong, refusals);
    this.tables =
        new TableRequests(
            rooms.catalog(),
            rooms.tables().descriptions(),
            new TableChanges(
                rooms.catalog(),
                rooms.tables().logs(),
                rooms.tunnels().hosts(),
                threads.control(),
                served.clock()::epochMs),
            served);
    this.tunnels = new TunnelRequests(rooms.tunnels().hosts(), rooms.tunnels().figures(), served);
    this.cluster = new ClusterRequests(rooms.cluster(), served);
    this.partitions = new PartitionRequests(rooms.catalog(), rooms.reading(), served);
  }

  /** Serves a request; its answer goes to {@code connection}, now or later. */
  void handle(Frame frame, Connection connection) {
    Operation operation = frame.operation();
    try {
      if (operation == null) {
        throw new RefusedException(
            ErrorCode.UNKNOWN_OPERATION, "there is no operation " + frame.operationCode());
      }
      switch (operation) {
        case WRITE -> write(frame, connection);
        case GET_ROW ->
            rooms
                .rows()
                .reads()
                .get(GetRowRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
        case GET_RANGE ->
            rooms
                .rows()
                .reads()
                .range(RangeRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
        case CREATE_TABLE, ALTER_TABLE, DROP_TABLE, PARTITION_MAP, LIST_TABLES, DESCRIBE_TABLE ->
            tables.handle(frame, connection);
        case CREATE_TUNNEL,
            DESCRIBE_TUNNEL,
            LIST_TUNNELS,
            DELETE_TUNNEL,
            SEEK,
            PAUSE,
            RESUME,
            END_SESSION,
            EXPORT_CHECKPOINTS ->
            tunnels.ofTable(frame, connection);
        case OPEN_SESSION,
            CLOSE_SESSION,
            HEARTBEAT,
            RELEASE,
            STOP_CHANNEL,
            CHECKPOINT,
            CHECKPOINT_SKIPPING ->
            tunnels.ofSession(frame, connection);
        case DESCRIBE_CLUSTER, DESCRIBE_NODE, DRAIN_NODE, ATTACH ->
            cluster.handle(frame, connection);
        case READ_PARTITION, FIND_POSITIONS, DETACH -> partitions.handle(frame, connection);
        default ->
            throw new RefusedException(
                ErrorCode.UNKNOWN_OPERATION, "a client cannot ask for " + operation);
      }
    } catch (RuntimeException e) {
      connection.refuse(frame, refusals.of(e));
    }
  }

  /** Where a channel ends was pushed, of a channel that this connection is not attached to. */
  void limit(Connection connection, ChannelEnd end) {
    tunnels.limit(end, connection);
  }

  /** The client takes answers again. */
  void takesAnswers(Connection connection) {
    rooms.rows().reads().wake(connection);
  }

  /** The connection is gone, and with it its sessions. */
  void disconnected(Connection connection) {
    rooms.rows().reads().forget(connection);
    tunnels.disconnected(connection);
  }

  /** A channel of a session on the connection cannot be delivered any further. */
  void failed(Connection connection, int handle, RefusedException reason) {
    tunnels.failed(connection, handle, reason);
  }

  /** The connection is attached to a channel, or reads a partition, no more. */
  void detached(Attachment attachment) {
    rooms.reading().ifPresent(reading -> reading.readings().gone(attachment));
    rooms.cluster().attachments().ifPresent(attachments -> attachments.gone(attachment));
  }

  private void write(Frame frame, Connection connection) {
    WriteRequest request = WriteRequest.decode(frame.payload());
    ChangeBatch batch = request.batch();
    TableRecord table = rooms.catalog().table(request.tableId());
    PartitionRecord partition = table.partition(batch.partition());
    boolean isConditional =
        new BatchValidator(table.meta().primaryKey())
            .require(batch, partition.from(), partition.to());
    Durability durability = request.durability().orElse(table.meta().options().durability());
    try {
      rooms
          .rows()
          .homes()
          .of(partition.id())
          .write(
              new PendingWrite(
                  batch,
                  isConditional,
                  durability == Durability.FSYNC,
                  new WriteAnswer(frame, connection, partition.id())));
    } catch (RefusedException e) {
      throw refusals.ofPartition(e, partition.id());
    }
  }

  private final class WriteAnswer implements PendingWrite.Outcome {
    private final Frame frame;
    private final Connection connection;
    private final int partition;

    WriteAnswer(Frame frame, Connection connection, int partition) {
      this.frame = frame;
      this.connection = connection;
      this.partition = partition;
    }

    @Override
    public void written(WriteResult result) {
      connection.respond(frame, result.encode());
    }

    @Override
    public void refused(RefusedException reason) {
      connection.refuse(frame, refusals.ofPartition(reason, partition));
    }
  }

  private final class ReadAnswer implements RowReads.Answer {
    private final Frame frame;
    private final Connection connection;

    ReadAnswer(Frame frame, Connection connection) {
      this.frame = frame;
      this.connection = connection;
    }

    @Override
    public ReadTurns.Asker asker() {
      return connection;
    }

    @Override
    public void read(byte[] payload) {
      connection.respond(frame, payload);
    }

    @Override
    public void failed(RuntimeException reason) {
      connection.refuse(frame, refusals.of(reason));
    }
  }
}
