package io.tunnel.server;

import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.log.Disks;
import io.tunnel.server.log.Incarnations;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.Attachments;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.Readings;
import io.tunnel.server.partition.BaseSnapshots;
import io.tunnel.server.partition.DiskCondition;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.PartitionHome;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.LogEdges;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.Surroundings;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.Control.TunnelDescription;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole server: here, and only here, its parts are made, joined and closed.
 *
 * <p>Threads: one owner per shard, a control thread for catalog and sessions, event loops for
 * connections, readers for rows and pages. Parts are closed in the reverse of the order in which
 * they were made.
 */
public final class TunnelServer implements RunningServer {

  private static final Logger LOGGER = LoggerFactory.getLogger(TunnelServer.class);
  private static final long TICK_MS = 100;
  private static final long TICK_GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(3 * TICK_MS);

  private final Parts parts = new Parts();
  private final SystemClock clock = new SystemClock();
  private final TunnelCatalog catalog;
  private final Shards shards;
  private final Incarnations incarnations;
  private final BaseSnapshots bases;
  private final ScheduledExecutorService control;
  private final Coordinator coordinator;
  private final ServerMeters meters;
  private final NetServer net;
  private final Optional<HttpServer> http;

  /**
   * Opens the data directory, recovers, and begins to serve.
   *
   * @throws IOException when the directory, its content or an address cannot be used; says what
   *     would be right
   */
  public TunnelServer(Path data, ServerConfig config) throws IOException {
    this(data, config, Disks.ofSystem());
  }

  /** As {@link #TunnelServer(Path, ServerConfig)}, with its logs on other disks. */
  TunnelServer(Path data, ServerConfig config, Disks disks) throws IOException {
    try {
      DataDirectory directory = parts.open(DataDirectory.open(data, config.log().shards()));
      meters = new ServerMeters();
      parts.open(meters::close);
      catalog = parts.open(TunnelCatalog.open(directory.path().resolve("catalog")));
      catalog.tables().limit(config::catalog);
      meters.catalogSyncs(unused -> catalog.syncs());
      shards =
          parts.open(
              Shards.open(
                  new Shards.Layout(
                      directory.path(),
                      directory.shards(),
                      config.log().segmentBytesMax(),
                      config.shard(),
                      config.table(),
                      disks),
                  catalog.tables()::hasPartition,
                  meters,
                  clock));
      // Before anything listens: no reader is told of positions that may be given again.
      incarnations =
          catalog
              .tables()
              .beginIncarnation(
                  shards::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
      meters.watch(shards);
      ReadThreads readers = ReadThreads.open(parts);
      bases =
          parts.open(
              new BaseSnapshots(
                  catalog.tables(), shards, readers.scans(), clock, config.base().snapshotMsMax()));

      control = parts.openThreads(new OwnThread("control"));
      Surroundings surroundings = new ServerSurroundings(shards, bases, control, clock);
      Channels channels = new Channels(shards, bases, config.session().deliveryBytesMax());
      RowMoments moments =
          new RowMoments(catalog.tables(), this::home, shards, readers.scans(), clock);
      Coordinator.Naming naming =
          new Coordinator.Naming(
              new Handles(), ChannelGrants.of(WiringChance.secret(ChannelGrants.KEY_BYTES)));
      coordinator = Coordinator.alone(catalog, shards, naming, config.session(), surroundings);
      OwnLogs logs = new OwnLogs(catalog.tables(), shards);
      TunnelHost tunnels =
          new TunnelHost(
              catalog,
              coordinator,
              new Operators(catalog, LogEdges.of(shards, incarnations), coordinator, surroundings),
              control);
      net =
          new NetServer(
              config.net(),
              new NetServer.Rooms(
                  catalog.tables(),
                  new NetServer.Rows(
                      shards,
                      new RowReads(catalog.tables(), shards, readers.gets(), readers.scans())),
                  new NetServer.TableRooms(new Tables(shards), logs),
                  new NetServer.Tunnels(
                      TunnelHosts.alone(tunnels),
                      LogFigures.of(shards)
                          .withRows(
                              partition ->
                                  shards
                                      .of(partition)
                                      .table()
                                      .count(partition, LogFigures.COUNTED_ROWS_MAX)
                                      .rows())),
                  ClusterView.none(),
                  delivery(channels, naming, moments, surroundings)),
              new NetServer.Threads(control, readers.descriptions(), clock::epochMicros),
              meters);
      parts.open(net::close);
      Ticks ticks =
          new Ticks(
              clock::nanos,
              TICK_GAP_NANOS_MAX,
              List.of(coordinator::tick, bases::tick, moments::tick));
      // With a delay: at a fixed rate those that were missed would come before what waits.
      control.scheduleWithFixedDelay(ticks, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
      long checkMs = config.log().retentionCheckMs();
      control.scheduleWithFixedDelay(() -> retain(logs), checkMs, checkMs, TimeUnit.MILLISECONDS);
      meters.held(net::held);
      http =
          config.net().httpPort() < 0
              ? Optional.empty()
              : Optional.of(http(config, readers.pages()));
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private NetServer.Delivery delivery(
      Channels channels, Coordinator.Naming naming, RowMoments moments, Surroundings surroundings) {
    Attachments attachments =
        new Attachments(
            ClusterView.none(),
            this::home,
            new Attachments.Delivered(
                channels,
                // What was lost is taken from checkpoints before anybody is served.
                new Readings.Positions(shards, Incarnations.none()),
                // The rows of tunnels are kept as they were when the tunnel began.
                (partition, then) -> then.accept(Optional.empty())),
            naming.handles(),
            naming.grants());
    Readings readings =
        new Readings(
            this::home,
            new Readings.Positions(shards, incarnations),
            channels,
            moments,
            // Rows that are read are fresh when the shard has folded what it was given before.
            (partition, then) -> shards.of(partition).execute(() -> then.accept(Optional.empty())),
            naming.handles());
    meters.readings(readings::count);
    NetServer.Delivery delivery =
        new NetServer.Delivery(
            attachments,
            Optional.of(
                new NetServer.Reading(
                    readings,
                    new PositionFinder(LogEdges.of(shards, incarnations), surroundings))));
    catalog.tables().listen(new DroppedDeliveries(delivery));
    return delivery;
  }

  /** Of a partition of a table that exists. */
  private PartitionHome home(int partition) {
    var unused = catalog.tables().tableOfPartition(partition);
    return shards.of(partition);
  }

  private HttpServer http(ServerConfig config, ThreadPoolExecutor pages) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(net.localAddress().getAddress(), config.net().httpPort());
    HttpServer server =
        new HttpServer(
            address,
            net.eventLoops(),
            config.net().limits().httpConnectionsMax(),
            pages,
            new ServerPages());
    parts.open(server::close);
    return server;
  }

  private void retain(OwnLogs logs) {
    try {
      shards.all().forEach(Shard::lookForRoom);
      logs.retain(clock.epochMicros());
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      LOGGER.error("cannot look for changes that are kept no longer; tried again later", e);
    }
  }

  /** Where clients connect. */
  @Override
  public InetSocketAddress localAddress() {
    return net.localAddress();
  }

  /** Where health and metrics are, if they are served. */
  @Override
  public Optional<InetSocketAddress> httpAddress() {
    return http.map(HttpServer::localAddress);
  }

  /** What the HTTP port says of this server. */
  private final class ServerPages implements HttpServer.Pages {

    @Override
    public boolean isHealthy() {
      return shards.condition() == DiskCondition.UP;
    }

    @Override
    public String health() {
      return new Health.Alone(
              shards.condition().name(), net.connectionCount(), catalog.tables().tables().size())
          .text();
    }

    @Override
    public String metrics() throws IOException {
      Optional<List<TunnelView>> views = views();
      if (views.isPresent()) {
        List<TunnelDescription> tunnels = new ArrayList<>();
        for (TunnelView view : views.get()) {
          tunnels.add(view.describe(LogFigures.of(shards), clock.epochMicros()));
        }
        meters.channels(tunnels);
      }
      return meters.scrape();
    }

    /** None when the control thread has no time; the channels' figures are those of last time. */
    private Optional<List<TunnelView>> views() {
      return Waiting.forAnswer(
          control,
          () -> catalog.tunnels(Optional.empty()).stream().map(coordinator::view).toList());
    }
  }

  /** Stops serving, commits and folds what was accepted, and closes everything. Idempotent. */
  @Override
  public void close() throws IOException {
    if (!parts.areClosed()) {
      net.stopListening();
      shards.all().forEach(Shard::drain);
    }
    parts.close();
  }
}
