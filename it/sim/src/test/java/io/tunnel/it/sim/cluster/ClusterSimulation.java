package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.Quotas;
import io.tunnel.it.sim.SimProgram;
import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.Trace;
import io.tunnel.it.sim.seeds.SeededWorld;
import io.tunnel.it.sim.seeds.Worlds;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.model.Durability;
import io.tunnel.model.Level;
import io.tunnel.model.TableMeta;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * One seed: makes a cluster, lets chance do to it what machines, networks and people do, stops
 * that, and waits until everything that was promised has come true.
 */
final class ClusterSimulation implements SeededWorld<ClusterHappening> {

  /** All of them. */
  static final Worlds<ClusterHappening> WORLDS =
      new Worlds<>(
          ClusterHappening.class, ClusterSimulation::new, "ClusterSimulationTest", "sim.cluster");

  private static final long QUIET_MS_MAX = 180_000;
  private static final int WORKERS_MAX = 4;
  private static final int READERS_ONE_IN = 3;
  private static final long READERS = 0x5eade75L;
  private static final int UPGRADED_ONE_IN = 4;
  private static final long UPGRADES = 0x0b1dL;
  private static final int PROGRAMS = 2;
  private static final int LATE_ONE_IN = 60;
  private static final long PROGRAMS_SEED = 0x33bL;
  private static final int WATCHERS_ONE_IN = 3;
  private static final long WATCHERS = 0x3a7cL;
  private static final long EARLY = 0xea41L;
  private static final int EARLY_WRITES = 6;
  private static final int EARLY_MS = 1_000;

  private final ClusterWorld world;
  private final SplittableRandom random;

  /** A separate source, so that readers do not change worlds without a reader. */
  private final SplittableRandom readersRandom;

  private final boolean hasReader;

  /** A separate source, so that watchers do not change worlds without a watcher. */
  private final SplittableRandom watchersRandom;

  private final boolean hasWatcher;

  /** Whether builds are replaced, and the level is raised. */
  private final boolean isUpgraded;

  /** A separate source for programs. */
  private final SplittableRandom programs;

  /** Whether all writes have numbers, because the level is raised before the first one. */
  private final boolean isNumbered;

  /** Whether there are rows when the first tunnel is created. */
  private final boolean isEarly;

  private SimProgram program;
  private Optional<Quotas> quotas = Optional.empty();

  private final ClusterOperator operator;
  private final Optional<ClusterAdministrator> administrator;
  private final LogStory log;
  private List<Integer> partitions;
  private ClusterReads reads;
  private Optional<ClusterReader> reader = Optional.empty();
  private Optional<Watcher> watcher = Optional.empty();
  private ClusterFeatures features;

  ClusterSimulation(long seed, Consumer<String> listener) {
    random = new SplittableRandom(~seed);
    readersRandom = new SplittableRandom(seed ^ READERS);
    isUpgraded = new SplittableRandom(seed ^ UPGRADES).nextInt(UPGRADED_ONE_IN) == 0;
    hasReader = readersRandom.nextInt(READERS_ONE_IN) == 0;
    world = new ClusterWorld(seed, listener);
    programs = new SplittableRandom(seed ^ PROGRAMS_SEED);
    watchersRandom = new SplittableRandom(seed ^ WATCHERS);
    // Rights of readers, and levels below that of watches, are subjects of their own.
    hasWatcher =
        watchersRandom.nextInt(WATCHERS_ONE_IN) == 0 && !world.network.isClosed() && !isUpgraded;
    isEarly = new SplittableRandom(seed ^ EARLY).nextBoolean();
    isNumbered = hasWatcher || (programs.nextBoolean() && !isUpgraded);
    operator = new ClusterOperator(world, random);
    boolean isFollowed = hasReader || hasWatcher || isUpgraded || world.network.isClosed();
    log = new LogStory(world, seed, !isFollowed);
    features = ClusterFeatures.none(world);
    administrator =
        world.network.isClosed()
            ? Optional.of(new ClusterAdministrator(world, seed, hasReader))
            : Optional.empty();
  }

  @Override
  public Map<ClusterHappening, Long> happened() {
    return world.happened;
  }

  @Override
  public Trace trace() {
    return world.trace;
  }

  @Override
  public String dump() {
    return world.dump();
  }

  @Override
  public void run() {
    try {
      live();
    } finally {
      world.logs.end();
    }
  }

  private void live() {
    begin();
    for (int i = 5 + random.nextInt(20); i > 0; i--) {
      gentleAct();
      features.act();
      reader.ifPresent(ClusterReader::act);
      watcher.ifPresent(Watcher::act);
      administrator.ifPresent(ClusterAdministrator::act);
      world.run(random.nextInt(400));
    }
    world.trace.add("the faults begin");
    world.reach.lossPercent = random.nextInt(3) == 0 ? 0 : random.nextInt(12);
    world.lateOneIn = LATE_ONE_IN;
    world.truth.disturbed();
    for (int i = 20 + random.nextInt(80); i > 0; i--) {
      act();
      upgrade();
      log.act(partitions);
      world.links.act();
      features.act();
      reader.ifPresent(ClusterReader::act);
      watcher.ifPresent(Watcher::act);
      administrator.ifPresent(ClusterAdministrator::act);
      world.run(random.nextInt(4) == 0 ? random.nextInt(2_500) : random.nextInt(100));
    }
    calm();
  }

  private void begin() {
    if (isNumbered) {
      world.machines.values().forEach(machine -> machine.levelMax = Level.OWN);
    }
    world.machines.values().forEach(world::start);
    administrator.ifPresent(ClusterAdministrator::begin);
    TableDescription table =
        operator.createTable(
            new TableMeta(ClusterOperator.TABLE, RowFold.SCHEMA), world.settings.partitions());
    partitions = table.partitions().stream().map(each -> each.id()).toList();
    reads = new ClusterReads(world, table.tableId(), partitions);
    if (isNumbered) {
      operator.raise(Level.OWN);
      world.hasNumbers = true;
    }
    if (isNumbered && !world.network.isClosed() && !world.isTorn) {
      features = ClusterFeatures.of(world, operator, table);
    }
    program = new SimProgram(world, programs, ClusterOperator.TABLE, partitions, PROGRAMS);
    quotas =
        Quotas.maybe(
            world,
            administrator.map(ClusterAdministrator::story),
            ClusterOperator.TABLE,
            partitions);
    if (quotas.isPresent()) {
      world.run(ClusterAdministrator.FOLLOWED_MS);
    }
    world.tunnelsAt(Unit.ofTunnels(table.tableId()));
    if (hasReader) {
      reader = Optional.of(new ClusterReader(world, features.lives().orElse(table), readersRandom));
      reader.get().start();
    }
    boolean isLate = watchersRandom.nextBoolean();
    if (hasWatcher && !isLate) {
      watch(table);
    }
    for (int i = random.nextInt(10); i > 0; i--) {
      write();
    }
    world.run(random.nextInt(1_000));
    if (isEarly) {
      // The programs' writers are open now, so the first tunnel finds rows.
      for (int i = 0; i < EARLY_WRITES; i++) {
        write();
      }
      world.run(EARLY_MS);
    }
    if (hasWatcher && isLate) {
      // The rows are there already, and are given first.
      write();
      world.run(200);
      watch(table);
    }
    if (!world.isTorn) {
      var unused = operator.createTunnel();
    }
    operator.awaitCreations();
    startWorker();
  }

  private void watch(TableDescription table) {
    watcher = Optional.of(new Watcher(world, table, watchersRandom));
    watcher.get().start();
  }

  private <T> Optional<T> any(List<T> list) {
    return list.isEmpty() ? Optional.empty() : Optional.of(list.get(random.nextInt(list.size())));
  }

  private Optional<SimWorker> anyWorker() {
    return any(List.copyOf(world.workers.values()));
  }

  private Optional<Machine> anyMachine() {
    return any(world.up().stream().filter(machine -> !machine.isPaused()).toList());
  }

  private void startWorker() {
    if (world.workers.size() < WORKERS_MAX) {
      any(operator.tunnels()).ifPresent(tunnel -> world.startWorker(tunnel.tunnelId(), false));
    }
  }

  private void write() {
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      program.write(
          random.nextInt(world.settings.partitions()),
          1 + random.nextInt(8),
          random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC);
      reads.read(random.nextInt(world.settings.partitions()));
      quotas.ifPresent(Quotas::act);
    }
  }

  /** What must cost nobody anything. */
  private void gentleAct() {
    int dice = random.nextInt(20);
    if (dice < 12) {
      write();
    } else if (dice < 15) {
      startWorker();
    } else if (dice < 17) {
      anyWorker().filter(each -> !each.isLeaving()).ifPresent(SimWorker::leave);
    } else if (dice < 18) {
      world.count(ClusterHappening.REBALANCED);
      world.group.rebalance();
    } else {
      drain();
    }
  }

  private void drain() {
    Optional<Machine> drained =
        world.up().stream().filter(machine -> machine.isDraining).findFirst();
    if (drained.isPresent()) {
      world.drain(drained.get(), false);
    } else {
      anyMachine().ifPresent(machine -> world.drain(machine, true));
    }
  }

  private void act() {
    int dice = random.nextInt(100);
    if (dice < 49) {
      write();
    } else if (dice < 56) {
      startWorker();
    } else if (dice < 58) {
      anyWorker().filter(each -> !each.isLeaving()).ifPresent(SimWorker::leave);
    } else if (dice < 61) {
      anyWorker().ifPresent(world::crashWorker);
    } else if (dice < 63) {
      anyWorker().ifPresent(each -> world.pauseWorker(each, random.nextInt(12_000)));
    } else if (dice < 68) {
      any(List.copyOf(world.network.open())).ifPresent(world::cut);
    } else if (dice < 71) {
      any(List.copyOf(world.network.open()))
          .ifPresent(each -> world.stall(each, random.nextInt(8_000)));
    } else if (dice < 73) {
      drain();
    } else if (dice < 74 && operator.creations() < 2 && !world.isTorn) {
      var unused = operator.createTunnel();
    } else if (dice < 76) {
      any(operator.tunnels()).ifPresent(operator::seek);
    } else if (dice < 78) {
      world.count(ClusterHappening.REBALANCED);
      world.group.rebalance();
    } else {
      hitNode(dice);
    }
  }

  private void upgrade() {
    if (isUpgraded) {
      world.levels.act();
    }
  }

  private void hitNode(int dice) {
    List<Machine> down =
        world.machines.values().stream().filter(machine -> !machine.isUp()).toList();
    if (dice < 86) {
      any(down)
          .filter(machine -> world.reach.isReached(machine.name))
          .ifPresentOrElse(
              world::start, () -> anyMachine().ifPresent(one -> world.kill(one, anyLoss())));
    } else if (dice < 90) {
      anyMachine().ifPresent(one -> world.pause(one, random.nextInt(9_000)));
    } else if (dice < 94) {
      anyMachine().ifPresent(one -> world.cutFromLog(one, random.nextInt(9_000)));
    } else if (dice < 97) {
      anyMachine().ifPresent(one -> world.cutFromClients(one, random.nextInt(6_000)));
    } else if (dice < 98) {
      world.logDown(random.nextInt(7_000));
    } else {
      any(List.copyOf(world.machines.values())).ifPresent(world::setClock);
    }
  }

  private Machine.Loss anyLoss() {
    return switch (random.nextInt(4)) {
      case 0 -> Machine.Loss.EVERYTHING;
      case 1 -> Machine.Loss.UNSYNCED;
      default -> Machine.Loss.NOTHING;
    };
  }

  /** Nothing goes wrong any more: soon all is done. */
  private void calm() {
    world.trace.add("the faults stop");
    world.reach.heal();
    world.links.heal();
    world.machines.values().forEach(this::repair);
    world.run(6_000);
    administrator.ifPresent(ClusterAdministrator::giveAllBack);
    reader.ifPresent(ClusterReader::calm);
    world.lateOneIn = 0;
    watcher.ifPresent(Watcher::calm);
    operator.awaitCreations();
    operator.tunnels().forEach(tunnel -> world.startWorker(tunnel.tunnelId(), true));
    List<Long> before = partitions.stream().map(world.written()::applied).toList();
    settle(before);
    // What is under way may be left over from before the faults stopped, and move a tunnel back.
    world.run(12_000);
    settle(before);
    require(before);
    log.requireSame(
        partitions, features.partitions(), place -> program.write(place, 1, Durability.FSYNC));
    features.requireAllGone();
    world.truth.requireUnbound();
  }

  /** Until all is done, or should be. */
  private void settle(List<Long> before) {
    long waited = 0;
    while (!isDone(before) && waited < QUIET_MS_MAX) {
      for (int i = 0; i < before.size(); i++) {
        if (world.written().applied(partitions.get(i)) == before.get(i)) {
          program.write(i, 1 + random.nextInt(3), Durability.FSYNC);
        }
      }
      if (waited % 10_000 == 0) {
        operator.mend();
      }
      world.run(ClusterOperator.LOOK_MS);
      waited += ClusterOperator.LOOK_MS;
    }
  }

  private void repair(Machine machine) {
    machine.isCutFromClients = false;
    if (!machine.isUp()) {
      world.levels.repair(machine);
      world.start(machine);
    }
    machine.process().wake();
    if (machine.isDraining) {
      world.drain(machine, false);
    }
  }

  private boolean isDone(List<Long> before) {
    for (int i = 0; i < before.size(); i++) {
      int partition = partitions.get(i);
      world.truth.log(partition);
      if (world.written().applied(partition) == before.get(i) || leaders(partition).size() != 1) {
        return false;
      }
    }
    return world.truth.areBasesDone()
        && reader.map(ClusterReader::isDone).orElse(true)
        && isWritten()
        && watcher.map(Watcher::isDone).orElse(true)
        && world.truth.channels().values().stream().allMatch(ChannelStory::isDone);
  }

  private boolean isWritten() {
    return program.isDone() && features.isWritten() && quotas.map(Quotas::isDone).orElse(true);
  }

  private List<String> leaders(int partition) {
    return world.up().stream()
        .filter(machine -> machine.node().copies().isWritable(partition))
        .map(machine -> machine.name)
        .toList();
  }

  private void require(List<Long> before) {
    for (int i = 0; i < before.size(); i++) {
      int partition = partitions.get(i);
      Invariant.LIVENESS.require(
          world.written().applied(partition) > before.get(i),
          "nothing can be written to partition %d any more",
          partition);
      Invariant.ONE_OWNER.require(
          leaders(partition).equals(List.of(world.group.last().leaders().get(partition))),
          "partition %d is led by %s, and %s was decided",
          partition,
          leaders(partition),
          world.group.last().leaders().get(partition));
      requireRows(partition);
    }
    features.partitions().forEach(this::requireRows);
    features.requireGone();
    world.truth.requireUnbound();
    Invariant.LIVENESS.require(isWritten(), "rows of a program have no outcome");
    world.truth.written().requireDone();
    world.levels.requireServed();
    for (Machine machine : world.up()) {
      Invariant.NOTHING_BREAKS.require(
          !machine.node().copies().hasFailed(), "a shard of %s has failed", machine.name);
      world.rights.requireKnown(machine.node().security().snapshot(), machine.name);
    }
    world.truth.channels().values().forEach(each -> each.requireDone(QUIET_MS_MAX / 1_000));
    world.truth.requireBasesDone();
    reader.ifPresent(each -> each.requireDone(QUIET_MS_MAX / 1_000));
    watcher.ifPresent(each -> each.requireDone(QUIET_MS_MAX / 1_000));
    world.requireNothingLeaks();
  }

  private void requireRows(int partition) {
    LogTruth expected = world.truth.log(partition);
    for (Machine machine : world.up()) {
      if (world.group.last().has(machine.name, partition)) {
        var rows = machine.node().copies().rows(partition);
        Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
            expected.mayBe(rows, world.nowMicros()),
            "partition %d at %s: %s instead of %s",
            partition,
            machine.name,
            rows,
            expected.rows());
        var times = machine.node().copies().commitTimes(partition);
        Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
            times.keySet().equals(rows.keySet())
                && expected.commitTimes().entrySet().containsAll(times.entrySet()),
            "partition %d at %s: rows are committed at %s instead of %s",
            partition,
            machine.name,
            times,
            expected.commitTimes());
        world.count(ClusterHappening.ROWS_COMPARED);
      }
    }
  }
}
