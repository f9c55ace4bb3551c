package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.LedTunnels;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.session.Surroundings;
import io.tunnel.server.session.TunnelHost;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Coordinates a group of tunnels on the thread that owns the group, while this node leads it. */
final class TunnelGroup implements LedStore.Holder {

  private final int group;
  private final Catalog tables;
  private final LedTunnels led;
  private final Parts parts;
  private final Executor owner;
  private Optional<Coordinator> coordinator = Optional.empty();
  private Optional<WriterCheck> check = Optional.empty();

  /** The parts that a group needs in addition to its tunnels. */
  record Parts(
      LogBounds bounds, Handles handles, SessionConfig config, Surroundings surroundings) {}

  TunnelGroup(int group, Catalog tables, LedTunnels led, Parts parts, Executor owner) {
    this.group = group;
    this.tables = tables;
    this.led = led;
    this.parts = parts;
    this.owner = owner;
  }

  @Override
  public void lead(CatalogStore store) throws IOException {
    TunnelCatalog catalog = new TunnelCatalog(tables, store, group);
    Coordinator runs =
        new Coordinator(
            catalog,
            new Coordinator.Naming(parts.handles(), tables.grants()),
            parts.bounds(),
            parts.config(),
            parts.surroundings());
    Operators operators = new Operators(catalog, parts.bounds(), runs, parts.surroundings());
    coordinator = Optional.of(runs);
    check = Optional.of(new WriterCheck(catalog, parts.surroundings().nanos()));
    led.lead(group, new TunnelHost(catalog, runs, operators, owner));
  }

  @Override
  public void stored(Map<String, Optional<String>> changes) {
    coordinator.ifPresent(runs -> runs.stored(changes));
  }

  @Override
  public void resign() {
    coordinator = Optional.empty();
    check = Optional.empty();
    led.resign(group, () -> {});
  }

  /** Ends expired leases, if this node leads the group. */
  void tick() {
    coordinator.ifPresent(
        runs -> {
          runs.tick();
          check.orElseThrow().look(runs.sessionCount() > 0, parts.surroundings().nanos());
        });
  }
}
