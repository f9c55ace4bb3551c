package io.tunnel.sdk.testing;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.ClusterControl.Attached;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Credit;
import io.tunnel.wire.FailureControl.Heartbeat;
import io.tunnel.wire.FailureControl.Skip;
import io.tunnel.wire.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.OperatorControl.AlterTable;
import io.tunnel.wire.OperatorControl.ChannelSelection;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.PartitionControl;
import io.tunnel.wire.PartitionControl.FindPositions;
import io.tunnel.wire.PartitionControl.ReadPartition;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.SessionControl;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves what clients ask for, as the faults that a test has ordered let it. */
final class Requests {

  /** Requests that are remembered, as many as by a server. */
  private static final int ANSWERS_MAX = 1_000;

  private static final byte[] NOTHING = Json.encode(new Empty());

  /** What the SDK's workers give a channel, if they are not told otherwise. */
  private static final long CREDIT_BYTES_DEFAULT = 1 << 20;

  private final MemoryService service;
  private final Faults faults;
  private final Runnable onChange;
  private final Set<Peer> peers = new LinkedHashSet<>();
  private final Map<String, byte[]> answersById = new LinkedHashMap<>();
  private long creditBytesMax = CREDIT_BYTES_DEFAULT;

  /** Calls {@code onChange} after whatever may have changed something. */
  Requests(MemoryService service, Faults faults, Runnable onChange) {
    this.service = service;
    this.faults = faults;
    this.onChange = onChange;
  }

  void creditBytesMax(long bytes) {
    creditBytesMax = bytes;
  }

  void connected(Peer peer) {
    peers.add(peer);
  }

  void disconnected(Peer peer) {
    peers.remove(peer);
    service.disconnected(peer);
    onChange.run();
  }

  List<Peer> peers() {
    return new ArrayList<>(peers);
  }

  void credit(Frame frame, Peer peer) {
    Credit credit = Credit.decode(frame.payload());
    if (credit.epoch() == PartitionControl.EPOCH) {
      service
          .readings()
          .of(credit.handle(), peer)
          .ifPresent(reading -> reading.credit(credit.bytes()));
      onChange.run();
      return;
    }
    try {
      Hold hold = service.holds().require(credit.handle(), credit.epoch(), peer, "CREDIT");
      long open = hold.credit(credit.bytes());
      if (open > creditBytesMax) {
        service
            .violations()
            .add(
                Rule.CREDIT,
                "channel "
                    + hold.channel().id()
                    + " was given "
                    + open
                    + " bytes of credit that are not used up; a worker gives "
                    + creditBytesMax
                    + " at most: if it is configured with more, say so with creditBytesMax");
      }
    } catch (RefusedException e) {
      // The channel was taken: as on the server, its credit is ignored.
    }
    onChange.run();
  }

  /** Where a reading ends has become known to its reader. */
  void limit(Frame frame, Peer peer) {
    ChannelEnd end = ChannelEnd.decode(frame.payload());
    service.readings().of(end.handle(), peer).ifPresent(reading -> reading.limit(end.position()));
    onChange.run();
  }

  void handle(Frame frame, Peer peer) {
    Operation operation = frame.operation();
    if (operation == null) {
      String message = "no operation has the code " + frame.operationCode();
      service.violations().add(Rule.PROTOCOL, message);
      peer.refuse(frame, new RefusedException(ErrorCode.UNKNOWN_OPERATION, message));
      return;
    }
    Duration delay = faults.delay(operation);
    if (delay.isZero()) {
      serve(frame, peer);
    } else {
      service.time().after(delay, () -> serve(frame, peer));
      onChange.run();
    }
  }

  private void serve(Frame frame, Peer peer) {
    if (!peers.contains(peer)) {
      return;
    }
    try {
      Optional<ErrorCode> refusal = faults.nextRefusal(frame.operation());
      if (refusal.isPresent()) {
        throw new RefusedException(refusal.get(), "the test wanted this refused");
      }
      switch (frame.operation()) {
        case OPEN_SESSION -> open(frame, peer);
        case WRITE -> write(frame, peer);
        case GET_ROW -> {
          GetRowRequest request = GetRowRequest.decode(frame.payload());
          peer.respond(frame, RowReads.get(service.table(request.tableId()), request));
        }
        case GET_RANGE -> {
          RangeRequest request = RangeRequest.decode(frame.payload());
          peer.respond(frame, RowReads.range(service.table(request.tableId()), request));
        }
        case READ_PARTITION -> {
          ReadPartition request = Json.decode(frame.payload(), ReadPartition.class);
          int handle = service.readings().read(request, service.tables(), peer);
          Optional<Long> incarnation = Optional.of(service.readings().incarnation());
          peer.respond(frame, Json.encode(new Attached(handle, incarnation)));
        }
        case DETACH -> {
          service.readings().detach(ChannelRef.decode(frame.payload()).handle(), peer);
          peer.respond(frame, NOTHING);
        }
        case CLOSE_SESSION, HEARTBEAT, RELEASE, CHECKPOINT, CHECKPOINT_SKIPPING, STOP_CHANNEL -> {
          session(frame, peer);
          peer.respond(frame, NOTHING);
        }
        default -> peer.respond(frame, once(frame));
      }
    } catch (RefusedException e) {
      peer.refuse(frame, e);
    } catch (MalformedException e) {
      malformed(frame, peer, e.code(), e.getMessage());
    } catch (IllegalArgumentException e) {
      malformed(frame, peer, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
    onChange.run();
  }

  /** What was done under the id of a request is not done again, and answered as it was then. */
  private byte[] once(Frame frame) {
    Optional<String> id = Control.RequestId.in(frame.payload()).requestId();
    if (id.isEmpty()) {
      return Json.encode(control(frame));
    }
    byte[] before = answersById.get(id.get());
    if (before != null) {
      return before;
    }
    byte[] answer = Json.encode(control(frame));
    answersById.put(id.get(), answer);
    if (answersById.size() > ANSWERS_MAX) {
      answersById.remove(answersById.keySet().iterator().next());
    }
    return answer;
  }

  private void malformed(Frame frame, Peer peer, ErrorCode code, String message) {
    service
        .violations()
        .add(Rule.PROTOCOL, frame.operation() + " of a payload that is none: " + message);
    peer.refuse(frame, new RefusedException(code, message));
  }

  private void open(Frame frame, Peer peer) {
    MemorySession session =
        service.newSession(Json.decode(frame.payload(), SessionControl.OpenSession.class), peer);
    peer.respond(
        frame,
        Json.encode(
            new SessionControl.SessionOpened(session.id(), session.tunnel().table().meta())));
    session.tunnel().open(session);
  }

  private void write(Frame frame, Peer peer) {
    WriteRequest request = WriteRequest.decode(frame.payload());
    WriteResult result = write(request);
    if (faults.losesAnswer()) {
      peer.close();
    } else {
      peer.respond(frame, result.encode());
    }
  }

  /** Applies a write as it would come from a client. */
  WriteResult write(WriteRequest request) {
    MemoryTable table = service.table(request.tableId());
    MemoryPartition partition = table.partition(request.batch().partition());
    Durability durability = request.durability().orElse(table.meta().options().durability());
    try {
      return partition.write(request.batch(), durability == Durability.FSYNC, service.time());
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.WRONG_PARTITION) {
        service.violations().add(Rule.BATCH, e.getMessage());
      }
      throw e;
    }
  }

  private void session(Frame frame, Peer peer) {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case CLOSE_SESSION -> {
        MemorySession session = session(payload, peer);
        session.tunnel().close(session);
      }
      case HEARTBEAT -> {
        Heartbeat heartbeat = Json.decode(payload, Heartbeat.class);
        MemorySession session = service.session(heartbeat.sessionId(), peer);
        session.renew(service.time().micros());
        session.tunnel().retry(session, heartbeat.retrying());
      }
      case RELEASE -> {
        ChannelRef ref = ChannelRef.decode(payload);
        Hold hold = service.holds().require(ref.handle(), ref.epoch(), peer, "RELEASE");
        hold.session().tunnel().release(hold);
      }
      case CHECKPOINT -> checkpoint(Checkpoint.decode(payload), List.of(), peer);
      case CHECKPOINT_SKIPPING -> {
        SkippingCheckpoint skipping = Json.decode(payload, SkippingCheckpoint.class);
        checkpoint(skipping.checkpoint(), skipping.skipped(), peer);
      }
      default -> {
        SessionControl.StopChannel stop = Json.decode(payload, SessionControl.StopChannel.class);
        Hold hold = service.holds().require(stop.handle(), stop.epoch(), peer, "STOP_CHANNEL");
        hold.session().tunnel().stop(hold, stop.error(), stop.at());
      }
    }
  }

  private MemorySession session(byte[] payload, Peer peer) {
    return service.session(Json.decode(payload, SessionControl.SessionId.class).sessionId(), peer);
  }

  private void checkpoint(Checkpoint checkpoint, List<Skip> skipped, Peer peer) {
    Hold hold =
        service.holds().require(checkpoint.handle(), checkpoint.epoch(), peer, "CHECKPOINT");
    MemoryChannel channel = hold.channel();
    long position = checkpoint.position();
    if (position < channel.checkpointed() || position > hold.delivered()) {
      String message =
          "channel "
              + channel.id()
              + " is checkpointed at "
              + channel.checkpointed()
              + " and delivered up to "
              + hold.delivered()
              + ": a checkpoint at "
              + position
              + " is not between them";
      service.violations().add(Rule.CHECKPOINT, message);
      throw new RefusedException(ErrorCode.INVALID_CHECKPOINT, message);
    }
    hold.session().tunnel().skip(channel, skipped);
    channel.checkpoint(position);
  }

  private Control control(Frame frame) {
    byte[] payload = frame.payload();
    return switch (frame.operation()) {
      case CREATE_TABLE ->
          service.createTable(Json.decode(payload, Control.CreateTable.class)).describe(false);
      case DESCRIBE_TABLE -> table(payload).describe(true);
      case PARTITION_MAP -> table(payload).describe(false);
      case LIST_TABLES ->
          new Control.TableList(service.tables().stream().map(MemoryTable::name).toList());
      case DROP_TABLE -> {
        service.dropTable(table(payload));
        yield new Empty();
      }
      case ALTER_TABLE -> {
        AlterTable alter = Json.decode(payload, AlterTable.class);
        service.table(alter.table()).alter(alter.options());
        yield service.table(alter.table()).describe(false);
      }
      case CREATE_TUNNEL ->
          service.createTunnel(Json.decode(payload, Control.CreateTunnel.class)).info();
      case LIST_TUNNELS -> tunnels(payload);
      case FIND_POSITIONS -> {
        FindPositions find = Json.decode(payload, FindPositions.class);
        yield service.readings().find(find, service.table(find.table()));
      }
      default -> operator(frame);
    };
  }

  private Control tunnels(byte[] payload) {
    Optional<MemoryTable> table =
        payload.length == 0 ? Optional.empty() : Optional.of(table(payload));
    return new Control.TunnelList(service.tunnels(table).stream().map(MemoryTunnel::info).toList());
  }

  private Control operator(Frame frame) {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case DESCRIBE_TUNNEL -> {
        return tunnel(payload).describe();
      }
      case DELETE_TUNNEL -> service.deleteTunnel(tunnel(payload));
      case EXPORT_CHECKPOINTS -> {
        return new Operators(tunnel(payload), service.time()).export();
      }
      case SEEK -> {
        Seek seek = Json.decode(payload, Seek.class);
        return operators(seek.table(), seek.tunnel()).seek(seek);
      }
      case PAUSE, RESUME -> {
        ChannelSelection selection = Json.decode(payload, ChannelSelection.class);
        Operators operators = operators(selection.table(), selection.tunnel());
        if (frame.operation() == Operation.PAUSE) {
          operators.pause(selection);
        } else {
          operators.resume(selection);
        }
      }
      case END_SESSION -> {
        EndSession end = Json.decode(payload, EndSession.class);
        operators(end.table(), end.tunnel()).endSession(end.sessionId());
      }
      default ->
          throw new RefusedException(
              ErrorCode.UNKNOWN_OPERATION, "a client cannot ask for " + frame.operation());
    }
    return new Empty();
  }

  private Operators operators(String table, String tunnel) {
    return new Operators(service.tunnel(table, tunnel), service.time());
  }

  private MemoryTable table(byte[] payload) {
    return service.table(Json.decode(payload, Control.TableName.class).table());
  }

  private MemoryTunnel tunnel(byte[] payload) {
    TunnelName name = Json.decode(payload, TunnelName.class);
    return service.tunnel(name.table(), name.tunnel());
  }
}
