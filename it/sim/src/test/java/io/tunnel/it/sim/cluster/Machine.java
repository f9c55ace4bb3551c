package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.group.SimMembership;
import io.tunnel.it.sim.cluster.store.SimCatalogTail;
import io.tunnel.it.sim.cluster.store.SimUnitStore;
import io.tunnel.it.sim.machine.SimControl;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.node.SimClusterNode;
import io.tunnel.server.node.SimEngine;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A machine with disks, and the node that runs on it between two crashes. */
final class Machine {

  static final int SHARDS = 2;
  private static final long STEP_NANOS = 40_000_000;

  private final ClusterWorld world;
  final String name;
  private long skewMicros;
  private final MachineLog log;
  private int starts;
  private Optional<Running> running = Optional.empty();
  boolean isDraining;

  /** The highest level of the build that the next start runs. */
  int levelMax = 1;

  boolean isCutFromClients;

  /** A node between two crashes. */
  private static final class Running {
    private final SimProcess process;
    private final SimLoop loop;
    private final List<SimThread> shardThreads = new ArrayList<>();
    private final boolean[] isStepping = new boolean[SHARDS];
    private final SimThread control;
    private SimCatalogTail tail;
    private SimClusterNode node;

    Running(SimProcess process) {
      this.process = process;
      this.loop = new SimLoop(process.thread("loop"));
      this.control = process.thread("control");
    }
  }

  Machine(ClusterWorld world, String name, long skewMicros) {
    this.world = world;
    this.name = name;
    this.skewMicros = skewMicros;
    log = world.logs.ofMachine(name);
  }

  /** Its wall clock is wrong by so much from now on. */
  void setClock(long micros) {
    skewMicros = micros;
  }

  String address() {
    return name + ":1";
  }

  boolean isUp() {
    return running.isPresent();
  }

  boolean isPaused() {
    return running.map(now -> now.process.isPaused()).orElse(false);
  }

  boolean isOf(SimProcess process) {
    return running.filter(now -> now.process == process).isPresent();
  }

  SimClusterNode node() {
    return running.orElseThrow().node;
  }

  SimProcess process() {
    return running.orElseThrow().process;
  }

  /** The thread of a running node that other nodes ask. */
  Optional<SimThread> controlThread() {
    return running.filter(now -> now.node != null).map(now -> now.control);
  }

  /** Starts the node; the log must be there. False when its build is below the level. */
  boolean start() {
    starts++;
    isDraining = false;
    SimProcess process =
        world.born(
            new SimProcess(name + "." + starts, world.agenda, world.random.split(), any -> wake()));
    Running now = new Running(process);
    running = Optional.of(now);
    for (int i = 0; i < SHARDS; i++) {
      now.shardThreads.add(process.thread("shard-" + i));
    }
    SimThread control = now.control;
    SimEngine partitions = log.start(process, process.thread("kafka"), control);
    try {
      now.node =
          new SimClusterNode(
              new SimClusterNode.Self(
                  name,
                  Integer.toString(starts),
                  address(),
                  world.settings.standbys(),
                  levelMax,
                  world.network.isClosed()
                      ? Optional.of(process.random().split())
                      : Optional.empty()),
              new SimClusterNode.Log(
                  (member, node) ->
                      new SimMembership(
                          member, world.group, world.reach, process.thread("member"), node.get()),
                  new Stores(now, control)),
              partitions,
              new SimClusterNode.Threads(
                  new SimControl(control), process.thread("opener"), process.thread("reader")),
              new Clock(process.random().nextLong(1L << 40)));
    } catch (IOException e) {
      if (!e.getMessage().contains(" has level ")) {
        throw new IllegalStateException(name + " does not start", e);
      }
      kill(Loss.NOTHING);
      return false;
    }
    now.node.security().listen(() -> world.rights.noted(process, now.node.security().snapshot()));
    for (int i = 0; i < SHARDS; i++) {
      stepAgain(now, i);
    }
    return true;
  }

  /** The clocks of a machine: one starts anywhere, the other is a bit wrong. */
  private final class Clock implements Shard.Clock {
    private final long nanosBefore;

    Clock(long nanosBefore) {
      this.nanosBefore = nanosBefore;
    }

    @Override
    public long epochMicros() {
      return world.nowMicros() + skewMicros;
    }

    @Override
    public long nanos() {
      return nanosBefore + world.agenda.nowNanos();
    }
  }

  private final class Stores implements SimClusterNode.Stores {
    private final Running now;
    private final SimThread control;

    Stores(Running now, SimThread control) {
      this.now = now;
      this.control = control;
    }

    @Override
    public Consumer<Runnable> follow(Catalog catalog) {
      now.tail =
          new SimCatalogTail(
              world.stores, catalog, world.reach, () -> world.reach.isReached(name), control);
      now.tail.readAll();
      catalog.caughtUp();
      return now.tail::catchUp;
    }

    @Override
    public CatalogStore open(int unit, StoreListener listener) throws IOException {
      if (!world.reach.isReached(name) || world.reach.loses()) {
        if (isDeaf()) {
          // The former writer is fenced, and this node does not know the outcome.
          SimUnitStore unusedStore = store(unit, listener);
        }
        throw new StoreUnavailableException("no answer in time");
      }
      if (unit != Unit.CATALOG) {
        now.tail.readAll();
      }
      world.opened(unit, name);
      return store(unit, listener);
    }

    private boolean isDeaf() {
      return world.reach.isSent(name) && !world.reach.isReached(name);
    }

    private SimUnitStore store(int unit, StoreListener listener) {
      return new SimUnitStore(
          new SimUnitStore.Opened(world.stores, unit, listener),
          world.reach,
          () -> world.reach.isReached(name) && now.process.isAlive(),
          () -> isDeaf() && now.process.isAlive(),
          control);
    }
  }

  private void wake() {
    running.filter(now -> now.node != null).ifPresent(this::wake);
  }

  private void wake(Running now) {
    for (int i = 0; i < SHARDS; i++) {
      if (!now.isStepping[i] && !now.node.copies().isAsleep(i)) {
        int shard = i;
        now.isStepping[shard] = true;
        now.shardThreads
            .get(shard)
            .execute(
                () -> {
                  now.isStepping[shard] = false;
                  now.node.copies().step(shard);
                });
      }
    }
  }

  /** A shard also looks when nothing waits: for some things it is time. */
  private void stepAgain(Running now, int shard) {
    now.node.copies().step(shard);
    now.shardThreads.get(shard).after(STEP_NANOS, () -> stepAgain(now, shard));
  }

  SimNetwork.Accepted accept() {
    Running now = running.orElseThrow();
    return new SimNetwork.Accepted(now.loop, now.node.handlers());
  }

  /** What a machine loses with its process. */
  enum Loss {
    NOTHING,
    /** Any part of what was not synced: the power goes. */
    UNSYNCED,
    /** Its directory. */
    EVERYTHING
  }

  /** The process ends at once. */
  void kill(Loss loss) {
    Running now = running.orElseThrow();
    now.process.kill();
    now.tail.died();
    running = Optional.empty();
    if (now.node != null) {
      now.node.copies().end();
    }
    log.died(loss);
  }

  /** The world has ended. */
  void end() {
    running.ifPresent(
        now -> {
          now.process.kill();
          if (now.node != null) {
            now.node.copies().end();
          }
        });
    log.end();
  }
}
