package io.tunnel.server;

import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.console.ConsoleServer;
import io.tunnel.server.engine.Engine;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Waiting;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.partition.DiskCondition;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The pages of the HTTP port. */
record ServerPages(Engine engine, NetServer net, ServerMeters meters, Optional<String> node)
    implements HttpServer.Pages, ConsoleServer {

  @Override
  public String version() {
    return Objects.requireNonNullElse(
        Server.class.getPackage().getImplementationVersion(), "development");
  }

  @Override
  public boolean isHealthy() {
    return engine.condition() == DiskCondition.UP;
  }

  @Override
  public String health() {
    return engine.health(net.connectionCount()).text();
  }

  /** When no thread of tunnels has time, the page repeats the last figures of channels. */
  @Override
  public String metrics() throws IOException {
    Ports ports = engine.ports();
    Collection<TunnelHost> hosts = ports.tunnels().hosts().all();
    List<List<TunnelView>> answers =
        hosts.stream().map(ServerPages::views).flatMap(Optional::stream).toList();
    if (hosts.isEmpty() || !answers.isEmpty()) {
      List<TunnelDescription> described = new ArrayList<>();
      for (List<TunnelView> views : answers) {
        for (TunnelView view : views) {
          // Counting rows takes too long for a page that is read every few seconds.
          described.add(
              view.describe(
                  ports.tunnels().figures(),
                  partition -> LogFigures.UNKNOWN,
                  ports.threads().clock().epochMicros()));
        }
      }
      meters.channels(described);
    }
    Map<String, Integer> tunnels = new HashMap<>();
    hosts.forEach(
        host ->
            host.catalog()
                .tunnelsByCreator()
                .forEach((creator, count) -> tunnels.merge(creator, count, Integer::sum)));
    meters.principals(
        net.shares().figures(), net.shares().uses(ports.catalog().holdings(), tunnels));
    engine.look();
    return meters.scrape();
  }

  /** Empty when the host's thread has no time, or has ended. */
  private static Optional<List<TunnelView>> views(TunnelHost host) {
    return Waiting.forAnswer(
        host.control(),
        () ->
            host.catalog().tunnels(Optional.empty()).stream()
                .map(host.coordinator()::view)
                .toList());
  }
}
