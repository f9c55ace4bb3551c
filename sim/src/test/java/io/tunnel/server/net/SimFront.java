package io.tunnel.server.net;

import io.netty.channel.ChannelHandler;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.tunnel.server.engine.Served;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Gate;
import java.util.List;
import java.util.Optional;

/**
 * Where the connections of a simulated server end: the real handlers, joined as the server does.
 */
public final class SimFront {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;

  private final Requests requests;
  private final NetServer.Budgets budgets;
  private final NetServer.Door door;

  /** Gives requests to those rooms, of those who are let in by that gate. */
  public SimFront(Served served, Gate gate) {
    requests = new Requests(served.rooms(), served.threads(), gate);
    budgets = NetServer.Budgets.of(NetLimits.DEFAULT, 10_000, gate);
    door = new NetServer.Door(gate, Optional.empty(), AuditLog.none());
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    return List.of(
        new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true),
        new Connection(requests, door, NetMeter.NONE, "simulated", budgets));
  }
}
