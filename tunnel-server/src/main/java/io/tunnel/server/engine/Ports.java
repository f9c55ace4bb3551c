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
import io.tunnel.server.session.RowSessionHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.server.table.BaseRows;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.IntToLongFunction;

/**
 * The ports of an engine for the rooms that face clients. These rooms work alike with and without a
 * cluster.
 *
 * @param logs creates, alters and drops the logs of tables
 * @param naming names and grants of channels, including channels of sessions on other nodes
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
   * The partitions that this server serves.
   *
   * @param hosts finds hosts; refuses partitions that are served elsewhere, and names their nodes
   * @param changes the changes that may be shown
   * @param bases the rows that tunnels deliver
   * @param ofSessions how channels of tunnels are delivered
   * @param ofReaders how partitions are delivered to readers without a tunnel
   * @param sessions the sessions that rows can be bound to; absent where there are none
   */
  public record Partitions(
      PartitionHosts hosts,
      ChangeReader changes,
      BaseRows bases,
      Delivered ofSessions,
      Delivered ofReaders,
      Optional<RowSessionHost> sessions) {

    /** Of a server whose rows are bound to nothing. */
    public Partitions(
        PartitionHosts hosts,
        ChangeReader changes,
        BaseRows bases,
        Delivered ofSessions,
        Delivered ofReaders) {
      this(hosts, changes, bases, ofSessions, ofReaders, Optional.empty());
    }
  }

  /**
   * Answers that are needed before a partition is delivered.
   *
   * @param incarnations tells apart positions that were given twice
   * @param freshness tells when this server has every change that was acknowledged before
   */
  public record Delivered(Incarnations incarnations, Freshness freshness) {}

  /**
   * The tunnels that this server coordinates.
   *
   * @param finder finds start positions of readers without a tunnel
   * @param figures what this server knows of the logs without asking another process
   * @param rows about how many rows a partition has, or {@link LogFigures#UNKNOWN}; slower than the
   *     other figures
   */
  public record Tunnels(
      TunnelHosts hosts, PositionFinder finder, LogFigures figures, IntToLongFunction rows) {

    /** Up to this number, {@code rows} counts rows exactly; beyond, it estimates. */
    public static final long COUNTED_ROWS_MAX = 10_000;
  }

  /**
   * Threads for work that must not block event loops.
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

    /** {@code readers} does all work except decisions. */
    public Threads(Executor control, Executor readers, Shard.Clock clock) {
      this(control, ReadTurns.of(readers), ReadTurns.of(readers), readers, readers, clock);
    }
  }
}
