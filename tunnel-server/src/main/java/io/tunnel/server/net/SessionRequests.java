package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionId;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.List;
import java.util.Optional;

/**
 * Serves requests about a session, or about a channel that a session holds, on the host's thread.
 */
final class SessionRequests {

  private final HostRequests hosts;

  SessionRequests(HostRequests hosts) {
    this.hosts = hosts;
  }

  void open(Frame frame, Connection connection) {
    OpenSession request = Json.decode(frame.payload(), OpenSession.class);
    hosts.on(
        hosts.all().ofTunnel(request.tunnelId()),
        frame,
        connection,
        host -> {
          requireConsuming(host, request.tunnelId(), connection);
          host.coordinator()
              .open(
                  request,
                  connection.sessions(),
                  opened -> connection.respond(frame, Json.encode(opened)));
        });
  }

  /**
   * Refuses a client without the right to consume; as if the id did not exist when the client may
   * not see the tunnel.
   */
  private static void requireConsuming(TunnelHost host, String tunnelId, Connection connection) {
    TunnelInfo tunnel = host.catalog().tunnel(tunnelId);
    if (!connection.caller().sees(tunnel.table(), tunnel.tunnel())) {
      throw new RefusedException(
          ErrorCode.TUNNEL_NOT_FOUND, "there is no tunnel with id '" + tunnelId + "'");
    }
    connection
        .held()
        .begin(connection.caller(), Right.CONSUME, tunnel.table(), Optional.of(tunnel.tunnel()));
  }

  void close(Frame frame, Connection connection) {
    String id = Json.decode(frame.payload(), SessionId.class).sessionId();
    hosts.done(
        hosts.all().ofSession(id),
        frame,
        connection,
        host -> host.coordinator().close(id, connection.sessions()));
  }

  void heartbeat(Frame frame, Connection connection) {
    Heartbeat heartbeat = Json.decode(frame.payload(), Heartbeat.class);
    hosts.done(
        hosts.all().ofSession(heartbeat.sessionId()),
        frame,
        connection,
        host -> host.coordinator().heartbeat(heartbeat, connection.sessions()));
  }

  void release(Frame frame, Connection connection) {
    ChannelRef ref = ChannelRef.decode(frame.payload());
    hosts.done(
        hosts.all().ofHandle(ref.handle()),
        frame,
        connection,
        host -> host.coordinator().release(ref, connection.sessions()));
  }

  void stop(Frame frame, Connection connection) {
    StopChannel request = Json.decode(frame.payload(), StopChannel.class);
    if (request.code().filter(code -> code == ErrorCode.POSITION_REPLACED).isPresent()) {
      hosts.on(
          hosts.all().ofHandle(request.handle()),
          frame,
          connection,
          host ->
              host.coordinator()
                  .replaced(request, connection.sessions(), answer(frame, connection)));
      return;
    }
    hosts.done(
        hosts.all().ofHandle(request.handle()),
        frame,
        connection,
        host -> host.coordinator().stop(request, connection.sessions()));
  }

  void checkpoint(Frame frame, Connection connection) {
    checkpoint(Checkpoint.decode(frame.payload()), List.of(), frame, connection);
  }

  void checkpointSkipping(Frame frame, Connection connection) {
    SkippingCheckpoint request = Json.decode(frame.payload(), SkippingCheckpoint.class);
    checkpoint(request.checkpoint(), request.skipped(), frame, connection);
  }

  private void checkpoint(
      Checkpoint checkpoint, List<Skip> skipped, Frame frame, Connection connection) {
    CheckpointAnswer answer = answer(frame, connection);
    TunnelHost host = hosts.all().ofHandle(checkpoint.handle());
    CheckpointRequest request =
        new CheckpointRequest(checkpoint, skipped, connection.sessions(), answer);
    host.checkpoint(
        request,
        (thread, store, refusal) ->
            hosts
                .threads()
                .inTurn(thread, connection.owner(), frame.payload().length, store, refusal));
  }

  private CheckpointAnswer answer(Frame frame, Connection connection) {
    return new CheckpointAnswer() {
      @Override
      public void stored() {
        connection.respond(frame, Json.encode(new Empty()));
      }

      @Override
      public void refused(Exception reason) {
        connection.refuse(frame, hosts.threads().refusals().of(frame, reason));
      }
    };
  }

  /** Passes on the end of an attached base channel. */
  void limit(ChannelEnd end, Connection connection) {
    TunnelHost host;
    try {
      host = hosts.all().ofHandle(end.handle());
    } catch (RefusedException e) {
      // The session lost the channel and will be told.
      return;
    }
    if (host.coordinator().isHeldBy(end.handle(), connection.sessions())) {
      inTurn(host, connection, () -> host.coordinator().limit(end, connection.sessions()));
    }
  }

  /** Ends the sessions of a connection, after the requests that the connection sent before. */
  void disconnected(Connection connection) {
    for (TunnelHost host : hosts.all().all()) {
      inTurn(host, connection, () -> host.coordinator().disconnected(connection.sessions()));
    }
  }

  private void inTurn(TunnelHost host, Connection connection, Runnable service) {
    hosts.threads().inTurn(host.control(), connection.owner(), 0, service, () -> {});
  }
}
