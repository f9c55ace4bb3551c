package io.tunnel.server.node;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.KnownUnits;
import io.tunnel.server.cluster.LevelCore;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.PlacementView;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Served;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.RoutedHosts;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.RowSessions;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Joins the rooms of a node of a cluster. The process, or a simulation, supplies threads, clock,
 * disk and log.
 */
final class NodeRooms {

  private final Self self;
  private final Log log;
  private final Ports.Threads threads;
  private final PartitionEngine engine;
  private final NodeReplicas replicas;
  private final PlacementView view;
  private final ClusterTunnels tunnels;
  private final NodeRoles roles;
  private final ClusterNode node;
  private final Ports ports;
  private final AbsenceCore absence;
  private final AsideCore aside;
  private final LevelWatch level;
  private final FormWatch form;
  private final GoneNodesCore goneNodes = new GoneNodesCore();
  private final LastPlacement placement;
  private final LedSessions sessions;
  private final Runnable unbind;
  private final BaseSnapshots rows;
  private final PartitionLooks looks;

  /** Former members of the cluster, as of the last look. */
  private volatile List<GoneNode> gone = List.of();

  /** Number of checkpoints that were moved back, because the log had lost their changes. */
  private final LongAdder takenBack = new LongAdder();

  /** Present since {@link #serve}. */
  private Optional<LostPartitions> lost = Optional.empty();

  /**
   * The node's settings.
   *
   * @param sessionMs silence in milliseconds after which the group forgets a node
   * @param snapshotMsMax age in milliseconds at which rows that are kept for a tunnel are dropped
   * @param isLevelAuto whether the level is raised without an operator
   */
  record Self(
      NodeSettings settings,
      String cluster,
      SessionConfig sessions,
      long sessionMs,
      long snapshotMsMax,
      boolean isLevelAuto) {

    long sessionNanos() {
      return TimeUnit.MILLISECONDS.toNanos(sessionMs);
    }
  }

  /** The log that all nodes share. */
  record Log(ClusterTunnels.Stores stores, TableLogs tables, Membership.Factory group) {}

  /**
   * Joins the rooms; the node is no member of its cluster yet, and nothing is delivered.
   *
   * @param placement tells the replicas who leads; learns of this node here
   */
  NodeRooms(
      Self self,
      Log log,
      PartitionEngine engine,
      LastPlacement placement,
      ClusterTunnels.Threads owners,
      Ports.Threads threads) {
    this.self = self;
    this.log = log;
    this.engine = engine;
    this.replicas = engine.replicas();
    this.threads = threads;
    this.placement = placement;
    absence = new AbsenceCore(self.sessionNanos());
    aside = new AsideCore(threads.clock().nanos());
    Catalog catalog = log.stores().catalog();
    KnownBounds known = new KnownBounds();
    Handles handles = new Handles();
    catalog.listen(table -> forget(table, replicas, known));
    SessionSweeps sweeps = engine.sweeps();
    unbind = sweeps::tick;
    view = new PlacementView(self.cluster(), self.settings().address(), placement::get, new Part());
    rows =
        new BaseSnapshots(
            catalog,
            new RoutedHosts(replicas, view),
            replicas,
            threads.moments(),
            threads.clock(),
            BaseSnapshots.Limits.ofAge(self.snapshotMsMax()));
    looks =
        new NodeLooks(
            engine.looks(), new NodePins(rows, replicas.incarnations()), bound(catalog, sweeps));
    LeaderLooks leaders = engine.leaders().over(looks);
    sessions = sessions(catalog, leaders);
    tunnels =
        new ClusterTunnels(
            log.stores(),
            new ClusterTunnels.Node(
                view, handles, known, self.sessions(), engine::bounds, sessions),
            owners,
            new NodeSurroundings(
                new LeaderPins(leaders),
                view,
                threads.control(),
                threads.clock(),
                self.sessionMs(),
                takenBack));
    roles = new NodeRoles(replicas, tunnels.stores());
    node =
        new ClusterNode(
            self.settings(),
            roles,
            () -> KnownUnits.read(catalog.lastPartition(), catalog.partitionIds()),
            catalog::level,
            owners.owners().control(),
            threads.clock()::nanos);
    placement.of(node);
    level =
        new LevelWatch(
            view,
            new LevelWatch.Self(self.cluster(), self.settings().levelMax(), self.isLevelAuto()),
            node::refused);
    form = new FormWatch(log.stores()::objection, node::refused);
    ports = ports(catalog, known, handles);
  }

  private static void forget(TableRecord dropped, NodeReplicas replicas, KnownBounds known) {
    for (PartitionRecord partition : dropped.partitions()) {
      replicas.leave(partition.id());
      known.forget(partition.id());
    }
  }

  private NodeBound bound(Catalog catalog, SessionSweeps sweeps) {
    return new NodeBound(
        self.settings().node(), sweeps, catalog.rowSessions(), placement::get, replicas::isServing);
  }

  private LedSessions sessions(Catalog catalog, LeaderLooks leaders) {
    RowSessions.Rows rows = new BoundEverywhere(leaders, catalog, threads.control());
    return new LedSessions(
        catalog,
        new LedSessions.Around(
            log.stores()::whenCaughtUp,
            rows,
            replicas.incarnations()::newest,
            threads.clock()::nanos,
            threads.control()));
  }

  private Ports ports(Catalog catalog, KnownBounds known, Handles handles) {
    PartitionHosts hosts = new RoutedHosts(replicas, view);
    Ports.Delivered delivered =
        new Ports.Delivered(replicas.incarnations(), engine.freshness(engine.bounds()));
    return new Ports(
        catalog,
        new Ports.Partitions(hosts, replicas, rows, delivered, delivered, Optional.of(sessions)),
        new Ports.Tunnels(tunnels.led(), tunnels.finder(), engine.figures(known), this::countRows),
        log.tables(),
        view,
        new Coordinator.Naming(handles, catalog.grants()),
        threads);
  }

  private long countRows(int partition) {
    return replicas
        .rowEstimate(partition, Ports.Tunnels.COUNTED_ROWS_MAX)
        .orElse(LogFigures.UNKNOWN);
  }

  /** The ports for the rooms that face clients. */
  Ports ports() {
    return ports;
  }

  /** The rows that are kept for tunnels; to be closed before the replicas. */
  BaseSnapshots keptRows() {
    return rows;
  }

  /** From now on tells clients when the partitions that are delivered to them are lost. */
  void serve(Served served) {
    lost =
        Optional.of(
            new LostPartitions(
                replicas::leads,
                replicas::isServing,
                served::partitions,
                partition ->
                    served.lost(partition, view.notLeader(partition, "partition " + partition)),
                self.sessionNanos()));
  }

  /** Joins the group of all nodes. */
  void join() {
    node.join(log.group());
  }

  /**
   * Tells attached clients about partitions that are no longer served here. When the group has lost
   * this node for long, sessions end too and the catalog's leader resigns, so that clients look for
   * the nodes that took over.
   */
  void look() {
    long nowNanos = threads.clock().nanos();
    level.look(nowNanos);
    sessions.tick();
    unbind.run();
    rows.tick();
    form.look();
    boolean isAbsent = absence.look(node.isLost() && node.hasSuccessor(), nowNanos);
    roles.suspend(isAbsent || level.isBelow() || form.isOther());
    boolean takesNothing = replicas.condition().refusesWrites();
    node.stepAside(aside.look(takesNothing, nowNanos));
    lost.ifPresent(partitions -> partitions.look(node.isLost(), nowNanos));
    gone = goneNodes.see(placement.get().nodes(), threads.clock().epochMicros() / 1_000);
  }

  /** The node as a member of its cluster. */
  ClusterNode node() {
    return node;
  }

  /** The units that this node leads and follows. */
  NodeRoles roles() {
    return roles;
  }

  /** The tunnels that this node coordinates. */
  ClusterTunnels tunnels() {
    return tunnels;
  }

  /** Number of checkpoints that were moved back. */
  long takenBack() {
    return takenBack.sum();
  }

  /** This node's own part in the cluster. */
  private final class Part implements PlacementView.Part {

    @Override
    public String name() {
      return self.settings().node();
    }

    @Override
    public boolean leads(int unit) {
      return roles.isLeading(unit);
    }

    @Override
    public List<GoneNode> gone() {
      return gone;
    }

    @Override
    public PartitionLooks looks() {
      return looks;
    }

    @Override
    public NodeStatus status() {
      return new NodeStatus(self.settings().node(), replicas.status());
    }

    @Override
    public void drain(boolean isDraining) {
      node.drain(isDraining);
    }

    @Override
    public int level() {
      return log.stores().catalog().level();
    }

    @Override
    public void raise(int to, LevelCore levels) throws IOException {
      if (node.isLost()) {
        throw new RefusedException(
            ErrorCode.BUSY, "the group has forgotten this node, which joins again; try again");
      }
      if (levels.mayRaise(to)) {
        log.stores().catalog().raise(to);
      }
    }
  }
}
