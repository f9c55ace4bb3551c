package io.tunnel.server.net;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.net.access.Administration;
import io.tunnel.server.net.access.Authority;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.Pace;
import io.tunnel.server.net.access.SessionOwners;
import io.tunnel.server.net.access.Shares.Use;
import io.tunnel.server.partition.read.ReadTurns;
import io.tunnel.server.partition.read.RowReads;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Dispatches each request to the room that serves it. The event loop passes writes, reads and
 * requests to attach directly to the partition's host; a control thread serves the rest. What the
 * event loop would parse for too long, another thread passes on: see {@link LongRequests}.
 */
final class Requests {

  /** Bytes of requests for a principal's permissions that are under way. */
  private static final long IDENTIFIED_BYTES_MAX = 2L * Frame.PAYLOAD_BYTES_MAX;

  /** Requests for rows that are charged when they are answered. */
  private static final Set<Operation> READS =
      EnumSet.of(Operation.GET_ROW, Operation.GET_ROWS, Operation.GET_RANGE);

  private final NetServer.Rooms rooms;
  private final Authority authority;
  private final Administration administration;

  private final LongRequests longRequests;

  private final RequestThreads served;

  /** Turns of requests for a principal's permissions, which search all permissions. */
  private final Turns identified;

  private final Refusals refusals;
  private final WriteRequests writes;
  private final RowSessionRequests rowSessions;
  private final TableRequests tables;
  private final TunnelRequests tunnels;
  private final SessionRequests sessions;
  private final ClusterRequests cluster;
  private final PartitionRequests partitions;
  private final LookRequests looks;

  /** Serves a gate without authentication. */
  Requests(NetServer.Rooms rooms, NetServer.Threads threads) {
    this(rooms, threads, Gate.open());
  }

  Requests(NetServer.Rooms rooms, NetServer.Threads threads, Gate gate) {
    this(rooms, threads, gate, unused -> {});
  }

  /**
   * Serves clients that {@code gate} lets in.
   *
   * @param malformed receives the reason of each refusal of a payload that no client may send
   */
  Requests(
      NetServer.Rooms rooms, NetServer.Threads threads, Gate gate, Consumer<String> malformed) {
    this.rooms = rooms;
    this.authority = new Authority(rooms.catalog());
    this.longRequests = new LongRequests(threads.readers());
    this.identified = new Turns(threads.readers(), IDENTIFIED_BYTES_MAX);
    this.refusals = new Refusals(rooms.cluster(), malformed);
    this.served =
        new RequestThreads(
            threads.control(), threads.readers(), threads.epochMicros()::getAsLong, refusals);
    this.administration = new Administration(rooms.catalog(), gate, served.clock()::epochMs);
    this.rowSessions = new RowSessionRequests(rooms, served, administration);
    rooms.rows().sessions().ifPresent(all -> all.ownedBy(new SessionOwners(gate, rooms.catalog())));
    this.writes = new WriteRequests(rooms, refusals, threads.epochMicros());
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
            served,
            rooms.cluster());
    HostRequests hosts = new HostRequests(rooms.tunnels().hosts(), served);
    this.tunnels = new TunnelRequests(hosts, rooms.tunnels());
    this.sessions = new SessionRequests(hosts);
    this.cluster = new ClusterRequests(rooms.cluster(), rooms.catalog(), served);
    this.partitions =
        new PartitionRequests(rooms.catalog(), rooms.delivery(), served, rooms.cluster()::levels);
    this.looks =
        new LookRequests(rooms.cluster(), new NodeSeals(rooms.catalog()), served.clock(), refusals);
    if (!gate.isOpen()) {
      rooms.catalog().holdings().exempt(gate::isAdministrator);
    }
  }

  /** An administrative request. */
  @FunctionalInterface
  private interface Administered {
    Control serve(byte[] payload, Caller caller) throws IOException;
  }

  /** Answers requests for the figures of this node with these from now on. */
  void figures(Supplier<Optional<NodeFigures>> now) {
    cluster.figures(now);
  }

  /**
   * Checks that a LOOK comes from a node of this cluster.
   *
   * @throws RefusedException NOT_PERMITTED for a wrong seal, BUSY while the catalog is not read
   */
  void requireNode(byte[] payload) {
    looks.requireNode(payload);
  }

  /** Serves a request; its answer goes to {@code connection}, now or later. */
  void handle(Frame frame, Connection connection) {
    Operation operation = frame.operation();
    try {
      if (operation == null) {
        throw new RefusedException(
            ErrorCode.UNKNOWN_OPERATION, "there is no operation " + frame.operationCode());
      }
      operation.requireSize(frame.payload());
      if (LongRequests.areTooLong(operation, frame.payload(), connection.open())) {
        longRequests.begin(frame, connection, () -> decide(operation, frame, connection));
      } else {
        decide(operation, frame, connection);
      }
    } catch (RuntimeException e) {
      connection.refuse(frame, refusals.of(e));
    }
  }

  /** Whether quotas of rows let a request begin; {@code isAlone} without another under way. */
  boolean mayServe(Frame frame, boolean isAlone, Pace pace) {
    if (frame.operation() == Operation.WRITE) {
      return table(frame).map(table -> pace.mayUse(frame, table, Use.WRITTEN)).orElse(true);
    }
    return tableRead(frame)
        .map(
            table -> (isAlone || !pace.readsOneByOne(table)) && pace.mayUse(frame, table, Use.READ))
        .orElse(true);
  }

  /** The table whose rows a request reads. */
  private Optional<String> tableRead(Frame frame) {
    return READS.contains(frame.operation()) ? table(frame) : Optional.empty();
  }

  /** The table of a request for rows, which stands first in it. */
  private Optional<String> table(Frame frame) {
    return frame.payload().length < Integer.BYTES
        ? Optional.empty()
        : rooms.catalog().find(Binary.getInt(frame.payload(), 0)).map(table -> table.meta().name());
  }

  /** A request was answered, or gets no answer. For any thread. */
  void answered(Frame frame) {
    longRequests.answered(frame);
  }

  private void decide(Operation operation, Frame frame, Connection connection) {
    try {
      authority.require(operation, frame.payload(), connection.caller());
      serve(operation, frame, connection);
    } catch (RuntimeException e) {
      connection.refuse(frame, refusals.of(e));
    }
  }

  private void serve(Operation operation, Frame frame, Connection connection) {
    switch (operation) {
      case CREATE_TABLE -> tables.create(frame, connection);
      case ALTER_TABLE -> tables.alter(frame, connection);
      case DROP_TABLE -> tables.drop(frame, connection);
      case PARTITION_MAP -> tables.map(frame, connection);
      case LIST_TABLES -> tables.list(frame, connection);
      case DESCRIBE_TABLE -> tables.describe(frame, connection);

      case WRITE -> writes.write(frame, connection);
      case OPEN_WRITER -> writes.openWriter(frame, connection);
      case OPEN_ROW_SESSION -> rowSessions.open(frame, connection);
      case RENEW_ROW_SESSION -> rowSessions.renew(frame, connection);
      case CLOSE_ROW_SESSION -> rowSessions.close(frame, connection);
      case LIST_ROW_SESSIONS -> rowSessions.list(frame, connection);
      case END_ROW_SESSION -> rowSessions.end(frame, connection);
      case GET_ROW ->
          rooms
              .rows()
              .reads()
              .get(GetRowRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
      case GET_ROWS ->
          rooms
              .rows()
              .reads()
              .getAll(GetRowsRequest.decode(frame.payload()), new ReadAnswer(frame, connection));
      case GET_RANGE ->
          rooms
              .rows()
              .reads()
              .range(RangeRequest.decode(frame.payload()), new ReadAnswer(frame, connection));

      case CREATE_TUNNEL -> tunnels.create(frame, connection);
      case DESCRIBE_TUNNEL -> tunnels.describe(frame, connection);
      case LIST_TUNNELS -> tunnels.list(frame, connection);
      case DELETE_TUNNEL -> tunnels.delete(frame, connection);
      case SEEK -> tunnels.seek(frame, connection);
      case PAUSE -> tunnels.pause(frame, connection);
      case RESUME -> tunnels.resume(frame, connection);
      case END_SESSION -> tunnels.endSession(frame, connection);
      case EXPORT_CHECKPOINTS -> tunnels.export(frame, connection);

      case OPEN_SESSION -> sessions.open(frame, connection);
      case CLOSE_SESSION -> sessions.close(frame, connection);
      case HEARTBEAT -> sessions.heartbeat(frame, connection);
      case RELEASE -> sessions.release(frame, connection);
      case STOP_CHANNEL -> sessions.stop(frame, connection);
      case CHECKPOINT -> sessions.checkpoint(frame, connection);
      case CHECKPOINT_SKIPPING -> sessions.checkpointSkipping(frame, connection);

      case ATTACH -> partitions.attach(frame, connection);
      case DETACH -> partitions.detach(frame, connection);
      case READ_PARTITION -> partitions.read(frame, connection);
      case WATCH -> partitions.watch(frame, connection);
      case FIND_POSITIONS -> partitions.find(frame, connection);

      case DESCRIBE_CLUSTER -> cluster.describe(frame, connection);
      case DESCRIBE_NODE -> cluster.describeNode(frame, connection);
      case DRAIN_NODE -> cluster.drain(frame, connection);
      case UPGRADE -> cluster.upgrade(frame, connection);
      case LOOK -> looks.look(frame, connection);

      case ECHO -> connection.respond(frame, EchoRequest.decode(frame.payload()).answer());

      case WHO_AM_I ->
          identified.run(
              connection.owner(),
              frame.payload().length,
              () -> answer(frame, connection, (unused, caller) -> administration.identity(caller)),
              () -> connection.refuse(frame, RequestThreads.busy()));
      case CREATE_KEY -> administer(frame, connection, administration::createKey);
      case LIST_KEYS -> list(frame, connection, administration::listKeys);
      case REVOKE_KEY -> administer(frame, connection, administration::revokeKey);
      case ROTATE_KEY -> administer(frame, connection, administration::rotateKey);
      case GRANT -> administer(frame, connection, administration::grant);
      case WITHDRAW -> administer(frame, connection, administration::withdraw);
      case LIST_PERMISSIONS -> list(frame, connection, administration::listPermissions);
      case CHANGE_GROUP -> administer(frame, connection, administration::changeGroup);
      case LIST_GROUPS -> list(frame, connection, administration::listGroups);
      case CREATE_TOKEN -> administer(frame, connection, administration::createToken);
      case LIST_TOKENS -> list(frame, connection, administration::listTokens);
      case REVOKE_TOKEN -> administer(frame, connection, administration::revokeToken);
      case SET_QUOTA -> administer(frame, connection, administration::setQuota);
      case LIST_QUOTAS -> list(frame, connection, administration::listQuotas);
      case AUTHENTICATE ->
          throw new RefusedException(
              ErrorCode.NOT_AUTHENTICATED,
              "the client is authenticated already, or this server asks nobody who they are;"
                  + " leave the key out of the client's profile");

      case HELLO,
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

  /** The position of the last delivered change of a channel that the connection delivers. */
  OptionalLong delivered(Connection connection, String channelId, long epoch) {
    return rooms.delivery().attachments().delivered(channelId, epoch, connection.deliveries());
  }

  /** Passes a newer grant to an attached channel. */
  void renew(Connection connection, Renewal renewal) {
    rooms.delivery().attachments().renew(renewal, connection.deliveries());
  }

  /** Passes a newer grant of a channel that a session on the connection holds. */
  void renewHeld(Connection connection, Renewal renewal) {
    rooms.delivery().attachments().renewHeld(renewal, connection.deliveries());
  }

  /** Ends deliveries of a channel that a session on the connection lost or must give back. */
  void release(Connection connection, int handle) {
    rooms.delivery().attachments().release(handle, connection.deliveries());
  }

  /** The table of a partition; empty when it was dropped. */
  Optional<String> table(int partition) {
    return rooms.catalog().hasPartition(partition)
        ? Optional.of(rooms.catalog().tableOfPartition(partition).meta().name())
        : Optional.empty();
  }

  /** Takes the end of a channel that this connection is not attached to. */
  void limit(Connection connection, ChannelEnd end) {
    sessions.limit(end, connection);
  }

  /** The client reads its answers again. */
  void takesAnswers(Connection connection) {
    rooms.rows().reads().wake(connection);
  }

  /** The connection is closed; ends its sessions. */
  void disconnected(Connection connection) {
    rooms.rows().reads().forget(connection);
    sessions.disconnected(connection);
  }

  private void administer(Frame frame, Connection connection, Administered service) {
    served.post(served.control(), frame, connection, () -> answer(frame, connection, service));
  }

  private void list(Frame frame, Connection connection, Function<byte[], Control> service) {
    administer(frame, connection, (payload, caller) -> service.apply(payload));
  }

  private void answer(Frame frame, Connection connection, Administered service) {
    try {
      connection.respond(frame, Json.encode(service.serve(frame.payload(), connection.caller())));
    } catch (IOException | RuntimeException e) {
      connection.refuse(frame, refusals.ofCatalog(frame, e));
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
    public void read(byte[] payload, RowPage.Looked looked) {
      if (connection.caller().principal().isPresent()) {
        count(payload.length, looked);
      }
      connection.respond(frame, payload);
    }

    private void count(int payloadBytes, RowPage.Looked looked) {
      tableRead(frame)
          .ifPresent(
              table -> connection.pace().read(connection.caller(), table, looked, payloadBytes));
    }

    @Override
    public void failed(RuntimeException reason) {
      connection.refuse(frame, refusals.of(reason));
    }
  }
}
