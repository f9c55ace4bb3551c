package io.tunnel.sdk.testing;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.SessionProof;
import io.tunnel.core.StopReason;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.RowReads;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Serves the requests of clients, subject to the faults that the test has ordered. */
final class Requests {

  /** How many request ids are remembered, as on a server. */
  private static final int ANSWERS_MAX = 1_000;

  private static final byte[] NOTHING = Json.encode(new Empty());

  /** The default credit of a channel in the SDK's workers. */
  private static final long CREDIT_BYTES_DEFAULT = 1 << 20;

  private final MemoryService service;
  private final Faults faults;
  private final Runnable onChange;
  private final Set<Peer> peers = new LinkedHashSet<>();
  private final Map<String, byte[]> answersById = new LinkedHashMap<>();
  private int crashes;
  private long creditBytesMax = CREDIT_BYTES_DEFAULT;

  /** Calls {@code onChange} after each possible change. */
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

  /** Drops delayed requests, because the server's process has died. */
  void crashed() {
    crashes++;
    peers().forEach(Peer::close);
  }

  void credit(Frame frame, Peer peer) {
    Credit credit = Credit.decode(frame.payload());
    if (credit.epoch() == PartitionControl.EPOCH) {
      service.readings().of(credit.handle(), peer).ifPresent(to -> to.credit(credit.bytes()));
    } else {
      service.holds().credited(credit, peer).ifPresent(hold -> credit(hold, credit));
    }
    onChange.run();
  }

  private void credit(Hold hold, Credit credit) {
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
                  + " bytes of unused credit, but a worker gives at most "
                  + creditBytesMax
                  + ": for a worker configured with more, call creditBytesMax");
    }
  }

  /** Ends a reading at the position that its reader has found. */
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
    try {
      operation.requireSize(frame.payload());
    } catch (RefusedException e) {
      service.violations().add(Rule.PROTOCOL, e.getMessage());
      peer.refuse(frame, e);
      return;
    }
    Duration delay = faults.delay(operation);
    if (delay.isZero()) {
      serve(frame, peer);
    } else {
      int crashesBefore = crashes;
      service
          .time()
          .after(
              delay,
              () -> {
                if (crashes == crashesBefore) {
                  serve(frame, peer);
                }
              });
      onChange.run();
    }
  }

  private void serve(Frame frame, Peer peer) {
    // A write that has arrived whole is applied, even if its client has left.
    if (!peers.contains(peer) && frame.operation() != Operation.WRITE) {
      return;
    }
    try {
      Optional<ErrorCode> refusal = faults.nextRefusal(frame.operation());
      if (refusal.isPresent()) {
        throw new RefusedException(refusal.get(), "the test wanted this refused");
      }
      serve(frame.operation(), frame, peer);
    } catch (RefusedException e) {
      peer.refuse(frame, e);
    } catch (MalformedException e) {
      malformed(frame, peer, e.code(), e.getMessage());
    } catch (IllegalArgumentException e) {
      malformed(frame, peer, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
    onChange.run();
  }

  private void serve(Operation operation, Frame frame, Peer peer) {
    byte[] payload = frame.payload();
    switch (operation) {
      case CREATE_TABLE ->
          once(
              frame,
              peer,
              () ->
                  service
                      .createTable(Json.decode(payload, Control.CreateTable.class))
                      .describe(false));
      case ALTER_TABLE -> once(frame, peer, () -> alter(payload));
      case DROP_TABLE -> once(frame, peer, () -> done(() -> service.dropTable(table(payload))));
      case DESCRIBE_TABLE -> once(frame, peer, () -> table(payload).describe(true));
      case PARTITION_MAP -> once(frame, peer, () -> table(payload).describe(false));
      case LIST_TABLES ->
          once(
              frame,
              peer,
              () ->
                  new Control.TableList(service.tables().stream().map(MemoryTable::name).toList()));

      case WRITE -> write(frame, peer);
      case OPEN_WRITER -> {
        WriterToken.Request request = WriterToken.Request.decode(payload);
        var unused = service.table(request.tableId());
        WriterToken token = WriterToken.of(service.time().micros(), request.secret());
        peer.respond(frame, token.bytes().toByteArray());
      }
      case OPEN_ROW_SESSION,
          RENEW_ROW_SESSION,
          CLOSE_ROW_SESSION,
          LIST_ROW_SESSIONS,
          END_ROW_SESSION ->
          peer.respond(frame, service.rowSessions().serve(operation, payload, peer));
      case GET_ROW -> {
        GetRowRequest request = GetRowRequest.decode(payload);
        peer.respond(frame, RowReads.get(service.table(request.tableId()), request));
      }
      case GET_ROWS -> {
        GetRowsRequest request = GetRowsRequest.decode(payload);
        peer.respond(frame, RowReads.getAll(service.table(request.tableId()), request));
      }
      case GET_RANGE -> {
        RangeRequest request = RangeRequest.decode(payload);
        peer.respond(frame, RowReads.range(service.table(request.tableId()), request));
      }

      case CREATE_TUNNEL ->
          once(
              frame,
              peer,
              () -> service.createTunnel(Json.decode(payload, Control.CreateTunnel.class)).info());
      case DESCRIBE_TUNNEL -> once(frame, peer, () -> tunnel(payload).describe());
      case LIST_TUNNELS -> once(frame, peer, () -> tunnels(payload));
      case DELETE_TUNNEL ->
          once(frame, peer, () -> done(() -> service.deleteTunnel(tunnel(payload))));
      case SEEK -> once(frame, peer, () -> seek(payload));
      case PAUSE -> once(frame, peer, () -> select(payload, Operators::pause));
      case RESUME -> once(frame, peer, () -> select(payload, Operators::resume));
      case END_SESSION -> once(frame, peer, () -> endSession(payload));
      case EXPORT_CHECKPOINTS -> once(frame, peer, () -> operators(tunnel(payload)).export());

      case OPEN_SESSION -> open(frame, peer);
      case CLOSE_SESSION -> closeSession(frame, peer);
      case HEARTBEAT -> heartbeat(frame, peer);
      case RELEASE -> release(frame, peer);
      case STOP_CHANNEL -> stop(frame, peer);
      case CHECKPOINT -> checkpoint(Checkpoint.decode(payload), List.of(), frame, peer);
      case CHECKPOINT_SKIPPING -> {
        SkippingCheckpoint skipping = Json.decode(payload, SkippingCheckpoint.class);
        checkpoint(skipping.checkpoint(), skipping.skipped(), frame, peer);
      }
      case READ_PARTITION, WATCH -> read(frame, peer);
      case ATTACH -> {
        int handle = service.holds().attach(Json.decode(payload, Attach.class), peer);
        peer.respond(frame, Json.encode(new Attached(handle)));
      }
      case DETACH -> {
        int handle = ChannelRef.decode(payload).handle();
        service.readings().detach(handle, peer);
        service.holds().attached(handle, peer).ifPresent(Hold::detach);
        peer.respond(frame, NOTHING);
      }
      case FIND_POSITIONS -> once(frame, peer, () -> find(payload));
      case ECHO -> peer.respond(frame, EchoRequest.decode(payload).answer());
      case WHO_AM_I ->
          once(
              frame,
              peer,
              () -> new SecurityControl.Identity(peer.principal(), List.of(), List.of(), true));

      case AUTHENTICATE,
          CREATE_KEY,
          LIST_KEYS,
          REVOKE_KEY,
          ROTATE_KEY,
          GRANT,
          WITHDRAW,
          LIST_PERMISSIONS,
          CHANGE_GROUP,
          LIST_GROUPS,
          CREATE_TOKEN,
          LIST_TOKENS,
          REVOKE_TOKEN,
          SET_QUOTA,
          LIST_QUOTAS ->
          throw notAsked(peer);
      case HELLO,
          DESCRIBE_CLUSTER,
          DESCRIBE_NODE,
          DRAIN_NODE,
          UPGRADE,
          LOOK,
          ASSIGN,
          REVOKE,
          DELIVER,
          CREDIT,
          END_OF_CHANNEL,
          FENCE,
          SESSION_END,
          LIMIT,
          RENEW,
          SETTLED ->
          throw new RefusedException(
              ErrorCode.UNKNOWN_OPERATION, "a client cannot ask for " + operation);
    }
  }

  /** Runs an action once per request id; a repetition gets the first answer. */
  private void once(Frame frame, Peer peer, Supplier<Control> action) {
    Optional<String> id = Control.RequestId.in(frame.payload()).requestId();
    byte[] before = id.map(answersById::get).orElse(null);
    if (before != null) {
      peer.respond(frame, before);
      return;
    }
    byte[] answer = Json.encode(action.get());
    if (id.isPresent()) {
      answersById.put(id.get(), answer);
      if (answersById.size() > ANSWERS_MAX) {
        answersById.remove(answersById.keySet().iterator().next());
      }
    }
    peer.respond(frame, answer);
  }

  private static Control done(Runnable action) {
    action.run();
    return new Empty();
  }

  private Control alter(byte[] payload) {
    AlterTable alter = Json.decode(payload, AlterTable.class);
    service.table(alter.table()).alter(alter.options());
    return service.table(alter.table()).describe(false);
  }

  private Control seek(byte[] payload) {
    Seek seek = Json.decode(payload, Seek.class);
    return operators(seek.table(), seek.tunnel()).seek(seek);
  }

  private Control select(byte[] payload, BiConsumer<Operators, ChannelSelection> action) {
    ChannelSelection selection = Json.decode(payload, ChannelSelection.class);
    return done(() -> action.accept(operators(selection.table(), selection.tunnel()), selection));
  }

  private Control endSession(byte[] payload) {
    EndSession end = Json.decode(payload, EndSession.class);
    return done(() -> operators(end.table(), end.tunnel()).endSession(end.sessionId()));
  }

  private void read(Frame frame, Peer peer) {
    boolean isWatch = frame.operation() == Operation.WATCH;
    Optional<Watch> watch =
        isWatch ? Optional.of(Json.decode(frame.payload(), Watch.class)) : Optional.empty();
    ReadPartition request =
        watch.map(Watch::read).orElseGet(() -> Json.decode(frame.payload(), ReadPartition.class));
    int handle = service.readings().read(request, watch.map(Watch::terms), service.tables(), peer);
    Optional<Long> incarnation = Optional.of(service.readings().incarnation());
    peer.respond(frame, Json.encode(new Attached(handle, incarnation)));
  }

  private Control find(byte[] payload) {
    FindPositions find = Json.decode(payload, FindPositions.class);
    return service.readings().find(find, service.table(find.table()));
  }

  private void malformed(Frame frame, Peer peer, ErrorCode code, String message) {
    service
        .violations()
        .add(Rule.PROTOCOL, frame.operation() + " with a malformed payload: " + message);
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
    SessionProof.of(request.batch()).ifPresent(proof -> service.rowSessions().require(proof, peer));
    WriteResult result = write(request);
    if (faults.doubts()) {
      peer.refuse(frame, new RefusedException(ErrorCode.STORAGE_FAILED, "a test is in doubt"));
    } else if (faults.losesAnswer()) {
      peer.close();
    } else {
      peer.respond(frame, result.encode());
    }
  }

  /** Applies a write as from a client. */
  WriteResult write(WriteRequest request) {
    MemoryTable table = service.table(request.tableId());
    MemoryPartition partition = table.partition(request.batch().partition());
    Durability durability = request.durability().orElse(table.meta().options().durability());
    try {
      return partition.write(request.batch(), durability == Durability.FSYNC, service.time());
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.WRONG_PARTITION && e.code() != ErrorCode.LIMIT_REACHED) {
        service.violations().add(Rule.BATCH, e.getMessage());
      }
      throw e;
    }
  }

  private void closeSession(Frame frame, Peer peer) {
    MemorySession session = session(frame.payload(), peer);
    session.tunnel().close(session);
    peer.respond(frame, NOTHING);
  }

  private void heartbeat(Frame frame, Peer peer) {
    Heartbeat heartbeat = Json.decode(frame.payload(), Heartbeat.class);
    MemorySession session = service.session(heartbeat.sessionId(), peer);
    session.tunnel().renew(session);
    session.tunnel().retry(session, heartbeat.retrying());
    peer.respond(frame, NOTHING);
  }

  private void release(Frame frame, Peer peer) {
    ChannelRef ref = ChannelRef.decode(frame.payload());
    Hold hold = service.holds().require(ref.handle(), ref.epoch(), peer, "RELEASE");
    hold.session().tunnel().release(hold);
    peer.respond(frame, NOTHING);
  }

  private void stop(Frame frame, Peer peer) {
    SessionControl.StopChannel stop =
        Json.decode(frame.payload(), SessionControl.StopChannel.class);
    if (!service.holds().isUnreadable(stop.handle(), stop.epoch(), peer)) {
      Hold hold = service.holds().require(stop.handle(), stop.epoch(), peer, "STOP_CHANNEL");
      hold.session().tunnel().stop(hold, new StopReason(stop.error(), stop.at()));
    }
    peer.respond(frame, NOTHING);
  }

  private MemorySession session(byte[] payload, Peer peer) {
    return service.session(Json.decode(payload, SessionControl.SessionId.class).sessionId(), peer);
  }

  private void checkpoint(Checkpoint checkpoint, List<Skip> skipped, Frame frame, Peer peer) {
    Hold hold =
        service.holds().require(checkpoint.handle(), checkpoint.epoch(), peer, "CHECKPOINT");
    hold.session().tunnel().checkpoint(hold, checkpoint.position(), skipped);
    peer.respond(frame, NOTHING);
  }

  private Control tunnels(byte[] payload) {
    Optional<MemoryTable> table =
        payload.length == 0 ? Optional.empty() : Optional.of(table(payload));
    return new Control.TunnelList(service.tunnels(table).stream().map(MemoryTunnel::info).toList());
  }

  private Operators operators(String table, String tunnel) {
    return operators(service.tunnel(table, tunnel));
  }

  private Operators operators(MemoryTunnel tunnel) {
    return new Operators(tunnel, service.time(), service.readings());
  }

  private MemoryTable table(byte[] payload) {
    return service.table(Json.decode(payload, Control.TableName.class).table());
  }

  private MemoryTunnel tunnel(byte[] payload) {
    TunnelName name = Json.decode(payload, TunnelName.class);
    return service.tunnel(name.table(), name.tunnel());
  }

  private static RefusedException notAsked(Peer peer) {
    return peer.principal().isPresent()
        ? new RefusedException(
            ErrorCode.NOT_PERMITTED,
            "the test changes the keys of the test kit: withKey and revokeKey")
        : new RefusedException(
            ErrorCode.NOT_AUTHENTICATED, "the test kit authenticates no clients");
  }
}
