package io.tunnel.server.engine;

import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.disk.OpenFiles;
import io.tunnel.server.metrics.LocalMeters;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.PlausibleClock;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.read.BaseSnapshots;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of a server without a cluster: log, rows, catalog and tunnels are in its own
 * directory.
 *
 * <p>Threads: one owner per shard, a control thread for catalog and sessions, readers for rows.
 */
public final class LocalEngine implements Engine {

  private static final Logger LOGGER = LoggerFactory.getLogger(LocalEngine.class);

  private final Parts parts = new Parts();
  private final PlausibleClock clock;
  private final ServerConfig config;
  private final TunnelCatalog catalog;
  private final Shards shards;
  private final BaseSnapshots bases;
  private final ScheduledExecutorService control;
  private final LocalRooms rooms;
  private final LossWatch losses;

  /**
   * Opens the data directory, and recovers.
   *
   * @param disks the disks of the log's files
   * @throws IOException when the directory or its content is unusable; the message says what to
   *     change
   */
  public LocalEngine(Path data, ServerConfig config, Disks disks, ServerMeters meters)
      throws IOException {
    this.config = config;
    this.clock = new PlausibleClock(new SystemClock(), config.shard().clockJumpAcceptedMs());
    try {
      DataDirectory directory = parts.open(DataDirectory.open(data, config.log().shards()));
      catalog = parts.open(TunnelCatalog.open(directory.path().resolve("catalog"), clock::nanos));
      catalog.tables().limit(config::catalog);
      LocalMeters local = new LocalMeters(meters);
      local.catalog(catalog);
      shards = parts.open(open(directory, disks, meters));
      clock.begin(catalog, shards.newestMicros());
      local.clock(clock::doubtSeconds);
      // Before anything listens: no reader sees a position that may be given again.
      Incarnations incarnations =
          catalog
              .tables()
              .beginIncarnation(
                  shards::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
      meters.watch(shards, config.shard().freeBytesMin());
      ReadThreads readers = ReadThreads.open(parts);
      bases =
          parts.open(
              new BaseSnapshots(
                  catalog.tables(),
                  shards,
                  shards,
                  readers.scans(),
                  clock,
                  BaseSnapshots.Limits.ofAge(config.base().snapshotMsMax())));
      local.keptRows(bases::count, bases::refused);
      control = parts.openThreads(new OwnThread("control"));
      rooms =
          new LocalRooms(
              new LocalRooms.Kept(catalog, shards, bases, directory),
              incarnations,
              ChannelGrants.of(WiringChance.secret(ChannelGrants.KEY_BYTES)),
              config.session(),
              config.shard().expiredRowsPerSecondMax(),
              readers.with(control, clock));
      local.expiryLag(rooms.logs()::expiryLagMicros);
      local.rowSessions(rooms.rowSessions()::count);
      losses = new LossWatch(rooms.ports().tunnels(), clock::nanos, meters::lost);
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private Shards open(DataDirectory directory, Disks disks, ServerMeters meters)
      throws IOException {
    OwnCatalog own =
        OwnCatalog.of(
            catalog.tables(), catalog.rowSessions()::owner, catalog.origin(WiringChance::number));
    return Shards.open(
        new Shards.Layout(
            directory.path(),
            directory.shards(),
            config.log().segmentBytesMax(),
            config.shard(),
            config.table(),
            new OpenFiles(disks, config.log().openFilesMax())),
        own,
        meters,
        clock);
  }

  @Override
  public Ports ports() {
    return rooms.ports();
  }

  @Override
  public NetConfig address() {
    return config.net();
  }

  /** Accepted writes are committed and folded before the engine is closed. */
  @Override
  public Closeable begin(Served served, Runnable stopListening) {
    DiskLook look = new DiskLook(looks());
    Ticks.every(parts.openThreads(new OwnThread("disks")), clock::nanos, DiskLook.EVERY_MS, look);
    Ticks.begin(
        control,
        clock::nanos,
        List.of(
            catalog::tend,
            () -> clock.tick(catalog),
            rooms.coordinator()::tick,
            bases::tick,
            served::tick,
            rooms.rowSessions()::tick,
            this::expire));
    long checkMs = config.log().retentionCheckMs();
    // Before retention runs: an earlier process has counted what is lost now.
    losses.look();
    control.scheduleWithFixedDelay(this::retain, checkMs, checkMs, TimeUnit.MILLISECONDS);
    return () -> {
      stopListening.run();
      shards.all().forEach(Shard::drain);
    };
  }

  private void expire() {
    rooms.logs().expire(clock.nanos());
  }

  private void retain() {
    try {
      shards.all().forEach(Shard::lookForRoom);
      rooms.logs().retain(clock.passed());
      losses.look();
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      LOGGER.error("cannot look for changes whose retention has ended; will retry", e);
    }
  }

  private Map<String, Supplier<DiskCondition>> looks() {
    Map<String, Supplier<DiskCondition>> looks = new TreeMap<>();
    looks.put("the catalog", catalog::condition);
    int id = 0;
    for (Shard shard : shards.all()) {
      looks.put("shard " + id++, shard::condition);
    }
    return looks;
  }

  @Override
  public DiskCondition condition() {
    DiskCondition ofCatalog = catalog.condition();
    DiskCondition ofShards = shards.condition();
    return ofCatalog.compareTo(ofShards) > 0 ? ofCatalog : ofShards;
  }

  @Override
  public Health health(int connections) {
    String status = condition().name();
    int tables = catalog.tables().tables().size();
    return clock
        .doubt()
        .<Health>map(doubt -> new Health.ClockInDoubt(status, connections, tables, doubt))
        .orElseGet(() -> new Health.Alone(status, connections, tables));
  }

  @Override
  public void close() throws IOException {
    parts.close();
  }
}
