package io.tunnel.server.net;

import io.netty.channel.ChannelHandler;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.engine.Served;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Gate;
import java.util.List;

/**
 * Where the connections of a simulated server end: the real handlers, joined as the server does.
 */
public final class SimFront {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;

  private final Requests requests;
  private final NetServer.Budgets budgets =
      NetServer.Budgets.of(NetLimits.DEFAULT, 10_000, Gate.open());

  /** Gives requests to those rooms. */
  public SimFront(Served served) {
    requests = new Requests(served.rooms(), served.threads());
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    return List.of(
        new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true),
        new Connection(requests, NetServer.Door.open(), NO_METER, "simulated", budgets));
  }

  private static final NetMeter NO_METER =
      new NetMeter() {
        @Override
        public void connected() {}

        @Override
        public void disconnected() {}

        @Override
        public void received(int bytes) {}

        @Override
        public void sent(int bytes) {}

        @Override
        public void delivered(int bytes) {}

        @Override
        public void closed(Farewell why) {}

        @Override
        public void refused(ErrorCode code) {}
      };
}
