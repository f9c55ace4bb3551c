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
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.RowSessions;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Joins the rooms of a server without a cluster. The process, or a simulation, supplies threads,
 * clock and disk.
 */
public final class LocalRooms {

  private final Coordinator coordinator;
  private final OwnLogs logs;
  private final RowSessions rowSessions;
  private final Ports ports;

  /** The stored state of a server. */
  public record Kept(TunnelCatalog catalog, Shards shards, TunnelRows rows, OwnLevel level) {}

  /**
   * Joins the rooms; nothing is delivered yet.
   *
   * @param incarnations incarnations of positions, for readers without a tunnel; checkpoints of
   *     tunnels are moved back before a loss before any client is served
   * @param expiredRowsPerSecondMax how many expired rows are deleted in a second
   * @throws IOException when the catalog cannot be written
   */
  public LocalRooms(
      Kept kept,
      Incarnations incarnations,
      ChannelGrants grants,
      SessionConfig sessions,
      int expiredRowsPerSecondMax,
      Ports.Threads threads)
      throws IOException {
    Catalog tables = kept.catalog().tables();
    Shards shards = kept.shards();
    LocalSurroundings surroundings =
        new LocalSurroundings(shards, kept.rows(), threads.control(), threads.clock());
    Coordinator.Naming naming = new Coordinator.Naming(new Handles(), grants);
    coordinator = Coordinator.alone(kept.catalog(), shards, naming, sessions, surroundings);
    logs = new OwnLogs(tables, shards, expiredRowsPerSecondMax);
    rowSessions =
        new RowSessions(
            kept.catalog().rowSessions(), bound(), threads.clock()::nanos, threads.control());
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
                partition -> host(tables, shards, partition),
                shards,
                kept.rows(),
                new Ports.Delivered(Incarnations.none(), LocalRooms::atOnce),
                new Ports.Delivered(incarnations, folded(shards)),
                Optional.of(rowSessions)),
            new Ports.Tunnels(
                TunnelHosts.alone(tunnels),
                new PositionFinder(bounds, surroundings),
                shards,
                partition -> rows(shards, partition)),
            logs,
            ClusterView.alone(kept.level()),
            naming,
            threads);
  }

  /**
   * Channels of tunnels are always fresh: the rows at a tunnel's begin, and all changes, are on
   * this server.
   */
  private static void atOnce(int partition, Consumer<Optional<RefusedException>> then) {
    then.accept(Optional.empty());
  }

  /** Rows are fresh once their shard has run all tasks before the question. */
  private static Freshness folded(Shards shards) {
    return (partition, then) ->
        shards.of(partition).execute(partition, () -> then.accept(Optional.empty()));
  }

  /** Refuses a partition whose table does not exist. */
  private static PartitionHost host(Catalog tables, Shards shards, int partition) {
    var unused = tables.tableOfPartition(partition);
    return shards.of(partition);
  }

  private static long rows(Shards shards, int partition) {
    return shards
        .of(partition)
        .tableNow(partition)
        .count(partition, Ports.Tunnels.COUNTED_ROWS_MAX)
        .rows();
  }

  /** The ports for the rooms that face clients. */
  public Ports ports() {
    return ports;
  }

  private RowSessions.Rows bound() {
    return new RowSessions.Rows() {
      @Override
      public void unbind() {
        logs.unbind();
      }

      @Override
      public CompletableFuture<Map<Long, Long>> left(Set<Long> sessions) {
        Map<Long, Long> left = new TreeMap<>();
        sessions.forEach(session -> left.put(session, logs.boundRows(session)));
        return CompletableFuture.completedFuture(left);
      }
    };
  }

  /** The sessions that rows are bound to, whose leases end from time to time. */
  public RowSessions rowSessions() {
    return rowSessions;
  }

  /** The coordinator of the tunnels. */
  public Coordinator coordinator() {
    return coordinator;
  }

  /** The logs of tables, whose old changes have to be trimmed from time to time. */
  public OwnLogs logs() {
    return logs;
  }
}
