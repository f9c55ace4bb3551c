package io.tunnel.server.net;

import io.netty.channel.ChannelHandler;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import java.util.List;

/**
 * Where the connections of a simulated server end: the real handlers, joined as the server does.
 */
public final class SimFront {

  private static final int FLUSHES_CONSOLIDATED_MAX = 256;

  private final Requests requests;
  private final NetBudgets budgets = NetBudgets.of(NetLimits.DEFAULT, 10_000);

  /** Serves requests from those rooms on those threads. */
  public SimFront(
      Shards shards,
      OwnLogs logs,
      NetServer.Delivery delivery,
      TunnelHost tunnels,
      NetServer.Threads threads) {
    this(
        new NetServer.Rooms(
            tunnels.catalog().tables(),
            new NetServer.Rows(
                shards, new RowReads(tunnels.catalog().tables(), shards, threads.readers())),
            new NetServer.TableRooms(new Tables(shards), logs),
            new NetServer.Tunnels(TunnelHosts.alone(tunnels), LogFigures.of(shards)),
            ClusterView.none(),
            delivery),
        threads);
  }

  /** Serves requests as a node of a cluster does. */
  public SimFront(NetServer.Rooms rooms, NetServer.Threads threads) {
    requests = new Requests(rooms, threads);
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    return List.of(
        new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true),
        new Connection(requests, NO_METER, "simulated", budgets));
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
