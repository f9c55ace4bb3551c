package io.tunnel.server.net;

import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Shards;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each request to the room that serves it. Rows go to their shard straight from the event
 * loop that received them; all else goes to the control thread.
 */
final class Requests {

  private static final Logger LOGGER = LoggerFactory.getLogger(Requests.class);

  private final Catalog catalog;
  private final Shards shards;
  private final RowReads reads;
  private final ControlRequests control;

  Requests(Catalog catalog, Shards shards, RowReads reads, ControlRequests control) {
    this.catalog = catalog;
    this.shards = shards;
    this.reads = reads;
    this.control = control;
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
            reads.get(GetRowRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
        case GET_RANGE ->
            reads.range(RangeRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
        default -> control.handle(frame, connection);
      }
    } catch (RuntimeException e) {
      connection.refuse(frame, refusal(e));
    }
  }

  /** The connection is gone, and with it its sessions. */
  void disconnected(Connection connection) {
    control.disconnected(connection);
  }

  /** A channel of the connection cannot be delivered any further. */
  void failed(Connection connection, int handle, RefusedException reason) {
    control.failed(connection, handle, reason);
  }

  private void write(Frame frame, Connection connection) {
    WriteRequest request = WriteRequest.decode(frame.payload());
    ChangeBatch batch = request.batch();
    TableRecord table = catalog.table(request.tableId());
    PartitionRecord partition = table.partition(batch.partition());
    boolean isConditional =
        new BatchValidator(table.meta().primaryKey())
            .require(batch, partition.from(), partition.to());
    Durability durability = request.durability().orElse(table.meta().options().durability());
    shards
        .of(partition.id())
        .write(
            new PendingWrite(
                batch,
                isConditional,
                durability == Durability.FSYNC,
                new WriteAnswer(frame, connection)));
  }

  /**
   * What is said of a failure: refusals as they are, malformed payloads as such, all else as
   * INTERNAL, and logged.
   */
  static RefusedException refusal(RuntimeException failure) {
    if (failure instanceof RefusedException refused) {
      return refused;
    }
    if (failure instanceof MalformedException malformed) {
      return new RefusedException(malformed.code(), malformed.getMessage());
    }
    if (failure instanceof IllegalArgumentException) {
      return new RefusedException(ErrorCode.INVALID_REQUEST, failure.getMessage());
    }
    LOGGER.error("a request failed", failure);
    return new RefusedException(ErrorCode.INTERNAL, "the server failed: " + failure);
  }

  private record WriteAnswer(Frame frame, Connection connection) implements PendingWrite.Outcome {

    @Override
    public void written(WriteResult result) {
      connection.respond(frame, result.encode());
    }

    @Override
    public void refused(RefusedException reason) {
      connection.refuse(frame, reason);
    }
  }

  private record ReadAnswer(Frame frame, Connection connection) implements RowReads.Answer {

    @Override
    public void read(byte[] payload) {
      connection.respond(frame, payload);
    }

    @Override
    public void failed(RuntimeException reason) {
      connection.refuse(frame, refusal(reason));
    }
  }
}
