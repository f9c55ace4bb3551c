package io.tunnel.it.sim;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimStore;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.engine.LocalRooms;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Served;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.log.SimLogs;
import io.tunnel.server.net.SimFront;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.SimGate;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.SimShards;
import io.tunnel.server.partition.read.SimBases;
import io.tunnel.server.partition.read.SimRows;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.PassedTime;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A server between two starts: the real rooms, on simulated threads, over a disk and a store that
 * outlive it.
 */
public final class SimServer {

  public static final long REVOKE_DEADLINE_MS = 2_000;
  private static final int SEGMENT_BYTES_MAX = 3_000;
  private static final int DELIVERY_BYTES_MAX = 250;

  /**
   * A backlog of more than a delivery is far behind; pacing is off, so that stories do not depend
   * on it.
   */
  private static final RationConfig CATCH_UP = new RationConfig(false, 300, 1_000, 110);

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int LOOPS = 2;
  private static final Bytes GRANTS_KEY = Bytes.fromHex("52");

  private final SimProcess process;
  private final List<SimThread> shardThreads = new ArrayList<>();
  private final boolean[] isStepping;
  private final List<SimLoop> loops = new ArrayList<>();
  private final SimThread control;
  private final TunnelCatalog catalog;
  private final SimShards shards;
  private final SimBases bases;
  private final LocalRooms rooms;
  private final Served served;
  private final SimFront front;
  private int connections;

  /** What a server stands on: it outlives the server. */
  record Machine(
      List<SimDisk> disks,
      List<SimRows> rows,
      SimStore store,
      Shard.Clock clock,
      Upkeep.Kind kind,
      boolean isClosed) {}

  SimServer(SimProcess process, Machine machine) throws IOException {
    this.process = process;
    this.control = process.thread("control");
    SimThread readers = process.thread("reader");
    for (int i = 0; i < LOOPS; i++) {
      loops.add(new SimLoop(process.thread("loop-" + i)));
    }
    catalog = new TunnelCatalog(new Catalog(machine.store()));
    List<LocalLog> opened = new ArrayList<>();
    for (SimDisk disk : machine.disks()) {
      shardThreads.add(process.thread("shard-" + opened.size()));
      opened.add(SimLogs.open(disk, opened.size(), SEGMENT_BYTES_MAX));
    }
    isStepping = new boolean[opened.size()];
    Catalog tables = catalog.tables();
    shards =
        new SimShards(
            opened,
            machine.rows(),
            tables::hasPartition,
            new Expiries(partition -> Expiry.of(tables.meta(partition))),
            new SimRows.Known(
                catalog.rowSessions()::owner,
                partition ->
                    tables.meta(partition).flatMap(meta -> AutoNumbers.of(meta.primaryKey()))),
            machine.clock());
    bases = new SimBases(shards, readers, machine.clock()::epochMicros);
    rooms =
        new LocalRooms(
            new LocalRooms.Kept(catalog, shards.all(), bases, OwnLevel.newest()),
            machine.kind().hasReading() ? begin(machine.clock()) : Incarnations.none(),
            ChannelGrants.of(GRANTS_KEY),
            new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX),
            machine.kind().expiredRowsPerSecondMax(),
            new Ports.Threads(control, readers, machine.clock()));
    served = new Served(rooms.ports(), DELIVERY_BYTES_MAX, CATCH_UP);
    front = new SimFront(served, machine.isClosed() ? closedGate(machine.clock()) : Gate.open());
    tickLater(machine.clock());
  }

  private Gate closedGate(Shard.Clock clock) {
    return SimGate.closed(process.random().split(), this::rights, clock::nanos);
  }

  /** The principals, keys and rights that the server knows. */
  public SecuritySnapshot rights() {
    return security().snapshot();
  }

  SecurityRecords security() {
    return catalog.tables().security();
  }

  private Incarnations begin(Shard.Clock clock) throws IOException {
    return catalog
        .tables()
        .beginIncarnation(
            shards.all()::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
  }

  private void tickLater(Shard.Clock clock) {
    control.after(
        TICK_NANOS,
        () -> {
          rooms.coordinator().tick();
          served.tick();
          rooms.rowSessions().tick();
          rooms.logs().expire(clock.nanos());
          tickLater(clock);
        });
  }

  /** Wakes shards that were given something to do. */
  void wakeShards() {
    for (int i = 0; i < isStepping.length; i++) {
      if (!isStepping[i] && !shards.isIdle(i)) {
        int shard = i;
        isStepping[shard] = true;
        shardThreads
            .get(shard)
            .execute(
                () -> {
                  isStepping[shard] = false;
                  shards.step(shard);
                });
      }
    }
  }

  boolean isControl(SimThread thread) {
    return thread == control;
  }

  SimProcess process() {
    return process;
  }

  SimNetwork.Accepted accept() {
    SimLoop loop = loops.get(connections++ % LOOPS);
    return new SimNetwork.Accepted(loop, front.handlers());
  }

  TunnelCatalog catalog() {
    return catalog;
  }

  public Shards changes() {
    return shards.all();
  }

  RowFold rows(int partition) {
    return shards.rows(partition);
  }

  /** The shard of a partition. */
  int shardOf(int partition) {
    return shards.shardOf(partition);
  }

  /** Entries of a shard's index of rows that will expire. */
  long expiryEntries(int shard) {
    return shards.expiryEntries(shard);
  }

  TunnelDescription view(TunnelInfo tunnel, long nowMicros) throws IOException {
    return rooms
        .coordinator()
        .view(tunnel)
        .describe(shards.all(), partition -> LogFigures.UNKNOWN, nowMicros);
  }

  /** Looks, soon, for changes that tables keep no longer. */
  public void retain(LongSupplier epochMicros) {
    control.execute(
        () -> {
          try {
            rooms.logs().retain(PassedTime.at(epochMicros.getAsLong()));
          } catch (IOException e) {
            throw Invariant.NOTHING_BREAKS.broken("changes cannot be given up: %s", e);
          }
        });
  }

  /** Looks for them again and again. */
  void retainEvery(long nanos, LongSupplier epochMicros) {
    control.after(
        nanos,
        () -> {
          retain(epochMicros);
          retainEvery(nanos, epochMicros);
        });
  }

  SimBases bases() {
    return bases;
  }
}
