package io.tunnel.server;

import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.console.ConsoleServer;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.engine.Engine;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Waiting;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The pages of the HTTP port. */
record ServerPages(
    Engine engine, NetServer net, ServerMeters meters, Optional<String> node, Path data)
    implements HttpServer.Pages, ConsoleServer {

  private static final double BYTES_PER_KIB = 1_024;

  @Override
  public Optional<ClusterDescription> cluster() {
    ClusterView view = engine.ports().view();
    return view.isAlone() ? Optional.empty() : Optional.of(view.describe());
  }

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

  @Override
  public ServerMeters.Totals totals() {
    return meters.totals();
  }

  @Override
  public Taken taken() {
    Runtime machine = Runtime.getRuntime();
    return new Taken(
        net.connectionCount(),
        (double) data.toFile().getUsableSpace(),
        meters.sumOfGauges("tunnel.log.bytes") + meters.sumOfGauges("tunnel.rocksdb.file.bytes"),
        (double) machine.totalMemory() - machine.freeMemory(),
        (double) machine.maxMemory(),
        residentBytes(),
        meters.sumOfGauges("process.cpu.usage"));
  }

  /** The memory of the process as Linux knows it; NaN on another system. */
  private static double residentBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KIB)
          .findAny()
          .orElse(Double.NaN);
    } catch (IOException | RuntimeException e) {
      return Double.NaN;
    }
  }

  @Override
  public Optional<List<TunnelDescription>> tunnels() {
    Ports ports = engine.ports();
    Collection<TunnelHost> hosts = ports.tunnels().hosts().all();
    List<List<TunnelView>> answers =
        hosts.stream().map(ServerPages::views).flatMap(Optional::stream).toList();
    if (!hosts.isEmpty() && answers.isEmpty()) {
      return Optional.empty();
    }
    List<TunnelDescription> described = new ArrayList<>();
    for (List<TunnelView> views : answers) {
      for (TunnelView view : views) {
        // Counting rows takes too long for figures that are read every few seconds.
        described.add(describe(ports, view));
      }
    }
    return Optional.of(described);
  }

  private static TunnelDescription describe(Ports ports, TunnelView view) {
    try {
      return view.describe(
          ports.tunnels().figures(),
          partition -> LogFigures.UNKNOWN,
          ports.threads().clock().epochMicros());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** When no thread of tunnels has time, the page repeats the last figures of channels. */
  @Override
  public String metrics() throws IOException {
    Ports ports = engine.ports();
    tunnels().ifPresent(meters::channels);
    Map<String, Integer> tunnels = new HashMap<>();
    ports
        .tunnels()
        .hosts()
        .all()
        .forEach(
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
