package io.tunnel.server.net;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.tunnel.server.engine.Served;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Gate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where the connections of a simulated server end: the real handlers, joined as the server does.
 */
public final class SimFront {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;

  private final Requests requests;
  private final NetServer.Budgets budgets;
  private final NetServer.Door door;
  private final Set<Connection> connections = new LinkedHashSet<>();

  /** Passes requests of clients that {@code gate} admits to the rooms of {@code served}. */
  public SimFront(Served served, Gate gate) {
    requests = new Requests(served.rooms(), served.threads(), gate);
    budgets = NetServer.Budgets.of(NetLimits.DEFAULT, 10_000, gate);
    door = new NetServer.Door(gate, Optional.empty(), AuditLog.none());
    if (!gate.isOpen()) {
      served.rooms().catalog().security().listen(this::reviseRights);
    }
  }

  /** As a server does it when what is granted has changed. */
  private void reviseRights() {
    connections.forEach(Connection::reviseRights);
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    Connection connection = new Connection(requests, door, NetMeter.NONE, "simulated", budgets);
    return List.of(
        new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true),
        connection,
        new Joined(connection));
  }

  /** Knows a connection from its first moment to its last, as a server's group of them does. */
  private final class Joined extends ChannelHandlerAdapter {
    private final Connection connection;

    Joined(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      connections.add(connection);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      connections.remove(connection);
    }
  }
}
