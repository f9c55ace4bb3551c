package io.tunnel.it.sim;

import io.tunnel.model.Bytes;
import io.tunnel.server.DroppedDeliveries;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.log.Incarnations;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.log.SimLogs;
import io.tunnel.server.net.Attachments;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.Readings;
import io.tunnel.server.net.SimFront;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.SimBases;
import io.tunnel.server.partition.SimRows;
import io.tunnel.server.partition.SimShards;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.LogEdges;
import io.tunnel.server.session.LogFigures;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.session.Surroundings;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.wire.Control.TunnelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A server between two starts: the real rooms, on simulated threads, over a disk and a store that
 * outlive it.
 */
final class SimServer {

  static final long REVOKE_DEADLINE_MS = 2_000;
  private static final int SEGMENT_BYTES_MAX = 3_000;
  private static final int DELIVERY_BYTES_MAX = 250;
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
  private final Coordinator coordinator;
  private final SimBases bases;
  private final OwnLogs logs;
  private final SimFront front;
  private int connections;

  /** What a server stands on: it outlives the server. */
  record Machine(
      List<SimDisk> disks,
      List<SimRows> rows,
      SimStore store,
      Shard.Clock clock,
      boolean hasReadings) {}

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
    shards = new SimShards(opened, machine.rows(), catalog.tables()::hasPartition, machine.clock());
    logs = new OwnLogs(catalog.tables(), shards.all());
    bases = new SimBases(shards, readers, control, machine.clock()::epochMicros);
    Surroundings surroundings = new Joined(shards.all(), bases, control, machine.clock());
    Channels channels = new Channels(shards.all(), bases, DELIVERY_BYTES_MAX);
    Coordinator.Naming naming = new Coordinator.Naming(new Handles(), ChannelGrants.of(GRANTS_KEY));
    coordinator =
        Coordinator.alone(
            catalog,
            shards.all(),
            naming,
            new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX),
            surroundings);
    Incarnations incarnations =
        machine.hasReadings() ? begin(machine.clock()) : Incarnations.none();
    LogEdges edges = LogEdges.of(shards.all(), incarnations);
    Attachments attachments =
        new Attachments(
            ClusterView.none(),
            shards.all(),
            new Attachments.Delivered(
                channels,
                new Readings.Positions(shards.all(), Incarnations.none()),
                (partition, then) -> then.accept(Optional.empty())),
            naming.handles(),
            naming.grants());
    NetServer.Delivery delivery =
        new NetServer.Delivery(
            attachments,
            machine.hasReadings()
                ? Optional.of(
                    new NetServer.Reading(
                        readings(
                            channels, naming.handles(), incarnations, machine.clock(), readers),
                        new PositionFinder(edges, surroundings)))
                : Optional.empty());
    catalog.tables().listen(new DroppedDeliveries(delivery));
    front =
        new SimFront(
            shards.all(),
            logs,
            delivery,
            new TunnelHost(
                catalog,
                coordinator,
                new Operators(catalog, edges, coordinator, surroundings),
                control),
            new NetServer.Threads(control, readers, machine.clock()::epochMicros));
    tickLater();
  }

  /** Who reads without a tunnel, joined as the server does. */
  private Readings readings(
      Channels channels,
      Handles handles,
      Incarnations incarnations,
      Shard.Clock clock,
      SimThread readers) {
    RowMoments moments =
        new RowMoments(catalog.tables(), shards.all(), shards.all(), readers, clock);
    return new Readings(
        shards.all(),
        new Readings.Positions(shards.all(), incarnations),
        channels,
        moments,
        (partition, then) ->
            shards.all().of(partition).execute(() -> then.accept(Optional.empty())),
        handles);
  }

  private Incarnations begin(Shard.Clock clock) throws IOException {
    return catalog
        .tables()
        .beginIncarnation(
            shards.all()::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
  }

  /** What the server's own wiring does, with the rows that are kept in a simulation. */
  private record Joined(Shards shards, SimBases bases, SimThread control, Shard.Clock clock)
      implements Surroundings {

    @Override
    public long nanos() {
      return clock.nanos();
    }

    @Override
    public long epochMicros() {
      return clock.epochMicros();
    }

    @Override
    public void control(Runnable action) {
      control.execute(action);
    }

    @Override
    public void passBarrier(int partition, Runnable then) {
      shards.of(partition).execute(() -> control(then));
    }

    @Override
    public void keepRows(String tunnelId, Collection<Integer> partitions, Kept whenKept) {
      bases.keep(tunnelId, partitions, whenKept);
    }

    @Override
    public void forgetRows(String tunnelId) {
      bases.forget(tunnelId);
    }

    @Override
    public void forgetRows(String tunnelId, int partition) {
      bases.forget(tunnelId, partition);
    }
  }

  private void tickLater() {
    control.after(
        TICK_NANOS,
        () -> {
          coordinator.tick();
          tickLater();
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

  Shards changes() {
    return shards.all();
  }

  RowFold rows(int partition) {
    return shards.rows(partition);
  }

  TunnelDescription view(TunnelInfo tunnel, long nowMicros) throws IOException {
    return coordinator.view(tunnel).describe(LogFigures.of(shards.all()), nowMicros);
  }

  /** Looks, soon, for changes that tables keep no longer. */
  void retain(LongSupplier epochMicros) {
    control.execute(
        () -> {
          try {
            logs.retain(epochMicros.getAsLong());
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
