package io.tunnel.server;

import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.AsideCore;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.KnownUnits;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.PeerWatch;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.PlacementView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.members.NodeNameTakenException;
import io.tunnel.server.log.CatchUp;
import io.tunnel.server.log.Disks;
import io.tunnel.server.log.EdgeQueries;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.NodeMeters;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.Attachments;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.Readings;
import io.tunnel.server.partition.CurrentRows;
import io.tunnel.server.partition.DiskCondition;
import io.tunnel.server.partition.PartitionHomes;
import io.tunnel.server.partition.RoutedHomes;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.replica.Markers;
import io.tunnel.server.replica.Replicas;
import io.tunnel.server.session.KnownEdges;
import io.tunnel.server.session.LogFigures;
import io.tunnel.wire.ClusterControl.NodeStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that is a node of a cluster: here, and only here, its parts are made, joined and closed.
 *
 * <p>Threads: one owner per shard and one that reads the log for it, a control thread for the
 * catalog and what the node has to do, one for each group of tunnels and its sessions, some that
 * wait for stores, event loops, readers, and those of Kafka's clients.
 */
final class ClusterServer implements RunningServer {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterServer.class);
  private static final long TICK_MS = 100;
  private static final long TICK_GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(3 * TICK_MS);
  private static final long ENDS_MS = 500;

  /** How often the log is asked at least before rows would be too old to be read. */
  private static final long LOOKS_AT_ENDS = 4;

  private static final long DECIDE_INTERVAL_MS = 250;

  /** Below the data directory: may be deleted whenever the node does not run. */
  private static final String COPIES = "copies";

  /** How long a stop waits for other nodes to take over. */
  private static final long DRAIN_MS_MAX = 10_000;

  /** How long a stop takes at most before the process ends as it is: all on its disk is a cache. */
  private static final long STOP_MS_MAX = 15_000;

  private static final long DRAIN_LOOK_MS = 50;

  private final Parts parts = new Parts();
  private final SystemClock clock = new SystemClock();
  private final ServerMeters meters = new ServerMeters();
  private final NodeMeters nodeMeters = new NodeMeters(meters);
  private final KnownEdges known = new KnownEdges();
  private final Handles handles = new Handles();

  /** Checkpoints of tunnels that are coordinated here, of changes that the log had lost. */
  private final LongAdder takenBack = new LongAdder();

  private final ServerConfig config;
  private final ClusterConfig cluster;
  private final ScheduledExecutorService control;
  private final NodeThreads threads;
  private final ClusterLog log;
  private final EdgeQueries edges;
  private final Replicas replicas;
  private final ClusterTunnels tunnels;
  private final NodeRoles roles;
  private final PlacementView view;
  private final PartitionHomes homes;
  private final ClusterNode node;
  private final Attachments attachments;
  private final RowMoments moments;
  private final NetServer.Reading reading;
  private final NetServer.Delivery delivery;
  private final NetServer net;
  private final Optional<HttpServer> http;
  private final PeerWatch peers;
  private final AbsenceCore absence;
  private final LostPartitions lost;
  private final AsideCore aside;

  /**
   * Opens the data directory, meets the cluster, and begins to serve.
   *
   * @throws IOException when the directory, the log or an address cannot be used; says what would
   *     be right
   */
  ClusterServer(Path data, ServerConfig config, ClusterConfig cluster) throws IOException {
    this(data, config, cluster, Disks.ofSystem());
  }

  /** As {@link #ClusterServer(Path, ServerConfig, ClusterConfig)}, its logs on other disks. */
  ClusterServer(Path data, ServerConfig config, ClusterConfig cluster, Disks disks)
      throws IOException {
    this.config = config;
    this.cluster = cluster;
    this.aside = new AsideCore(clock.nanos());
    long sessionNanos = TimeUnit.MILLISECONDS.toNanos(cluster.log().sessionMs());
    this.absence = new AbsenceCore(sessionNanos);
    try {
      parts.open(meters::close);
      NodeAddress address = NodeAddress.of(config.net(), cluster.advertised());
      String incarnation = Long.toString(clock.epochMicros(), Character.MAX_RADIX);
      DataDirectory directory =
          parts.open(DataDirectory.open(data, config.log().shards(), Optional.of(cluster.name())));
      control = parts.openThreads(new OwnThread("control"));
      threads = new NodeThreads(control, groupThreads());
      Path copies = directory.path().resolve(COPIES);
      log = parts.open(new ClusterLog(config, cluster, threads, clock, copies));
      edges = log.edges();
      replicas = parts.open(openReplicas(directory, incarnation, disks));
      ExecutorService waiting =
          parts.openThreads(Executors.newCachedThreadPool(task -> new Thread(task, "opener")));
      ReadThreads readers = ReadThreads.open(parts);
      view = new PlacementView(cluster.name(), address.advertised(), this::placement, new Part());
      homes = new RoutedHomes(replicas, view);
      log.catalog().limit(() -> config.catalog().forNodes(placement().nodes().size()));
      tunnels =
          new ClusterTunnels(
              log,
              new ClusterTunnels.Node(view, handles, known, config.session()),
              new ClusterTunnels.Threads(threads, waiting),
              new NodeSurroundings(
                  edges, view, control, clock, cluster.log().sessionMs(), takenBack));
      roles = new NodeRoles(replicas, tunnels.stores());
      parts.open(roles::close);
      node = node(incarnation, address.advertised());
      Channels channels = channels(readers.scans());
      moments = new RowMoments(log.catalog(), homes, replicas, readers.scans(), clock);
      CatchUp catchUp = new CatchUp(edges, replicas);
      Readings.Positions positions = new Readings.Positions(replicas, replicas.incarnations());
      attachments =
          new Attachments(
              view,
              homes,
              new Attachments.Delivered(channels, positions, catchUp),
              handles,
              log.catalog().grants());
      reading =
          new NetServer.Reading(
              new Readings(homes, positions, channels, moments, catchUp, handles),
              tunnels.finder());
      meters.readings(reading.readings()::count);
      delivery = new NetServer.Delivery(attachments, Optional.of(reading));
      log.catalog().listen(new DroppedDeliveries(delivery));
      lost =
          new LostPartitions(
              replicas::leads, replicas::isServing, this::attached, this::lost, sessionNanos);
      nodeMeters.watch(this::standing);
      net = listen(address.net(), readers);
      parts.open(net::close);
      meters.held(net::held);
      http = listenHttp(readers.pages());
      peers = parts.open(new PeerWatch(cluster.node(), node::evict));
      parts.open(node);
      join();
      schedule();
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private List<ScheduledExecutorService> groupThreads() {
    List<ScheduledExecutorService> opened = new ArrayList<>();
    for (int group = 0; group < Unit.TUNNEL_GROUPS; group++) {
      opened.add(parts.openThreads(new OwnThread("tunnels-" + group)));
    }
    return opened;
  }

  private void join() throws IOException {
    try {
      node.join(log.group());
    } catch (NodeNameTakenException | RefusedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Replicas openReplicas(DataDirectory directory, String incarnation, Disks disks)
      throws IOException {
    Replicas opened =
        Replicas.open(
            new Replicas.Layout(
                directory.path().resolve(COPIES),
                log.identity(directory.shards()),
                new Replicas.LocalDisk(
                    disks, config.log().segmentBytesMax(), config.shard().freeBytesMin()),
                config.log().copies().boundBy(cluster.log().sessionMs()),
                config.table()),
            new Replicas.Ports(
                parts.open(log.openChanges()),
                new Markers(cluster.node(), incarnation),
                this::leaderAddress,
                log.places()::retentionMicros,
                log.places()::deletionMicros,
                log.places()),
            meters,
            clock);
    nodeMeters.watch(opened);
    log.catalog().listen(new DroppedTables(opened, known));
    return opened;
  }

  private ClusterNode node(String incarnation, String advertised) {
    return new ClusterNode(
        new NodeSettings(
            cluster.node(), incarnation, advertised, cluster.standbys(), DECIDE_INTERVAL_MS),
        roles,
        () -> KnownUnits.read(log.catalog().lastPartition(), log.catalog().partitionIds()),
        control,
        clock::nanos);
  }

  private Channels channels(Executor readers) {
    return new Channels(
        replicas,
        new CurrentRows(log.catalog(), homes, readers, clock::epochMicros),
        config.session().deliveryBytesMax());
  }

  private NetServer listen(NetConfig address, ReadThreads readers) throws IOException {
    return new NetServer(
        address,
        new NetServer.Rooms(
            log.catalog(),
            new NetServer.Rows(
                homes, new RowReads(log.catalog(), homes, readers.gets(), readers.scans())),
            new NetServer.TableRooms(new Tables(homes, replicas, view), log.tables()),
            new NetServer.Tunnels(tunnels.led(), figuresWithRows()),
            view,
            delivery),
        new NetServer.Threads(control, readers.descriptions(), clock::epochMicros),
        meters);
  }

  private LogFigures figures() {
    return LogFigures.of(known, replicas, partition -> replicas.isServing(partition));
  }

  /** Those that clients are told, who do not ask as often as those who look at metrics. */
  private LogFigures figuresWithRows() {
    return figures()
        .withRows(
            partition ->
                replicas
                    .rowEstimate(partition, LogFigures.COUNTED_ROWS_MAX)
                    .orElse(LogFigures.UNKNOWN));
  }

  private Optional<HttpServer> listenHttp(Executor maker) throws IOException {
    if (config.net().httpPort() < 0) {
      return Optional.empty();
    }
    InetSocketAddress address =
        new InetSocketAddress(net.localAddress().getAddress(), config.net().httpPort());
    NodePages pages =
        new NodePages(
            replicas,
            tunnels.led(),
            figures(),
            view,
            net,
            new NodePages.Metering(meters, nodeMeters, clock::epochMicros));
    HttpServer server =
        new HttpServer(
            address, net.eventLoops(), config.net().limits().httpConnectionsMax(), maker, pages);
    parts.open(server::close);
    return Optional.of(server);
  }

  private NodeMeters.Standing standing() {
    Placement told = placement();
    return new NodeMeters.Standing(
        told.nodes().size(),
        told.generation(),
        tunnels.led().all().size(),
        roles.isLeading(Unit.CATALOG),
        node.isDraining(),
        attachments.count(),
        node.placementCount(),
        node.lossCount(),
        takenBack.sum());
  }

  private void schedule() {
    tick(control, List.of(node::tick, this::look, moments::tick));
    for (int i = 0; i < Unit.TUNNEL_GROUPS; i++) {
      int group = i;
      tick(threads.ofGroup(group), List.of(() -> tunnels.tick(group)));
    }
    long ageMs = config.log().copies().boundBy(cluster.log().sessionMs()).times().readAgeMsMax();
    every(Math.max(1, Math.min(ENDS_MS, ageMs / LOOKS_AT_ENDS)), replicas::lookAtEnds);
    every(config.log().retentionCheckMs(), () -> replicas.retain(clock.epochMicros()));
  }

  private void tick(ScheduledExecutorService thread, List<Runnable> looks) {
    Ticks ticks = new Ticks(clock::nanos, TICK_GAP_NANOS_MAX, looks);
    // With a delay: at a fixed rate those that were missed would come before what waits.
    thread.scheduleWithFixedDelay(ticks, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void every(long ms, Runnable look) {
    control.scheduleWithFixedDelay(
        new Ticks(clock::nanos, Long.MAX_VALUE, List.of(look)), ms, ms, TimeUnit.MILLISECONDS);
  }

  /**
   * Tells those who are attached to what is not served here any more, and watches the other nodes.
   * When a node's absence from its group lasts, sessions end too, and tables are not decided about:
   * a client that has come here finds the node that does it now.
   */
  private void look() {
    peers.watch(placement().nodes());
    roles.suspend(absence.isTooLong(node.isLost() && node.hasSuccessor(), clock.nanos()));
    DiskCondition disk = replicas.condition();
    boolean takesNothing = disk == DiskCondition.DISK_FULL || disk == DiskCondition.STORAGE_FAILED;
    node.stepAside(aside.look(takesNothing, clock.nanos()));
    lost.look(node.isLost(), clock.nanos());
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
        .filter(leader -> !leader.name().equals(cluster.node()))
        .map(Placement.Member::address);
  }

  /** This node's own part in the cluster. */
  private final class Part implements PlacementView.Part {

    @Override
    public String name() {
      return cluster.node();
    }

    @Override
    public boolean leads(int unit) {
      return roles.isLeading(unit);
    }

    @Override
    public NodeStatus status() {
      return new NodeStatus(cluster.node(), replicas.status());
    }

    @Override
    public void drain(boolean isDraining) {
      node.drain(isDraining);
    }
  }

  /** How many of the catalog and the groups of tunnels are led here; for tests. */
  int storesLed() {
    return (int) tunnels.stores().values().stream().filter(LedStore::isLeading).count();
  }

  @Override
  public InetSocketAddress localAddress() {
    return net.localAddress();
  }

  @Override
  public Optional<InetSocketAddress> httpAddress() {
    return http.map(HttpServer::localAddress);
  }

  @Override
  public CompletableFuture<String> failure() {
    return node.failure();
  }

  @Override
  public long stopMsMax() {
    return STOP_MS_MAX;
  }

  /** Hands over what it leads, if there is anybody, and closes everything. Idempotent. */
  @Override
  public void close() throws IOException {
    if (!parts.areClosed() && !failure().isDone() && node.hasSuccessor()) {
      drain();
    }
    parts.close();
  }

  private void drain() {
    if (!log.answers()) {
      LOGGER.warn("stopping at once: the log does not answer, so nobody can take over in order");
      return;
    }
    node.drain(true);
    CompletableFuture<Void> drained = new CompletableFuture<>();
    var look =
        control.scheduleWithFixedDelay(
            () -> {
              if (node.isDrained() || !node.hasSuccessor()) {
                drained.complete(null);
              }
            },
            0,
            DRAIN_LOOK_MS,
            TimeUnit.MILLISECONDS);
    try {
      drained.get(DRAIN_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      LOGGER.warn("stopping, though others have not taken over everything");
    } catch (ExecutionException e) {
      throw new IllegalStateException("a look at how far it is has failed", e);
    } finally {
      look.cancel(false);
    }
  }
}
