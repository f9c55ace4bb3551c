package io.tunnel.server.net;

import io.tunnel.server.catalog.Asked;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelList;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** Serves requests that name a tunnel by its table, on the host's thread. */
final class TunnelRequests {

  private final HostRequests hosts;
  private final NetServer.Tunnels tunnels;

  TunnelRequests(HostRequests hosts, NetServer.Tunnels tunnels) {
    this.hosts = hosts;
    this.tunnels = tunnels;
  }

  void create(Frame frame, Connection connection) {
    CreateTunnel request = Json.decode(frame.payload(), CreateTunnel.class);
    Asked asked = asked(frame, connection, request.table(), request.tunnel());
    onHostOf(
        request.table(),
        frame,
        connection,
        host -> host.operators().create(request, asked, creation(frame, connection)));
  }

  void delete(Frame frame, Connection connection) {
    TunnelName name = Json.decode(frame.payload(), TunnelName.class);
    Asked asked = asked(frame, connection, name.table(), name.tunnel());
    doneByHostOf(name.table(), frame, connection, host -> host.operators().delete(name, asked));
  }

  void export(Frame frame, Connection connection) {
    TunnelName name = Json.decode(frame.payload(), TunnelName.class);
    onHostOf(
        name.table(),
        frame,
        connection,
        host -> {
          TunnelInfo tunnel = host.catalog().tunnel(name.table(), name.tunnel());
          connection.respond(frame, Json.encode(host.operators().export(tunnel)));
        });
  }

  void seek(Frame frame, Connection connection) {
    Seek request = Json.decode(frame.payload(), Seek.class);
    Asked asked = asked(frame, connection, request.table(), request.tunnel());
    onHostOf(
        request.table(),
        frame,
        connection,
        host -> host.operators().seek(request, asked, answer(frame, connection)));
  }

  void pause(Frame frame, Connection connection) {
    ChannelSelection request = Json.decode(frame.payload(), ChannelSelection.class);
    Asked asked = asked(frame, connection, request.table(), request.tunnel());
    doneByHostOf(
        request.table(), frame, connection, host -> host.operators().pause(request, asked));
  }

  void resume(Frame frame, Connection connection) {
    ChannelSelection request = Json.decode(frame.payload(), ChannelSelection.class);
    Asked asked = asked(frame, connection, request.table(), request.tunnel());
    doneByHostOf(
        request.table(), frame, connection, host -> host.operators().resume(request, asked));
  }

  void endSession(Frame frame, Connection connection) {
    EndSession request = Json.decode(frame.payload(), EndSession.class);
    doneByHostOf(request.table(), frame, connection, host -> host.operators().endSession(request));
  }

  private void onHostOf(String table, Frame frame, Connection connection, HostRequests.Step step) {
    hosts.on(hosts.all().ofTable(table), frame, connection, step);
  }

  private void doneByHostOf(
      String table, Frame frame, Connection connection, HostRequests.Step step) {
    hosts.done(hosts.all().ofTable(table), frame, connection, step);
  }

  private static Asked asked(Frame frame, Connection connection, String table, String tunnel) {
    return TableRequests.asked(frame, connection, table + " " + tunnel);
  }

  void describe(Frame frame, Connection connection) {
    TunnelName name = Json.decode(frame.payload(), TunnelName.class);
    onHostOf(
        name.table(),
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
                        look(frame, connection, view);
                      }

                      @Override
                      public void failed(Exception reason) {
                        connection.refuse(frame, hosts.threads().refusals().of(frame, reason));
                      }
                    }));
  }

  /** Figures may be read from a file, for which the thread of tunnels must not wait. */
  private void look(Frame frame, Connection connection, TunnelView view) {
    RequestThreads threads = hosts.threads();
    threads.post(
        threads.readers(),
        frame,
        connection,
        () -> {
          var unused =
              tunnels
                  .figures()
                  .about(view.lagging())
                  .thenAccept(figures -> answer(frame, connection, view, figures));
        });
  }

  private void answer(Frame frame, Connection connection, TunnelView view, LogFigures figures) {
    hosts
        .threads()
        .answer(
            hosts.threads().readers(),
            frame,
            connection,
            () -> view.describe(figures, tunnels.rows(), hosts.threads().clock().epochMicros()));
  }

  /**
   * Lists tunnels: a table's tunnels are on one host; for all tables the hosts are asked in turn.
   */
  void list(Frame frame, Connection connection) {
    if (frame.payload().length > 0) {
      String table = Json.decode(frame.payload(), TableName.class).table();
      onHostOf(
          table,
          frame,
          connection,
          host ->
              connection.respond(
                  frame,
                  Json.encode(
                      new TunnelList(
                          visible(
                              host.catalog()
                                  .tunnels(
                                      Optional.of(
                                          host.catalog().tables().table(table).meta().name())),
                              connection)))));
      return;
    }
    gather(new ArrayDeque<>(hosts.all().all()), new ArrayList<>(), frame, connection);
  }

  private static List<TunnelInfo> visible(List<TunnelInfo> tunnels, Connection connection) {
    return tunnels.stream()
        .filter(tunnel -> connection.caller().sees(tunnel.table(), tunnel.tunnel()))
        .toList();
  }

  private void gather(
      Queue<TunnelHost> left, List<TunnelInfo> gathered, Frame frame, Connection connection) {
    TunnelHost next = left.poll();
    if (next == null) {
      gathered.sort(Comparator.comparing(TunnelInfo::table).thenComparing(TunnelInfo::tunnel));
      connection.respond(frame, Json.encode(new TunnelList(gathered)));
      return;
    }
    hosts.on(
        next,
        frame,
        connection,
        host -> {
          gathered.addAll(visible(host.catalog().tunnels(Optional.empty()), connection));
          gather(left, gathered, frame, connection);
        });
  }

  private <T extends Control> Operators.Answer<T> answer(Frame frame, Connection connection) {
    return new Operators.Answer<>() {
      @Override
      public void done(T result) {
        connection.respond(frame, Json.encode(result));
      }

      @Override
      public void failed(Exception reason) {
        connection.refuse(frame, hosts.threads().refusals().of(frame, reason));
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
        connection.refuse(frame, hosts.threads().refusals().of(frame, reason));
      }
    };
  }
}
