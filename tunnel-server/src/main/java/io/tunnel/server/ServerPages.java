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
import io.tunnel.server.metrics.TunnelSample;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** The pages of the HTTP port. */
record ServerPages(
    Engine engine, NetServer net, ServerMeters meters, Optional<String> node, Path data)
    implements HttpServer.Pages, ConsoleServer {

  private static final double BYTES_PER_KIB = 1_024;

  /** Tunnels of one question to the thread of their host; takes a millisecond or two. */
  private static final int LOOK_TUNNELS_MAX = 100;

  /** Visitors wait 10 s; after half of it, the last figures are better than none. */
  private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

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

  /**
   * Asks the thread of each host for a few tunnels at a time, so that heartbeats wait for a few
   * tunnels only, and never holds more descriptions than these.
   */
  @Override
  public <T> Optional<List<T>> tunnels(Function<TunnelDescription, T> figures) {
    Ports ports = engine.ports();
    long startNanos = ports.threads().clock().nanos();
    Collection<TunnelHost> hosts = ports.tunnels().hosts().all();
    List<T> all = new ArrayList<>();
    boolean hasAnswer = hosts.isEmpty();
    for (TunnelHost host : hosts) {
      List<T> ofHost = new ArrayList<>();
      if (lookAt(host, startNanos, views -> show(ports, views, figures, ofHost))) {
        hasAnswer = true;
        all.addAll(ofHost);
      }
    }
    return hasAnswer ? Optional.of(all) : Optional.empty();
  }

  /** Shows all tunnels of a host; false when the host's thread has no time, or has ended. */
  private boolean lookAt(TunnelHost host, long startNanos, Consumer<List<TunnelView>> shown) {
    Optional<List<TunnelInfo>> found =
        Waiting.forAnswer(host.control(), () -> host.catalog().tunnels(Optional.empty()));
    if (found.isEmpty()) {
      return false;
    }
    List<TunnelInfo> tunnels = found.get();
    for (int from = 0; from < tunnels.size(); from += LOOK_TUNNELS_MAX) {
      List<TunnelInfo> some =
          tunnels.subList(from, Math.min(tunnels.size(), from + LOOK_TUNNELS_MAX));
      Optional<List<TunnelView>> views =
          engine.ports().threads().clock().nanos() - startNanos > LOOK_NANOS_MAX
              ? Optional.empty()
              : Waiting.forAnswer(host.control(), () -> views(host, some));
      if (views.isEmpty()) {
        return false;
      }
      shown.accept(views.get());
    }
    return true;
  }

  /** The tunnels that are still there; on the host's thread. */
  private static List<TunnelView> views(TunnelHost host, List<TunnelInfo> tunnels) {
    return tunnels.stream()
        .filter(tunnel -> host.catalog().exists(tunnel.tunnelId()))
        .map(host.coordinator()::view)
        .toList();
  }

  /** Asks other nodes once for all views, and waits for as long as the figures say. */
  private static <T> void show(
      Ports ports, List<TunnelView> views, Function<TunnelDescription, T> figures, List<T> shown) {
    Map<Integer, Set<Long>> lagging = new HashMap<>();
    for (TunnelView view : views) {
      view.lagging()
          .forEach(
              (partition, positions) ->
                  lagging.computeIfAbsent(partition, id -> new HashSet<>()).addAll(positions));
    }
    LogFigures known = ports.tunnels().figures().about(lagging).join();
    views.forEach(view -> shown.add(figures.apply(describe(ports, known, view))));
  }

  private static TunnelDescription describe(Ports ports, LogFigures known, TunnelView view) {
    try {
      return view.describe(
          known,
          // Counting rows takes too long for figures that are read every few seconds.
          partition -> LogFigures.UNKNOWN,
          ports.threads().clock().epochMicros());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** When no thread of tunnels has time, the page repeats the last figures of channels. */
  @Override
  public Iterator<CharSequence> metrics() throws IOException {
    Ports ports = engine.ports();
    int channelsMax = engine.address().limits().channelMetricsMax();
    tunnels(TunnelSample::of).ifPresent(all -> meters.tunnels(all, channelsMax));
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
}
