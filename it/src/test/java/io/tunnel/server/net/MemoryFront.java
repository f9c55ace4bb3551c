package io.tunnel.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.tunnel.server.engine.Served;

/** Gives the connections of a listener of the test to the rooms of an engine. */
public final class MemoryFront extends ChannelInitializer<Channel> {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;
  private static final int CONNECTIONS_MAX = 10_000;

  private final Requests requests;
  private final NetServer.Budgets budgets;
  private final NetServer.Door door = NetServer.Door.open();

  /** Passes requests of all clients to the rooms of {@code served}. */
  public MemoryFront(Served served) {
    requests = new Requests(served.rooms(), served.threads(), door.gate());
    budgets = NetServer.Budgets.of(NetLimits.DEFAULT, CONNECTIONS_MAX, door.gate());
  }

  @Override
  protected void initChannel(Channel accepted) {
    accepted
        .pipeline()
        .addLast(new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true))
        .addLast(new Connection(requests, door, NetMeter.NONE, "in-memory", budgets));
  }
}
