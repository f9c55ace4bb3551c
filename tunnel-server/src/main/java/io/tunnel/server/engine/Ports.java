package io.tunnel.server.engine;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.partition.read.ReadTurns;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.server.table.BaseRows;
import java.util.concurrent.Executor;
import java.util.function.IntToLongFunction;

/**
 * What an engine gives to the rooms that face clients. Nobody who is given it can tell, or needs to
 * know, whether the server is alone.
 *
 * @param logs what the logs of tables are made, altered and dropped with
 * @param naming what channels are known by, also those of sessions elsewhere
 */
public record Ports(
    Catalog catalog,
    Partitions partitions,
    Tunnels tunnels,
    TableLogs logs,
    ClusterView view,
    Coordinator.Naming naming,
    Threads threads) {

  /**
   * The partitions that are served here.
   *
   * @param hosts refuses those that are not, and says who serves them
   * @param changes their changes, as far as these may be shown
   * @param bases their rows, as tunnels have them
   * @param ofSessions how channels of tunnels are delivered
   * @param ofReaders how partitions are delivered to readers without a tunnel
   */
  public record Partitions(
      PartitionHosts hosts,
      ChangeReader changes,
      BaseRows bases,
      Delivered ofSessions,
      Delivered ofReaders) {}

  /**
   * What has to be known before a partition is delivered.
   *
   * @param incarnations tells positions apart that were given twice
   * @param freshness when what is here is all that was acknowledged before
   */
  public record Delivered(Incarnations incarnations, Freshness freshness) {}

  /**
   * Tunnels that are coordinated here.
   *
   * @param finder says where readers without a tunnel can begin
   * @param figures what this server knows of the logs without asking another process
   * @param rows about how many rows a partition has, or {@link LogFigures#UNKNOWN}; slower than the
   *     other figures
   */
  public record Tunnels(
      TunnelHosts hosts, PositionFinder finder, LogFigures figures, IntToLongFunction rows) {

    /** Rows of a partition that {@code rows} counts one by one; it estimates the rest. */
    public static final long COUNTED_ROWS_MAX = 10_000;
  }

  /**
   * Where work is done that event loops must not wait for.
   *
   * @param control decides about tables
   * @param gets reads single rows
   * @param scans reads pages of ranges
   * @param moments reads rows for readers without a tunnel
   * @param descriptions describes tables and tunnels
   */
  public record Threads(
      Executor control,
      ReadTurns gets,
      ReadTurns scans,
      Executor moments,
      Executor descriptions,
      Shard.Clock clock) {

    /** Everything but the decisions is done by {@code readers}. */
    public Threads(Executor control, Executor readers, Shard.Clock clock) {
      this(control, ReadTurns.of(readers), ReadTurns.of(readers), readers, readers, clock);
    }
  }
}
