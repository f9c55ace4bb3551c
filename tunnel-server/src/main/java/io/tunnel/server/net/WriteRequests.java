package io.tunnel.server.net;

import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.SessionProof;
import io.tunnel.codec.WriterNumber;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.net.access.Authority;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.session.RowSessionHost;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.RowPage.Looked;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Serves the requests of writers: checks each batch on the event loop. */
final class WriteRequests {

  private final NetServer.Rooms rooms;
  private final Refusals refusals;
  private final LongSupplier epochMicros;

  WriteRequests(NetServer.Rooms rooms, Refusals refusals, LongSupplier epochMicros) {
    this.rooms = rooms;
    this.refusals = refusals;
    this.epochMicros = epochMicros;
  }

  /** Dates the id of a writer. */
  void openWriter(Frame frame, Connection connection) {
    WriterToken.Request request = WriterToken.Request.decode(frame.payload());
    var unused = rooms.catalog().table(request.tableId());
    requireWriters();
    connection.respond(
        frame, WriterToken.of(epochMicros.getAsLong(), request.secret()).bytes().toByteArray());
  }

  /** Refuses writers that number, where the level does not have them. */
  private void requireWriters() {
    rooms.cluster().levels().require(FormatFeature.WRITER);
  }

  /** Passes a batch to the host of its partition. */
  void write(Frame frame, Connection connection) {
    WriteRequest request = WriteRequest.decode(frame.payload());
    ChangeBatch batch = request.batch();
    TableRecord table = rooms.catalog().table(request.tableId());
    PartitionRecord partition = table.partition(batch.partition());
    BatchValidator.Checked checked =
        new BatchValidator(table.meta().primaryKey())
            .require(batch, partition.from(), partition.to());
    if (batch.isAtomic()) {
      RowFeature.ATOMIC_BATCHES.require(rooms.cluster());
    }
    Optional<PartitionHost> ofBound = checked.session().map(proof -> host(partition.id()));
    if (!checked
        .session()
        .map(proof -> isAdmitted(proof, partition.id(), frame, connection))
        .orElse(true)) {
      return;
    }
    checked.newest().ifPresent(feature -> rooms.cluster().levels().require(feature));
    Optional<Numbered> writer = checked.writer().map(by -> numbered(by, connection));
    if (checked.asksForColumns()) {
      // Whoever learns whether a condition on columns holds, or an increment fits, reads these.
      Authority.table(Right.READ, table.meta().name(), connection.caller());
    }
    if (checked.asksForColumns() || checked.mustJudge()) {
      connection.pace().requireReads(table.meta().name());
    }
    connection
        .pace()
        .used(
            connection.caller(),
            table.meta().name(),
            Shares.Use.WRITTEN,
            batch.rowCount(),
            frame.payload().length);
    WriteAnswer answer = new WriteAnswer(frame, connection, partition.id(), table.meta().name());
    Durability durability = request.durability().orElse(table.meta().options().durability());
    boolean isGiven = false;
    try {
      ofBound
          .orElseGet(() -> rooms.rows().hosts().of(partition.id()))
          .write(
              new PendingWrite(
                  checked.session().isPresent() ? SessionProof.without(batch) : batch,
                  new PendingWrite.Judging(
                      ConditionPlace.ofRows(table.meta().primaryKey()),
                      checked.mustJudge() || table.meta().options().ttlMs().isPresent(),
                      checked.columnSizes(),
                      checked
                          .session()
                          .map(proof -> new PendingWrite.Binding(proof.session(), false))),
                  writer,
                  durability == Durability.FSYNC,
                  answer));
      isGiven = true;
    } catch (RefusedException e) {
      throw refusals.ofPartition(e, partition.id());
    } finally {
      if (!isGiven) {
        rooms.rows().waits().refused();
      }
    }
  }

  private PartitionHost host(int partition) {
    try {
      return rooms.rows().hosts().of(partition);
    } catch (RefusedException e) {
      throw refusals.ofPartition(e, partition);
    }
  }

  /**
   * Whether rows may be bound to a session now. Otherwise the request is served again, or refused,
   * when this node has read the catalog. The host of the partition was looked up before.
   */
  private boolean isAdmitted(
      SessionProof proof, int partition, Frame frame, Connection connection) {
    RowSessionHost sessions = RowSessionRequests.of(rooms);
    if (sessions.admits(partition, proof, connection.caller().name())) {
      return true;
    }
    sessions.whenRead(
        partition,
        proof.session(),
        refusal -> connection.execute(() -> again(refusal, frame, connection)));
    return false;
  }

  private void again(Optional<RefusedException> refusal, Frame frame, Connection connection) {
    try {
      if (refusal.isPresent()) {
        throw refusal.get();
      }
      write(frame, connection);
    } catch (RuntimeException e) {
      connection.refuse(frame, refusals.of(e));
    }
  }

  private Numbered numbered(WriterNumber by, Connection connection) {
    requireWriters();
    Bytes writer = new WriterToken(by.token()).writer(connection.caller().name());
    return new Numbered(writer, by.number(), by.after());
  }

  private final class WriteAnswer implements PendingWrite.Outcome {
    private final Frame frame;
    private final Connection connection;
    private final int partition;
    private final String table;
    private final long beganNanos = rooms.rows().waits().begin();

    /** Bytes of stored rows that are charged already. */
    private long lookedBytes;

    WriteAnswer(Frame frame, Connection connection, int partition, String table) {
      this.frame = frame;
      this.connection = connection;
      this.partition = partition;
      this.table = table;
    }

    @Override
    public void looked(Looked looked) {
      lookedBytes += looked.bytes();
      read(looked.rows(), looked.bytes());
    }

    /** Charges a read: what a write learns of stored rows costs what a request for them costs. */
    private void read(long rows, long bytes) {
      connection.pace().used(connection.caller(), table, Shares.Use.READ, rows, bytes);
    }

    @Override
    public void written(WriteResult result) {
      rooms.rows().waits().written(beganNanos);
      long returnedBytes = ReturnedRow.bytes(result.returned());
      if (returnedBytes > lookedBytes) {
        read(0, returnedBytes - lookedBytes);
      }
      connection.respond(frame, result.encode());
    }

    @Override
    public void refused(RefusedException reason) {
      rooms.rows().waits().refused();
      connection.refuse(frame, refusals.ofPartition(reason, partition));
    }
  }
}
