package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.TableName;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelList;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.FailureControl.Heartbeat;
import io.tunnel.wire.FailureControl.Skip;
import io.tunnel.wire.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.OperatorControl.ChannelSelection;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
import io.tunnel.wire.SessionControl.OpenSession;
import io.tunnel.wire.SessionControl.SessionId;
import io.tunnel.wire.SessionControl.StopChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;

/** Serves what is about tunnels and sessions, each on the thread of the host that has them. */
final class TunnelRequests {

  private final TunnelHosts hosts;
  private final LogFigures figures;
  private final RequestThreads threads;

  TunnelRequests(TunnelHosts hosts, LogFigures figures, RequestThreads threads) {
    this.hosts = hosts;
    this.figures = figures;
    this.threads = threads;
  }

  /** Does something on a host. */
  @FunctionalInterface
  private interface Step {
    void run(TunnelHost host) throws IOException;
  }

  private void on(TunnelHost host, Frame frame, Connection connection, Step step) {
    threads.post(
        host.control(),
        frame,
        connection,
        () -> {
          try {
            step.run(host);
          } catch (RefusedException e) {
            requireSure(host, e);
            throw e;
          }
        });
  }

  /**
   * A tunnel that this node does not know may exist at another one, which has taken over without
   * this one knowing; and who is told that it does not exist gives up for good.
   */
  private static void requireSure(TunnelHost host, RefusedException refusal) throws IOException {
    if (refusal.code() == ErrorCode.TUNNEL_NOT_FOUND) {
      host.catalog().confirm();
    }
  }

  /** Answers a request with nothing but that it is done. */
  private void done(TunnelHost host, Frame frame, Connection connection, Step step) {
    on(
        host,
        frame,
        connection,
        found -> {
          step.run(found);
          connection.respond(frame, Json.encode(new Empty()));
        });
  }

  /** Serves what names its tunnel by the table. */
  void ofTable(Frame frame, Connection connection) {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case CREATE_TUNNEL -> {
        CreateTunnel request = Json.decode(payload, CreateTunnel.class);
        on(
            hosts.ofTable(request.table()),
            frame,
            connection,
            host ->
                host.operators()
                    .create(
                        request,
                        asked(frame, request.table(), request.tunnel()),
                        creation(frame, connection)));
      }
      case DESCRIBE_TUNNEL -> describe(frame, connection);
      case LIST_TUNNELS -> list(frame, connection);
      case DELETE_TUNNEL -> {
        TunnelName name = Json.decode(payload, TunnelName.class);
        done(
            hosts.ofTable(name.table()),
            frame,
            connection,
            host -> host.operators().delete(name, asked(frame, name.table(), name.tunnel())));
      }
      case EXPORT_CHECKPOINTS -> {
        TunnelName name = Json.decode(payload, TunnelName.class);
        on(
            hosts.ofTable(name.table()),
            frame,
            connection,
            host ->
                connection.respond(
                    frame,
                    Json.encode(
                        host.operators()
                            .export(host.catalog().tunnel(name.table(), name.tunnel())))));
      }
      case SEEK -> {
        Seek request = Json.decode(payload, Seek.class);
        on(
            hosts.ofTable(request.table()),
            frame,
            connection,
            host ->
                host.operators()
                    .seek(
                        request,
                        asked(frame, request.table(), request.tunnel()),
                        answer(frame, connection)));
      }
      case PAUSE -> {
        ChannelSelection request = Json.decode(payload, ChannelSelection.class);
        done(
            hosts.ofTable(request.table()),
            frame,
            connection,
            host ->
                host.operators().pause(request, asked(frame, request.table(), request.tunnel())));
      }
      case RESUME -> {
        ChannelSelection request = Json.decode(payload, ChannelSelection.class);
        done(
            hosts.ofTable(request.table()),
            frame,
            connection,
            host ->
                host.operators().resume(request, asked(frame, request.table(), request.tunnel())));
      }
      case END_SESSION -> {
        EndSession request = Json.decode(payload, EndSession.class);
        done(
            hosts.ofTable(request.table()),
            frame,
            connection,
            host -> host.operators().endSession(request));
      }
      default -> throw new IllegalStateException(frame.operation() + " is not about tunnels");
    }
  }

  private static Asked asked(Frame frame, String table, String tunnel) {
    return TableRequests.asked(frame, table + " " + tunnel);
  }

  private void describe(Frame frame, Connection connection) {
    TunnelName name = Json.decode(frame.payload(), TunnelName.class);
    on(
        hosts.ofTable(name.table()),
        frame,
        connection,
        host ->
            host.operators()
                .view(
                    name.table(),
                    name.tunnel(),
                    new Operators.Answer<TunnelView>() {
                      @Override
                      public void done(TunnelView view) {
                        threads.answer(
                            threads.readers(),
                            frame,
                            connection,
                            () -> view.describe(figures, threads.clock().epochMicros()));
                      }

                      @Override
                      public void failed(Exception reason) {
                        connection.refuse(frame, threads.refusals().of(frame, reason));
                      }
                    }));
  }

  /** A table's tunnels are on one host; those of all tables are gathered from host to host. */
  private void list(Frame frame, Connection connection) {
    if (frame.payload().length > 0) {
      String table = Json.decode(frame.payload(), TableName.class).table();
      on(
          hosts.ofTable(table),
          frame,
          connection,
          host ->
              connection.respond(
                  frame,
                  Json.encode(
                      new TunnelList(
                          host.catalog()
                              .tunnels(
                                  Optional.of(
                                      host.catalog().tables().table(table).meta().name()))))));
      return;
    }
    gather(new ArrayDeque<>(hosts.all()), new ArrayList<>(), frame, connection);
  }

  private void gather(
      Queue<TunnelHost> left, List<TunnelInfo> gathered, Frame frame, Connection connection) {
    TunnelHost next = left.poll();
    if (next == null) {
      gathered.sort(Comparator.comparing(TunnelInfo::table).thenComparing(TunnelInfo::tunnel));
      connection.respond(frame, Json.encode(new TunnelList(gathered)));
      return;
    }
    on(
        next,
        frame,
        connection,
        host -> {
          gathered.addAll(host.catalog().tunnels(Optional.empty()));
          gather(left, gathered, frame, connection);
        });
  }

  /** Serves what names a tunnel, a session, or a channel that a session holds. */
  void ofSession(Frame frame, Connection connection) {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case OPEN_SESSION -> {
        OpenSession request = Json.decode(payload, OpenSession.class);
        on(
            hosts.ofTunnel(request.tunnelId()),
            frame,
            connection,
            host ->
                host.coordinator()
                    .open(
                        request,
                        connection,
                        opened -> connection.respond(frame, Json.encode(opened))));
      }
      case CLOSE_SESSION -> {
        String id = Json.decode(payload, SessionId.class).sessionId();
        done(
            hosts.ofSession(id),
            frame,
            connection,
            host -> host.coordinator().close(id, connection));
      }
      case HEARTBEAT -> {
        Heartbeat heartbeat = Json.decode(payload, Heartbeat.class);
        done(
            hosts.ofSession(heartbeat.sessionId()),
            frame,
            connection,
            host -> host.coordinator().heartbeat(heartbeat, connection));
      }
      case RELEASE -> {
        ChannelRef ref = ChannelRef.decode(payload);
        done(
            hosts.ofHandle(ref.handle()),
            frame,
            connection,
            host -> host.coordinator().release(ref, connection));
      }
      case STOP_CHANNEL -> {
        StopChannel request = Json.decode(payload, StopChannel.class);
        done(
            hosts.ofHandle(request.handle()),
            frame,
            connection,
            host -> host.coordinator().stop(request, connection));
      }
      case CHECKPOINT -> checkpoint(Checkpoint.decode(payload), List.of(), frame, connection);
      case CHECKPOINT_SKIPPING -> {
        SkippingCheckpoint request = Json.decode(payload, SkippingCheckpoint.class);
        checkpoint(request.checkpoint(), request.skipped(), frame, connection);
      }
      default -> throw new IllegalStateException(frame.operation() + " is not about sessions");
    }
  }

  private void checkpoint(
      Checkpoint checkpoint, List<Skip> skipped, Frame frame, Connection connection) {
    CheckpointAnswer answer =
        new CheckpointAnswer() {
          @Override
          public void stored() {
            connection.respond(frame, Json.encode(new Empty()));
          }

          @Override
          public void refused(Exception reason) {
            connection.refuse(frame, threads.refusals().of(frame, reason));
          }
        };
    try {
      hosts
          .ofHandle(checkpoint.handle())
          .checkpoint(new CheckpointRequest(checkpoint, skipped, connection, answer));
    } catch (RejectedExecutionException e) {
      throw RequestThreads.busy();
    }
  }

  /** The worker was told where a base channel ends that it attached to. */
  void limit(ChannelEnd end, Connection connection) {
    TunnelHost host;
    try {
      host = hosts.ofHandle(end.handle());
    } catch (RefusedException e) {
      // It holds the channel no longer, and will hear of that.
      return;
    }
    host.control().execute(() -> host.coordinator().limit(end, connection));
  }

  void disconnected(Connection connection) {
    for (TunnelHost host : hosts.all()) {
      host.control().execute(() -> host.coordinator().disconnected(connection));
    }
  }

  void failed(Connection connection, int handle, RefusedException reason) {
    for (TunnelHost host : hosts.all()) {
      host.control().execute(() -> host.coordinator().failed(handle, connection, reason));
    }
  }

  private <T extends Control> Operators.Answer<T> answer(Frame frame, Connection connection) {
    return new Operators.Answer<>() {
      @Override
      public void done(T result) {
        connection.respond(frame, Json.encode(result));
      }

      @Override
      public void failed(Exception reason) {
        connection.refuse(frame, threads.refusals().of(frame, reason));
      }
    };
  }

  private Operators.Creation creation(Frame frame, Connection connection) {
    return new Operators.Creation() {
      @Override
      public void created(TunnelInfo tunnel) {
        connection.respond(frame, Json.encode(tunnel));
      }

      @Override
      public void failed(Exception reason) {
        connection.refuse(frame, threads.refusals().of(frame, reason));
      }
    };
  }
}
