package io.tunnel.server.node;

import io.tunnel.model.Level;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.PeerWatch;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.disk.OpenFiles;
import io.tunnel.server.engine.DataDirectory;
import io.tunnel.server.engine.DiskLook;
import io.tunnel.server.engine.Engine;
import io.tunnel.server.engine.Health;
import io.tunnel.server.engine.LossWatch;
import io.tunnel.server.engine.OwnThread;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.ReadThreads;
import io.tunnel.server.engine.Served;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.Ticks;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.kafka.members.NodeNameTakenException;
import io.tunnel.server.metrics.LocalMeters;
import io.tunnel.server.metrics.NodeMeters;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.partition.ExpirySweeps;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.server.replica.append.AppendReplicas;
import io.tunnel.server.replica.append.Snapshots;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of a node of a cluster: log, catalog and tunnels are in Kafka, and the node's own
 * directory is a cache of Kafka.
 *
 * <p>Threads: per shard one owner and one reader of the log; a control thread for the catalog and
 * the node's roles; one per group of tunnels, for the group and its sessions; some that block for
 * stores; readers of rows; and the threads of Kafka's clients.
 */
public final class ClusterEngine implements Engine {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterEngine.class);
  private static final long ENDS_MS = 500;

  /** Interval at which replicas look whether a claim or another timer is due. */
  private static final long REPLICAS_MS = 25;

  /**
   * Least number of questions to the log within the time after which rows are too old to be read.
   */
  private static final long LOOKS_AT_ENDS = 4;

  /** Interval of the questions whether the catalog was read to the end of its log. */
  private static final long CATALOG_MS = 1_000;

  /**
   * Lower bound of the catalog's allowed age, where sessions are shorter: the log takes time to
   * answer.
   */
  private static final int CATALOG_AGE_MS_MIN = 3_000;

  private static final long DECIDE_INTERVAL_MS = 250;

  /** Directory below the data directory; may be deleted while the node does not run. */
  private static final String REPLICAS = "replicas";

  /** Longest wait of a stop for other nodes to take over. */
  private static final long DRAIN_MS_MAX = 10_000;

  /** Longest stop before the process just ends: its disk holds nothing but a cache. */
  private static final long STOP_MS_MAX = 15_000;

  private static final long DRAIN_LOOK_MS = 50;

  private final Parts parts = new Parts();
  private final SystemClock clock = new SystemClock();
  private final NodeMeters meters;
  private final ServerConfig config;
  private final ClusterConfig cluster;
  private final NodeAddress address;
  private final NodeThreads threads;
  private final ClusterLog log;
  private final LastPlacement placement;
  private final CatalogAge age;
  private final PartitionEngine engine;
  private final NodeReplicas replicas;
  private final NodeRooms rooms;
  private final LossWatch losses;
  private final PeerWatch peers;

  /**
   * Parts of the process that a node uses.
   *
   * @param meters takes the node's counts
   * @param sockets makes connections to other nodes
   */
  public record Outside(ServerMeters meters, SocketFactory sockets) {}

  /**
   * Opens the data directory and finds the cluster.
   *
   * @param disks the disks of the replicas' logs
   * @param outside the parts of the process that the node uses
   * @throws IOException when the directory or the log cannot be used; the message says what to
   *     change
   */
  public ClusterEngine(
      Path data, ServerConfig config, ClusterConfig cluster, Disks disks, Outside outside)
      throws IOException {
    this.config = config;
    this.cluster = cluster;
    ServerMeters meters = outside.meters();
    this.meters = new NodeMeters(meters);
    this.placement = new LastPlacement(cluster.node());
    try {
      address = NodeAddress.of(config.net(), cluster.advertised());
      String incarnation = Long.toString(clock.epochMicros(), Character.MAX_RADIX);
      DataDirectory directory =
          parts.open(DataDirectory.open(data, config.log().shards(), Optional.of(cluster.name())));
      threads = new NodeThreads(parts.openThreads(new OwnThread("control")), groupThreads());
      Path kept = directory.path().resolve(REPLICAS);
      log = parts.open(new ClusterLog(config, cluster, threads, clock, kept, LogForm.OWN));
      log.catalog().limit(() -> config.catalog().forNodes(placement.get().nodes().size()));
      int ageMs = Math.max(CATALOG_AGE_MS_MIN, cluster.log().sessionMs());
      age = new CatalogAge(log::whenCaughtUp, clock::nanos, ageMs);
      engine = engine(layout(kept, directory.shards(), disks), incarnation, outside);
      replicas = engine.replicas();
      this.meters.watch(replicas, config.shard().freeBytesMin());
      rooms = rooms(incarnation);
      losses = new LossWatch(rooms.ports().tunnels(), clock::nanos, meters::lost);
      parts.open(rooms.roles()::close);
      BaseSnapshots rows = parts.open(rooms.keptRows());
      new LocalMeters(meters).keptRows(rows::count, rows::refused);
      peers = new PeerWatch(cluster.node(), outside.sockets(), rooms.node()::evict);
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /**
   * Refuses settings that are valid alone and conflict together. Opens nothing.
   *
   * @throws IllegalArgumentException names the setting and its valid values
   */
  public static void requireUsable(ServerConfig config, ClusterConfig cluster) {
    var unusedKafka = ClusterLog.config(config, cluster);
    var unusedReplicas = replicas(config, cluster);
  }

  private List<ScheduledExecutorService> groupThreads() {
    List<ScheduledExecutorService> opened = new ArrayList<>();
    for (int group = 0; group < Unit.TUNNEL_GROUPS; group++) {
      opened.add(parts.openThreads(new OwnThread("tunnels-" + group)));
    }
    return opened;
  }

  private static ReplicaConfig replicas(ServerConfig config, ClusterConfig cluster) {
    return config.log().replicas().boundBy(cluster.log().sessionMs());
  }

  private AppendReplicas.Layout layout(Path kept, int shards, Disks disks) {
    return new AppendReplicas.Layout(
        log.identity(shards),
        new Shards.Layout(
            kept,
            shards,
            config.log().segmentBytesMax(),
            config.shard(),
            config.table(),
            new OpenFiles(disks, config.log().openFilesMax())),
        replicas(config, cluster));
  }

  private AppendEngine engine(AppendReplicas.Layout kept, String incarnation, Outside outside)
      throws IOException {
    OwnThread timer = new OwnThread("looks");
    // At a stop no caller waits for what is due later.
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    Later later = later(parts.openThreads(timer));
    PeerLooks nodes =
        parts.open(
            new PeerLooks(
                cluster.node(),
                new PeerLooks.Tools(
                    outside.sockets(), new NodeSeals(log.catalog()), clock, later)));
    Snapshots.Threads snapshots =
        new Snapshots.Threads(
            parts.openThreads(new OwnThread("snapshots")),
            parts.openThreads(
                Executors.newCachedThreadPool(task -> new Thread(task, "replica-start"))));
    AppendReplicas.Shared shared =
        new AppendReplicas.Shared(
            parts.open(log.openAppends()),
            parts.open(log.openBlocks()),
            log.problems(),
            snapshots,
            new VerifiedElsewhere(cluster.node(), placement::get, nodes));
    CatalogClock lives = new CatalogClock(clock, age::nanos, RowLives.CATALOG_AGE_MS_MAX);
    AppendReplicas opened =
        parts.open(
            AppendReplicas.open(
                kept,
                shared,
                new AppendReplicas.Self(cluster.node(), incarnation, WiringChance::longNumber),
                new AppendReplicas.Known(
                    OwnCatalog.ofCache(log.catalog()),
                    log.places(),
                    log.places()::retentionMicros,
                    log.places()::retentionBytes,
                    lives::isRecent),
                placement::leaderElsewhere,
                new AppendReplicas.Outside(outside.meters(), lives)));
    PartitionLooks own = opened.looks();
    LeaderLooks leaders =
        new LeaderLooks(
            cluster.node(),
            placement::get,
            own,
            nodes,
            new LeaderLooks.Timing(clock::nanos, later),
            partition -> name(log.catalog(), partition));
    ExpirySweeps sweeps =
        new ExpirySweeps(log.catalog(), opened.shards(), config.shard().expiredRowsPerSecondMax());
    new LocalMeters(outside.meters()).expiryLag(sweeps::lagMicros);
    return new AppendEngine(opened, own, leaders, new RowLives(sweeps, later));
  }

  private static String name(Catalog catalog, int partition) {
    return "partition "
        + partition
        + catalog.meta(partition).map(table -> " of table " + table.name()).orElse("");
  }

  private static Later later(ScheduledExecutorService timer) {
    return (ms, action) -> {
      try {
        var unused = timer.schedule(action, ms, TimeUnit.MILLISECONDS);
        return true;
      } catch (RejectedExecutionException e) {
        return false;
      }
    };
  }

  private NodeRooms rooms(String incarnation) {
    ExecutorService waiting =
        parts.openThreads(Executors.newCachedThreadPool(task -> new Thread(task, "opener")));
    ReadThreads readers = ReadThreads.open(parts);
    return new NodeRooms(
        new NodeRooms.Self(
            new NodeSettings(
                cluster.node(),
                incarnation,
                address.advertised(),
                cluster.standbys(),
                DECIDE_INTERVAL_MS,
                Level.NEWEST),
            cluster.name(),
            config.session(),
            cluster.log().sessionMs(),
            config.base().snapshotMsMax(),
            cluster.isLevelAuto()),
        new NodeRooms.Log(log, engine.tables(log.tables()), log.group()),
        engine,
        placement,
        new ClusterTunnels.Threads(threads, waiting),
        readers.with(threads.control(), clock));
  }

  @Override
  public Ports ports() {
    return rooms.ports();
  }

  @Override
  public NetConfig address() {
    return address.net();
  }

  /**
   * A stop hands the node's units over to other nodes, if there are any, before it sends clients
   * away.
   */
  @Override
  public Closeable begin(Served served, Runnable stopListening) throws IOException {
    rooms.serve(served);
    meters.watch(() -> standing(served));
    Parts member = new Parts();
    member.open(peers);
    member.open(rooms.node());
    try {
      rooms.join();
    } catch (NodeNameTakenException | RefusedException e) {
      IOException failure = new IOException(e.getMessage(), e);
      member.closeAfter(failure);
      throw failure;
    }
    schedule(served);
    return () -> {
      if (!failure().isDone() && rooms.node().hasSuccessor()) {
        drain();
      }
      member.close();
    };
  }

  private NodeMeters.Standing standing(Served served) {
    Placement told = placement.get();
    return new NodeMeters.Standing(
        told.nodes().size(),
        told.generation(),
        log.catalog().partitionIds().size(),
        rooms.tunnels().led().all().size(),
        rooms.roles().isLeading(Unit.CATALOG),
        rooms.node().isDraining(),
        served.attachmentCount(),
        rooms.node().placementCount(),
        rooms.node().lossCount(),
        rooms.takenBack(),
        log.catalog().level(),
        Level.NEWEST);
  }

  private void schedule(Served served) {
    Ticks.every(
        parts.openThreads(new OwnThread("disks")),
        clock::nanos,
        DiskLook.EVERY_MS,
        new DiskLook(replicas.conditions()));
    Ticks.begin(
        threads.control(),
        clock::nanos,
        List.of(
            rooms.node()::tick,
            this::watchPeers,
            rooms::look,
            served::tick,
            () -> engine.expire(clock.nanos())));
    for (int i = 0; i < Unit.TUNNEL_GROUPS; i++) {
      int group = i;
      Ticks.begin(threads.ofGroup(group), clock::nanos, List.of(() -> rooms.tunnels().tick(group)));
    }
    long ageMs = replicas(config, cluster).times().readAgeMsMax();
    long endsMs = Math.max(1, Math.min(ENDS_MS, ageMs / LOOKS_AT_ENDS));
    Ticks.every(threads.control(), clock::nanos, endsMs, replicas::lookAtEnds);
    Ticks.every(threads.control(), clock::nanos, REPLICAS_MS, replicas::tick);
    Ticks.every(threads.control(), clock::nanos, CATALOG_MS, age::look);
    Ticks.every(
        threads.control(),
        clock::nanos,
        config.log().retentionCheckMs(),
        () -> replicas.retain(clock.epochMicros()));
    Ticks.every(threads.control(), clock::nanos, config.log().retentionCheckMs(), losses::look);
  }

  private void watchPeers() {
    peers.watch(placement.get().nodes());
  }

  @Override
  public void requireCurrentCatalog() {
    age.require();
  }

  @Override
  public DiskCondition condition() {
    return replicas.condition();
  }

  @Override
  public Health health(int connections) {
    ReplicaFigures figures = replicas.figures();
    return new Health.OfNode(
        condition().name(),
        cluster.node(),
        ports().view().describe().nodes().size(),
        figures.leading(),
        figures.replicas(),
        connections,
        replicas.status().stream().flatMap(ClusterEngine::failure).toList());
  }

  private static Stream<String> failure(ReplicaStatus replica) {
    return replica.error().stream()
        .map(why -> "partition " + replica.partition() + " is " + replica.role() + ": " + why);
  }

  @Override
  public void look() {
    meters.lags(replicas.status());
  }

  /** Number of stores, of the catalog and of groups of tunnels, that this node leads. */
  public int storesLed() {
    return (int) rooms.tunnels().stores().values().stream().filter(LedStore::isLeading).count();
  }

  @Override
  public CompletableFuture<String> failure() {
    return rooms.node().failure();
  }

  @Override
  public long stopMsMax() {
    return STOP_MS_MAX;
  }

  private void drain() {
    if (!log.answers()) {
      LOGGER.warn("stopping at once: the log does not answer, so no node can take over in order");
      return;
    }
    rooms.node().drain(true);
    CompletableFuture<Void> drained = new CompletableFuture<>();
    var look =
        threads
            .control()
            .scheduleWithFixedDelay(
                () -> {
                  if (rooms.node().isDrained() || !rooms.node().hasSuccessor()) {
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
      LOGGER.warn("stopping before other nodes took over everything");
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot tell whether other nodes took over", e);
    } finally {
      look.cancel(false);
    }
  }

  @Override
  public void close() throws IOException {
    parts.close();
  }
}
