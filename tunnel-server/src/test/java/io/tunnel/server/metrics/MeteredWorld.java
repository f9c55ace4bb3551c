package io.tunnel.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.forward.Forwarder;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.server.replica.SnapshotFigures;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** All meters of a server and of a node, over figures that a test changes. */
final class MeteredWorld implements Closeable {

  /** A setting, which never changes. */
  static final String FIXED = "tunnel_disk_reserved_bytes";

  /** Microseconds since 1970 at which everything happens. */
  static final long NOW_MICROS = 50_000_000;

  final ServerMeters meters = new ServerMeters(() -> NOW_MICROS);
  final NodeMeters node = new NodeMeters(meters);
  DiskCondition catalogCondition = DiskCondition.UP;
  long catalogSyncs;
  double clockOffSeconds;
  OptionalLong expiryLagMicros = OptionalLong.of(0);
  int rowSessions;
  int keptRows;
  long refusedRows;
  double certificateSeconds;
  int readings;
  AuditTrail.Figures audit = new AuditTrail.Figures(0, 0, false);
  NetServer.Held held = new NetServer.Held(0, 0, 0);
  Forwarder.Held forwarded = new Forwarder.Held(0, 0);
  Watches.Figures watches = new Watches.Figures(0, 0, 0, 0, 0, 0);
  Rations.Figures rations = new Rations.Figures(0, 0, 0, 0, 0);
  NodeMeters.Standing standing =
      new NodeMeters.Standing(0, 0, 0, 0, false, false, 0, 0, 0, 0, 0, 0);
  ReplicaFigures replicas = new ReplicaFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  SnapshotFigures snapshots = SnapshotFigures.NONE;
  long freeBytes;
  final Map<Incident, Long> incidents = new EnumMap<>(Incident.class);

  /** A store whose disk is as a test says. */
  private final class Store implements CatalogStore {
    @Override
    public Map<String, String> all() {
      return Map.of();
    }

    @Override
    public void write(Map<String, Optional<String>> changes) {}

    @Override
    public DiskCondition condition() {
      return catalogCondition;
    }

    @Override
    public long syncs() {
      return catalogSyncs;
    }

    @Override
    public void close() {}
  }

  private final TunnelCatalog catalog;

  MeteredWorld() throws IOException {
    catalog = new TunnelCatalog(new Catalog(), new Store(), 1);
    LocalMeters local = new LocalMeters(meters);
    local.catalog(catalog);
    local.clock(() -> clockOffSeconds);
    local.expiryLag(() -> expiryLagMicros);
    local.rowSessions(() -> rowSessions);
    local.keptRows(() -> keptRows, () -> refusedRows);
    meters.certificate(() -> certificateSeconds);
    meters.readings(() -> readings);
    meters.audit(() -> audit);
    meters.held(() -> held);
    meters.forwarded(() -> forwarded);
    meters.watches(() -> watches);
    meters.catchUp(() -> rations);
    node.watch(() -> standing);
    node.watch(nodeReplicas(), 4_096);
    forgetJvm();
  }

  /** Replicas that know nothing but their figures. */
  private NodeReplicas nodeReplicas() {
    return (NodeReplicas)
        Proxy.newProxyInstance(
            NodeReplicas.class.getClassLoader(),
            new Class<?>[] {NodeReplicas.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "figures" -> replicas;
                  case "snapshots" -> snapshots;
                  case "count" -> incidents.getOrDefault((Incident) arguments[0], 0L);
                  case "freeBytes" -> freeBytes;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** Removes the meters of the JVM, which move by themselves. */
  private void forgetJvm() {
    for (Meter each : meters.registry().getMeters()) {
      if (!each.getId().getName().startsWith("tunnel.")) {
        var unused = meters.registry().remove(each);
      }
    }
  }

  String scrape() {
    return Scraped.of(meters);
  }

  @Override
  public void close() throws IOException {
    meters.close();
    catalog.close();
  }
}
