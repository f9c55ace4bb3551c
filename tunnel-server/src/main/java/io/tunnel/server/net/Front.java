package io.tunnel.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.util.function.Consumer;

/**
 * Gives connections of a listener that the caller owns to the rooms of a server without TLS and
 * authentication.
 */
public final class Front extends ChannelInitializer<Channel> {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;
  private static final int CONNECTIONS_MAX = 10_000;

  private final Requests requests;
  private final NetServer.Budgets budgets;
  private final NetServer.Door door = NetServer.Door.open();

  /**
   * Passes requests of all clients to {@code rooms}.
   *
   * @param malformed receives the reason of each refusal of a payload that no client may send
   */
  public Front(NetServer.Rooms rooms, NetServer.Threads threads, Consumer<String> malformed) {
    requests = new Requests(rooms, threads, door.gate(), malformed);
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
