package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.changes.SharedLogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.session.LedTunnels;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.SessionConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** All groups of tunnels; this node leads some of them. */
final class ClusterTunnels {

  private final LedTunnels led;
  private final PositionFinder finder;
  private final List<TunnelGroup> groups = new ArrayList<>();
  private final Map<Integer, LedStore> stores = new TreeMap<>();

  /** The stores of catalog and tunnels. */
  interface Stores {

    /** The catalog, which follows or leads. */
    Catalog catalog();

    /**
     * Why this node must not use the cluster: the log of the cluster has another form. For the
     * control thread.
     */
    Optional<String> objection();

    /** Leads the catalog while this node decides about tables. */
    LedStore.Holder catalogHolder();

    /**
     * Runs {@code then} on the control thread once the catalog has followed all writes before the
     * call; never, when the node stops before.
     */
    void whenCaughtUp(Runnable then);

    /** Becomes the only writer of the catalog; calls {@code listener} on the control thread. */
    CatalogStore openCatalog(StoreListener listener) throws IOException;

    /**
     * Becomes the only writer of a group of tunnels, after the catalog has read all tables of these
     * tunnels; calls {@code listener} on the group's thread.
     */
    CatalogStore openGroup(int group, StoreListener listener) throws IOException;
  }

  /**
   * The parts of the node that its tunnels need.
   *
   * @param bounds the answers where logs begin and end, for each group of tunnels
   * @param sessions the row sessions, which the leader of the catalog owns
   */
  record Node(
      ClusterView view,
      Handles handles,
      KnownBounds known,
      SessionConfig config,
      Supplier<BoundsQueries> bounds,
      LedSessions sessions) {}

  /** The threads of a node that leads stores. */
  record Threads(NodeThreads owners, Executor waiting) {

    /** One thread owns everything. */
    Threads(ScheduledExecutorService control, Executor waiting) {
      this(NodeThreads.one(control), waiting);
    }
  }

  ClusterTunnels(Stores log, Node node, Threads threads, NodeSurroundings surroundings) {
    led = new LedTunnels(log.catalog(), node.view());
    NodeSurroundings control = surroundings.on(threads.owners().control());
    finder = new PositionFinder(bounds(node, control), control);
    for (int i = 0; i < Unit.TUNNEL_GROUPS; i++) {
      int id = i;
      ScheduledExecutorService owner = threads.owners().ofGroup(id);
      NodeSurroundings own = surroundings.on(owner);
      TunnelGroup.Parts parts =
          new TunnelGroup.Parts(bounds(node, own), node.handles(), node.config(), own);
      TunnelGroup group = new TunnelGroup(id, log.catalog(), led, parts, owner);
      groups.add(group);
      stores.put(
          Unit.ofGroup(id),
          new LedStore(
              "group " + id + " of tunnels",
              listener -> log.openGroup(id, listener),
              owner,
              threads.waiting(),
              group));
    }
    stores.put(
        Unit.CATALOG,
        new LedStore(
            "the catalog",
            log::openCatalog,
            threads.owners().control(),
            threads.waiting(),
            node.sessions().with(log.catalogHolder())));
  }

  private static LogBounds bounds(Node node, NodeSurroundings own) {
    return new SharedLogBounds(node.bounds().get(), node.known(), own::control);
  }

  /** The tunnels that this node leads. */
  LedTunnels led() {
    return led;
  }

  /** Finds positions in the shared log. */
  PositionFinder finder() {
    return finder;
  }

  /** By unit, its store: the groups of tunnels and the catalog. */
  Map<Integer, LedStore> stores() {
    return stores;
  }

  /** Ends expired leases of all groups, if one thread owns all groups; on that thread. */
  void tick() {
    groups.forEach(TunnelGroup::tick);
  }

  /** Ends expired leases of a group's tunnels; on its thread. */
  void tick(int group) {
    groups.get(group).tick();
  }
}
