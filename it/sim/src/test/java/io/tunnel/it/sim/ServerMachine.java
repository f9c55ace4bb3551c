package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimStore;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.SweepTruth;
import io.tunnel.server.backup.SimBackups;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.read.SimRows;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The machine of a world's server: the disks, the clock, the stored catalog, and the server that
 * runs between two crashes.
 */
public final class ServerMachine {

  private static final long RETAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long SWEEP_LOOK_MS = 500;

  private final World world;
  private final SimStore store = new SimStore();
  private List<SimDisk> disks = new ArrayList<>();
  private final List<SimRows> rows = new ArrayList<>();
  private final SweepTruth sweeps;
  private SimServer server;
  private int servers;

  private final WallClock wall;
  private long learnedMicros;
  private boolean hadPowerLoss;
  private boolean isStarting;
  private int childPartition;
  private Predicate<String> failsBehind = name -> false;
  private int powerLosses;

  /** What the next start is told of the backup that the disks were restored from. */
  private Optional<SimRestores.Mark> restored = Optional.empty();

  private int restores;

  /** By row session, how often the server had been restored when the session was opened. */
  private final Map<Long, Integer> sessionRestores = new HashMap<>();

  private long restoredNanos;

  /** The machine fails just now. */
  static final class Failure extends Error {
    private static final long serialVersionUID = 1;

    Failure() {
      super("the machine fails", null, false, false);
    }
  }

  ServerMachine(World world) {
    this.world = world;
    this.wall = new WallClock(world.agenda::nowNanos);
    this.sweeps =
        new SweepTruth(world.settings.kind().expiredRowsPerSecondMax(), world.settings.shards());
    store.observe(
        new SimStore.Observer() {
          @Override
          public void written(Map<String, Optional<String>> changes) {
            changes.forEach((name, text) -> stored(name, text));
            storedSkips(changes);
            if (changes.keySet().stream().anyMatch(failsBehind)) {
              failsBehind = name -> false;
              throw new Failure();
            }
          }

          @Override
          public void beforeOrAfter() {
            world.maybeFail(Happening.SERVER_CRASHED_IN_THE_CATALOG);
          }
        });
    for (int i = 0; i < world.settings.shards(); i++) {
      disks.add(new SimDisk(this::diskChanges));
      rows.add(new SimRows());
    }
  }

  private void stored(String name, Optional<String> text) {
    world.trace.add("catalog: " + name);
    if (name.startsWith("table/")) {
      int tableId = Integer.parseInt(name.substring("table/".length()));
      world.watch(
          () -> world.ledger.stored(tableId, text.map(one -> Json.ofText(one, TableRecord.class))));
    } else if (name.startsWith("rowsession/") && text.isPresent()) {
      world.watch(() -> world.ledger.ids.given("row session", name));
      sessionRestores.put(Long.parseLong(name.substring("rowsession/".length())), restores);
    } else if (name.equals("incarnations") && text.isPresent()) {
      String newest = text.get().replaceAll(".*?(\\d+)\\D*$", "$1");
      world.watch(() -> world.ledger.ids.given("incarnation", newest));
    }
  }

  private void storedSkips(Map<String, Optional<String>> changes) {
    Map<String, TreeMap<Long, SkippedChange>> byTunnel = new TreeMap<>();
    changes.forEach(
        (name, text) -> {
          if (name.startsWith("skipped/") && text.isPresent()) {
            StoredSkip skip = Json.ofText(text.get(), StoredSkip.class);
            byTunnel
                .computeIfAbsent(
                    name.substring(name.indexOf('/') + 1, name.lastIndexOf('/')),
                    any -> new TreeMap<>())
                .put(skip.ordinal(), skip.change());
          }
        });
    byTunnel.forEach((id, skips) -> world.watch(() -> world.ledger.skipped(id, skips)));
  }

  /** Which of the changes that a tunnel left out a stored text tells of. */
  static long skipOrdinal(String text) {
    return Json.ofText(text, StoredSkip.class).ordinal();
  }

  /** As the catalog stores a change that was left out. */
  private record StoredSkip(long ordinal, SkippedChange change) {}

  private void diskChanges() {
    world.maybeFail(Happening.SERVER_CRASHED_IN_A_WRITE);
  }

  public int serverNumber() {
    return servers;
  }

  boolean isUp() {
    return server != null;
  }

  public SimServer server() {
    return server;
  }

  /** Starts the server on what its disks hold; it may fail again while it does. */
  public void start() {
    int number = ++servers;
    SimProcess process =
        world.born(
            new SimProcess(
                "server-" + number, world.agenda, world.random.split(), this::afterServerTask));
    world.trace.add(process + " starts");
    long nanosBefore = world.faults.nextLong(1L << 40);
    Shard.Clock clock =
        new Shard.Clock() {
          @Override
          public long epochMicros() {
            return nowMicros();
          }

          @Override
          public long nanos() {
            return nanosBefore + world.agenda.nowNanos();
          }
        };
    try {
      SimServer started =
          new SimServer(
              process,
              new SimServer.Machine(
                  disks, rows, store, clock, world.settings.kind(), world.network.isClosed()));
      restored.ifPresent(from -> restored(from, started));
      for (PartitionTruth partition : world.ledger.existing()) {
        long lost = partition.recovered(started.changes(), hadPowerLoss);
        world.wiretap.numbered().lost(partition.id, partition.committed());
        if (lost > 0) {
          world.count(Happening.CHANGES_LOST_WITH_POWER);
          world.trace.add(lost + " changes of partition " + partition.id + " are lost");
          world.ledger.lost(partition);
        }
      }
      hadPowerLoss = false;
      server = started;
      started.security().listen(() -> world.rights.noted(process, started.rights()));
      if (world.settings.kind().forgets()) {
        started.retainEvery(RETAIN_NANOS, this::nowMicros);
      }
      isStarting = true;
      learn();
      learnTunnels();
      restored.ifPresent(from -> world.watch(() -> from.requireChannels(tunnels(), this::views)));
      restored = Optional.empty();
      look();
      isStarting = false;
    } catch (Failure e) {
      process.kill();
      died(world.faults.nextBoolean());
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("the server does not start: %s", e);
    }
  }

  /** The disks of a server that is down are those of a restored backup. */
  void restore(SimBackups.Restored made, SimRestores.Mark from) {
    disks = new ArrayList<>();
    made.disks().forEach(disk -> disks.add(disk.afterDeath(this::diskChanges)));
    rows.clear();
    rows.addAll(made.rows());
    store.restore(made.catalog());
    restored = Optional.of(from);
    restores++;
    restoredNanos = world.agenda.nowNanos();
  }

  private void restored(SimRestores.Mark from, SimServer started) {
    hadPowerLoss = false;
    world.watch(() -> from.requireTables(started.catalog().tables()));
    for (PartitionTruth partition : world.ledger.existing()) {
      long before = partition.committed();
      world.watch(() -> from.requirePartition(partition, started.changes()));
      if (partition.committed() < before) {
        world.count(Happening.CHANGES_LOST_WITH_RESTORE);
      }
    }
  }

  /** How often the machine was restored from a backup. */
  public int restores() {
    return restores;
  }

  /** Whether the server was restored since it has opened a row session. */
  boolean isRestoredSince(long session) {
    return sessionRestores.get(session) < restores;
  }

  /** When it was restored last. */
  long restoredNanos() {
    return restoredNanos;
  }

  /** How often the machine has lost its power. */
  int powerLosses() {
    return powerLosses;
  }

  /** Whether a loss of power took something that the next start will tell. */
  boolean hasUnknownLosses() {
    return hadPowerLoss;
  }

  List<SimDisk> disks() {
    return List.copyOf(disks);
  }

  List<SimRows> rows() {
    return List.copyOf(rows);
  }

  SimStore store() {
    return store;
  }

  public long nowMicros() {
    return wall.nowMicros();
  }

  /** The least time that the clock has shown since a moment. */
  public long lowestMicrosSince(long nanos) {
    return wall.lowestMicrosSince(nanos);
  }

  /** The greatest time that the clock has ever shown. */
  public long latestMicros() {
    return wall.latestMicros();
  }

  /** Moves the server's wall clock. */
  public void skewClock(long micros) {
    wall.skew(micros);
    world.count(micros < 0 ? Happening.CLOCK_SET_BACK : Happening.CLOCK_SET_FORWARD);
  }

  public boolean wasClockSetBack() {
    return world.happened.containsKey(Happening.CLOCK_SET_BACK);
  }

  /** Ends the server's process, and with {@code power} everything that was not synced. */
  public void crash(boolean power) {
    world.trace.add("the server " + (power ? "loses power" : "is killed"));
    world.count(power ? Happening.SERVER_LOST_POWER : Happening.SERVER_KILLED);
    world.network.open().forEach(each -> crashSeenBy(each, power));
    died(power);
  }

  /** The machine has failed in the middle of what it did. */
  void failed() {
    world.network.open().forEach(each -> crashSeenBy(each, false));
    died(world.faults.nextBoolean());
  }

  /** Where a new connection goes; null when there is no server. */
  SimNetwork.Accepted accept() {
    return server == null ? null : server.accept();
  }

  /** Ends the server's machine, and with it everything that was not synced without exception. */
  public void losePowerWithAllUnsynced() {
    disks.forEach(SimDisk::loseUnsynced);
    crash(true);
  }

  /** Ends the server's process as soon as its catalog has stored something of such a name. */
  public void crashWhenStored(Predicate<String> name) {
    failsBehind = name;
  }

  private void crashSeenBy(SimConnection connection, boolean power) {
    if (power) {
      connection.cut(world.faults.nextLong(TimeUnit.SECONDS.toNanos(4)), -1);
    } else {
      connection.serverDied();
    }
  }

  private void died(boolean power) {
    if (server != null) {
      server.process().kill();
      world.ledger.serverDied();
      world.wiretap.serverDied();
      server = null;
    }
    hadPowerLoss |= power;
    powerLosses += power ? 1 : 0;
    List<SimDisk> next = new ArrayList<>();
    for (SimDisk disk : disks) {
      next.add(
          power
              ? disk.afterPowerLoss(world.faults, this::diskChanges)
              : disk.afterDeath(this::diskChanges));
    }
    disks = next;
    rows.replaceAll(SimRows::afterDeath);
  }

  private void afterServerTask(SimThread thread) {
    if (server != null && thread.process == server.process()) {
      server.wakeShards();
      learn();
      if (server.isControl(thread)) {
        look();
      }
    }
  }

  /** Takes in what the log has committed. */
  public void learn() {
    if (server != null) {
      long nowMicros = wall.livedMicros();
      for (PartitionTruth partition : world.ledger.existing()) {
        if (partition.learn(server.changes(), server.catalog().rowSessions()::has, learnedMicros)
            > 0) {
          world.count(Happening.ROW_EXPIRED);
        }
        sweeps.deleted(
            server.shardOf(partition.id), partition.takeSwept(), world.agenda.nowNanos());
        if (partition.hasUnbound()) {
          world.count(Happening.BOUND_ROW_GONE);
        }
      }
      if (world.ledger.forgets()) {
        world.ledger.requireKept(server.changes(), nowMicros);
      }
      learnedMicros = nowMicros;
    }
  }

  /**
   * Lets time pass until each row has expired and is gone, at the pace of the server; when nobody
   * writes.
   */
  void requireSwept() {
    double secondsMax = 0;
    for (int shard = 0; shard < world.settings.shards(); shard++) {
      double untilLast = Math.max(0, (lastExpiresMicros(shard) - nowMicros()) / 1e6);
      secondsMax = Math.max(secondsMax, sweeps.secondsMax(server.expiryEntries(shard), untilLast));
    }
    long waitedMs = 0;
    while (world.ledger.existing().stream()
        .anyMatch(each -> each.lastExpiresMicros().isPresent())) {
      Invariant.SWEPT_AT_PACE.require(
          waitedMs <= secondsMax * 1_000,
          "rows are there %d ms after the last write, and must go in %.1f s",
          waitedMs,
          secondsMax);
      world.run(SWEEP_LOOK_MS);
      waitedMs += SWEEP_LOOK_MS;
    }
    world.count(Happening.SWEPT_AT_PACE);
  }

  private long lastExpiresMicros(int shard) {
    return world.ledger.existing().stream()
        .filter(each -> server.shardOf(each.id) == shard)
        .flatMapToLong(each -> each.lastExpiresMicros().stream())
        .max()
        .orElse(0);
  }

  /** Takes in which tunnels there are. */
  public void learnTunnels() {
    if (server != null) {
      for (TunnelInfo tunnel : server.catalog().tunnels(Optional.empty())) {
        for (ChannelDescription channel : views(tunnel)) {
          world.ledger.learn(tunnel, channel);
        }
      }
    }
  }

  /** The partitions that one was made of. */
  public List<Integer> parents(int partition) {
    return partition == childPartition ? List.of(childPartition - 1) : List.of();
  }

  /** Rewrites the catalog of a server that is down: a partition was made of the one before it. */
  public void makeChild(int partition) {
    childPartition = partition;
    store.makeChild(partition);
    world.count(Happening.PARTITION_WITH_PARENT);
  }

  public boolean isStarting() {
    return isStarting;
  }

  /** Gives up the rows that are kept for base channels. */
  void giveUpSnapshots() {
    if (server != null && server.bases().isKeeping()) {
      world.trace.add("snapshots are given up");
      world.count(Happening.SNAPSHOT_GIVEN_UP);
      server.bases().giveUp();
    }
  }

  private void look() {
    for (TunnelInfo tunnel : server.catalog().tunnels(Optional.empty())) {
      for (ChannelDescription view : views(tunnel)) {
        world.ledger.learn(tunnel, view);
        world.ledger.look(view);
      }
    }
    world.ledger.looked();
  }

  public List<TunnelInfo> tunnels() {
    return server.catalog().tunnels(Optional.empty());
  }

  void countSegments() {
    for (Shard shard : server.changes().all()) {
      if (shard.log().segmentCount() > 1) {
        world.count(Happening.SEGMENT_ROLLED);
      }
    }
  }

  public List<ChannelDescription> views(TunnelInfo tunnel) {
    try {
      return server.view(tunnel, nowMicros()).channels();
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("a tunnel cannot be described: %s", e);
    }
  }
}
