package io.tunnel.server;

import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.NodeMeters;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.partition.DiskCondition;
import io.tunnel.server.replica.Replicas;
import io.tunnel.server.session.LedTunnels;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.ClusterControl.ClusterDescription;
import io.tunnel.wire.Control.TunnelDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** What the HTTP port says of a node of a cluster. */
record NodePages(
    Replicas replicas,
    LedTunnels tunnels,
    LogFigures figures,
    ClusterView view,
    NetServer net,
    Metering metering)
    implements HttpServer.Pages {

  /** What figures need beside those who have them. */
  record Metering(ServerMeters meters, NodeMeters nodeMeters, LongSupplier epochMicros) {}

  @Override
  public boolean isHealthy() {
    return replicas.condition() == DiskCondition.UP;
  }

  @Override
  public String health() {
    ClusterDescription cluster = view.describe();
    Replicas.Figures copies = replicas.figures();
    return new Health.OfNode(
            replicas.condition().name(),
            cluster.node(),
            cluster.nodes().size(),
            copies.leading(),
            copies.copies(),
            net.connectionCount())
        .text();
  }

  @Override
  public String metrics() throws IOException {
    List<TunnelDescription> described = new ArrayList<>();
    for (TunnelHost host : tunnels.all()) {
      for (TunnelView each : views(host)) {
        described.add(each.describe(figures, metering.epochMicros().getAsLong()));
      }
    }
    metering.meters().channels(described);
    metering.nodeMeters().lags(replicas.status());
    return metering.meters().scrape();
  }

  /** None of tunnels that another node coordinates since, or whose thread has no time. */
  private static List<TunnelView> views(TunnelHost host) {
    return Waiting.<List<TunnelView>>forAnswer(
            host.control(),
            () ->
                host.catalog().tunnels(Optional.empty()).stream()
                    .map(host.coordinator()::view)
                    .toList())
        .orElse(List.of());
  }
}
