package io.tunnel.server.engine;

import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The rooms of a server that is alone, joined: everything of it but what the process gives, so that
 * a simulation joins the same ones.
 */
public final class LocalRooms {

  private final Coordinator coordinator;
  private final OwnLogs logs;
  private final Ports ports;

  /** What a server keeps. */
  public record Kept(TunnelCatalog catalog, Shards shards, TunnelRows rows) {}

  /**
   * Joins them; nothing is delivered yet.
   *
   * @param incarnations of positions, for readers without a tunnel: what was lost is taken from
   *     checkpoints of tunnels before anybody is served
   * @throws IOException when the catalog cannot be written
   */
  public LocalRooms(
      Kept kept,
      Incarnations incarnations,
      ChannelGrants grants,
      SessionConfig sessions,
      Ports.Threads threads)
      throws IOException {
    Catalog tables = kept.catalog().tables();
    Shards shards = kept.shards();
    LocalSurroundings surroundings =
        new LocalSurroundings(shards, kept.rows(), threads.control(), threads.clock());
    Coordinator.Naming naming = new Coordinator.Naming(new Handles(), grants);
    coordinator = Coordinator.alone(kept.catalog(), shards, naming, sessions, surroundings);
    logs = new OwnLogs(tables, shards);
    LogBounds bounds = LogBounds.of(shards, incarnations);
    TunnelHost tunnels =
        new TunnelHost(
            kept.catalog(),
            coordinator,
            new Operators(kept.catalog(), bounds, coordinator, surroundings),
            threads.control());
    ports =
        new Ports(
            tables,
            new Ports.Partitions(
                new KnownHosts(tables, shards),
                shards,
                kept.rows(),
                new Ports.Delivered(Incarnations.none(), LocalRooms::atOnce),
                new Ports.Delivered(incarnations, folded(shards))),
            new Ports.Tunnels(
                TunnelHosts.alone(tunnels),
                new PositionFinder(bounds, surroundings),
                shards,
                partition -> rows(shards, partition)),
            logs,
            ClusterView.none(),
            naming,
            threads);
  }

  /** The rows of tunnels are kept as they were when the tunnel began, and changes are here. */
  private static void atOnce(int partition, Consumer<Optional<RefusedException>> then) {
    then.accept(Optional.empty());
  }

  /** Rows are fresh when their shard has folded what it was given before. */
  private static Freshness folded(Shards shards) {
    return (partition, then) -> shards.of(partition).execute(() -> then.accept(Optional.empty()));
  }

  private static long rows(Shards shards, int partition) {
    return shards.of(partition).tableNow().count(partition, Ports.Tunnels.COUNTED_ROWS_MAX).rows();
  }

  /** For the rooms that face clients. */
  public Ports ports() {
    return ports;
  }

  /** What runs the tunnels. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** The logs of tables, which are to be looked at for what is kept no longer. */
  public OwnLogs logs() {
    return logs;
  }
}
