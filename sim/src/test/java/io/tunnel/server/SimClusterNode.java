package io.tunnel.server;

import io.netty.channel.ChannelHandler;
import io.tunnel.model.Bytes;
import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.CatalogStore;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.KnownUnits;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.PlacementView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.store.KafkaCatalogStore;
import io.tunnel.server.log.CatchUp;
import io.tunnel.server.log.EdgeQueries;
import io.tunnel.server.net.Attachments;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.Readings;
import io.tunnel.server.net.SimFront;
import io.tunnel.server.partition.CurrentRows;
import io.tunnel.server.partition.PartitionHomes;
import io.tunnel.server.partition.RoutedHomes;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.replica.Markers;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.Replicas;
import io.tunnel.server.replica.SharedLog;
import io.tunnel.server.replica.SimReplicas;
import io.tunnel.server.session.KnownEdges;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.wire.ClusterControl.NodeStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node between two starts: the rooms of {@link ClusterServer}, joined in the same way, on threads
 * and a log that are simulated.
 */
public final class SimClusterNode {

  /** How old rows may be that are read at a leader that was replaced. */
  public static final long READ_AGE_MS_MAX = 1_250;

  /** How long the group waits for a member that says nothing. */
  public static final long SESSION_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private static final long TICK_MS = 100;
  private static final long TICK_GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(3 * TICK_MS);
  private static final long ENDS_MS = 500;
  private static final long RETAIN_MS = 2_000;

  private static final long DECIDE_INTERVAL_MS = 250;
  private static final long REVOKE_DEADLINE_MS = 2_000;
  private static final int DELIVERY_BYTES_MAX = 250;
  private static final ReplicaConfig REPLICA =
      new ReplicaConfig(
          new ReplicaConfig.Batches(4_096, 7, 4_096, 16L << 20, 4_096),
          new ReplicaConfig.Times(10_000, 50, 2_000, 2_000, READ_AGE_MS_MAX),
          10);

  private final Self self;
  private final KnownEdges known = new KnownEdges();
  private final Handles handles = new Handles();
  private final Catalog catalog = new Catalog();
  private final SimReplicas copies;
  private final Replicas replicas;
  private final NodeRoles roles;
  private final ClusterNode node;
  private final PlacementView view;
  private final PartitionHomes homes;
  private final Attachments attachments;
  private final RowMoments moments;
  private final NetServer.Reading reading;
  private final NetServer.Delivery delivery;
  private final SimFront front;
  private final Consumer<Runnable> catalogTail;
  private final AbsenceCore absence = new AbsenceCore(SESSION_NANOS);
  private final LostPartitions lost;

  /** What the node is called, and where it is. */
  public record Self(String name, String incarnation, String address, int standbys) {}

  /** The log, as this start of the node reaches it. */
  public record Log(
      SharedLog changes,
      EdgeQueries edges,
      long retentionMicros,
      Membership.Factory group,
      Stores stores) {}

  /** Opens what is kept of catalog and tunnels. */
  public interface Stores {

    /** Tells the catalog what is stored of tables, from now on; at first all, at once. */
    Consumer<Runnable> follow(Catalog catalog);

    /** Becomes the only writer of a unit. */
    CatalogStore open(int unit, KafkaCatalogStore.Listener listener) throws IOException;
  }

  /** The threads of the node. */
  public record Threads(ScheduledExecutorService control, Executor waiting, Executor readers) {}

  /** Opens what the node has on its disks, and joins. */
  public SimClusterNode(
      Self self, Log log, SimReplicas.Storage storage, Threads threads, Shard.Clock clock)
      throws IOException {
    this.self = self;
    catalogTail = log.stores().follow(catalog);
    copies =
        new SimReplicas(
            storage,
            REPLICA,
            new Replicas.Ports(
                log.changes(),
                new Markers(self.name(), self.incarnation()),
                this::leaderAddress,
                partition -> log.retentionMicros(),
                partition -> Long.MAX_VALUE,
                catalog::hasPartition),
            clock);
    replicas = copies.all();
    catalog.listen(new DroppedTables(replicas, known));
    view = new PlacementView("sim", self.address(), this::placement, new Part());
    homes = new RoutedHomes(replicas, view);
    ClusterTunnels tunnels =
        new ClusterTunnels(
            new Opening(log, threads.control()),
            new ClusterTunnels.Node(
                view, handles, known, new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX)),
            new ClusterTunnels.Threads(threads.control(), threads.waiting()),
            new NodeSurroundings(log.edges(), view, threads.control(), clock, 0));
    roles = new NodeRoles(replicas, tunnels.stores());
    node =
        new ClusterNode(
            new NodeSettings(
                self.name(),
                self.incarnation(),
                self.address(),
                self.standbys(),
                DECIDE_INTERVAL_MS),
            roles,
            () -> new KnownUnits(catalog.lastPartition(), catalog.partitionIds()),
            threads.control(),
            clock::nanos);
    Channels channels =
        new Channels(
            replicas,
            new CurrentRows(catalog, homes, threads.readers(), clock::epochMicros),
            DELIVERY_BYTES_MAX);
    CatchUp catchUp = new CatchUp(log.edges(), replicas);
    Readings.Positions positions = new Readings.Positions(replicas, replicas.incarnations());
    attachments =
        new Attachments(
            view,
            homes,
            new Attachments.Delivered(channels, positions, catchUp),
            handles,
            catalog.grants());
    moments = new RowMoments(catalog, homes, replicas, threads.readers(), clock);
    reading =
        new NetServer.Reading(
            new Readings(homes, positions, channels, moments, catchUp, handles), tunnels.finder());
    delivery = new NetServer.Delivery(attachments, Optional.of(reading));
    catalog.listen(new DroppedDeliveries(delivery));
    lost =
        new LostPartitions(
            replicas::leads, replicas::isServing, this::attached, this::lost, SESSION_NANOS);
    front = front(tunnels, threads, clock);
    node.join(log.group());
    schedule(threads.control(), tunnels, clock);
  }

  private SimFront front(ClusterTunnels tunnels, Threads threads, Shard.Clock clock) {
    return new SimFront(
        new NetServer.Rooms(
            catalog,
            new NetServer.Rows(homes, new RowReads(catalog, homes, threads.readers())),
            new NetServer.TableRooms(new Tables(homes, replicas, view), NO_LOGS),
            new NetServer.Tunnels(
                tunnels.led(), LogFigures.of(known, replicas, replicas::isServing)),
            view,
            delivery),
        new NetServer.Threads(threads.control(), threads.readers(), clock::epochMicros));
  }

  private void schedule(
      ScheduledExecutorService control, ClusterTunnels tunnels, Shard.Clock clock) {
    Ticks ticks =
        new Ticks(
            clock::nanos,
            TICK_GAP_NANOS_MAX,
            List.of(tunnels::tick, node::tick, () -> look(clock.nanos()), moments::tick));
    control.scheduleWithFixedDelay(ticks, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    control.scheduleWithFixedDelay(replicas::lookAtEnds, ENDS_MS, ENDS_MS, TimeUnit.MILLISECONDS);
    control.scheduleWithFixedDelay(
        () -> replicas.retain(clock.epochMicros()), RETAIN_MS, RETAIN_MS, TimeUnit.MILLISECONDS);
  }

  private void look(long nowNanos) {
    roles.suspend(absence.isTooLong(node.isLost() && node.hasSuccessor(), nowNanos));
    lost.look(node.isLost(), nowNanos);
  }

  /** Partitions that somebody is attached to, or reads. */
  private Set<Integer> attached() {
    Set<Integer> partitions = attachments.partitions();
    partitions.addAll(reading.readings().partitions());
    return partitions;
  }

  private void lost(int partition) {
    attachments.lost(partition);
    reading.readings().lost(partition, view.notLeader(partition, "partition " + partition));
  }

  private Placement placement() {
    ClusterNode member = node;
    return member == null ? Placement.NONE : member.placement();
  }

  private Optional<String> leaderAddress(int partition) {
    return placement()
        .leader(partition)
        .filter(leader -> !leader.name().equals(self.name()))
        .map(Placement.Member::address);
  }

  private final class Part implements PlacementView.Part {

    @Override
    public String name() {
      return self.name();
    }

    @Override
    public boolean leads(int unit) {
      return roles.isLeading(unit);
    }

    @Override
    public NodeStatus status() {
      return new NodeStatus(self.name(), replicas.status());
    }

    @Override
    public void drain(boolean isDraining) {
      node.drain(isDraining);
    }
  }

  private final class Opening implements ClusterTunnels.Stores {
    private final Log log;
    private final Executor control;

    Opening(Log log, Executor control) {
      this.log = log;
      this.control = control;
    }

    @Override
    public Catalog catalog() {
      return catalog;
    }

    @Override
    public EdgeQueries edges() {
      return log.edges();
    }

    @Override
    public LedStore.Leader catalogLeader() {
      return new LedCatalog(
          catalog,
          catalogTail,
          control,
          new LeftTopics(catalog, NO_TOPICS, control),
          () -> new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52")));
    }

    @Override
    public CatalogStore openCatalog(KafkaCatalogStore.Listener listener) throws IOException {
      return log.stores().open(Unit.CATALOG, listener);
    }

    @Override
    public CatalogStore openGroup(int group, KafkaCatalogStore.Listener listener)
        throws IOException {
      return log.stores().open(Unit.ofGroup(group), listener);
    }
  }

  /** The node as a member of its cluster. */
  public ClusterNode node() {
    return node;
  }

  /** Its copies. */
  public SimReplicas copies() {
    return copies;
  }

  /** Whether it leads a unit now. */
  public boolean isLeading(int unit) {
    return roles.isLeading(unit);
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    return front.handlers();
  }

  private static final LeftTopics.Topics NO_TOPICS =
      new LeftTopics.Topics() {
        @Override
        public CompletableFuture<Set<Integer>> tables() {
          return CompletableFuture.completedFuture(Set.of());
        }

        @Override
        public CompletableFuture<Bytes> origin(TableRecord table) {
          return CompletableFuture.completedFuture(Bytes.fromHex("01"));
        }

        @Override
        public CompletableFuture<Void> drop(DroppedLog log) {
          return CompletableFuture.completedFuture(null);
        }
      };

  private static final TableLogs NO_LOGS =
      new TableLogs() {
        @Override
        public boolean areShared() {
          return true;
        }

        @Override
        public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
          return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> drop(TableRecord table) {
          return CompletableFuture.completedFuture(null);
        }
      };
}
