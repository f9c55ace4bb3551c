package io.tunnel.it.sim;

import io.tunnel.it.sim.seeds.SeededWorld;
import io.tunnel.it.sim.seeds.Worlds;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * One seed: makes a world, lets chance do to it what machines, networks and people do, stops that,
 * and waits until everything that was promised has come true.
 */
final class Simulation implements SeededWorld<Happening> {

  /** All of them. */
  static final Worlds<Happening> WORLDS =
      new Worlds<>(Happening.class, Simulation::new, "SimulationTest", "sim");

  private static final long QUIET_MS_MAX = 240_000;
  private static final long LOOK_MS = 250;
  private static final long REST_MS = 12_000;
  private static final int WORKERS_MAX = 5;
  private static final int TUNNELS_MAX = 3;
  private static final int PROGRAMS = 3;
  private static final int AUTO_KEYS_ONE_IN = 4;

  private final SplittableRandom random;
  private final World world;
  private final Operator operator;
  private final Upkeep upkeep;
  private final Optional<Administrator> administrator;
  private SimProgram program;
  private SimReader reader;

  /** The chance of clients that bind rows, so that worlds without any are what they were. */
  private final SplittableRandom sessions;

  private Optional<SimTenants> tenants = Optional.empty();
  private Optional<SimAutoKeys> autoKeys = Optional.empty();
  private Optional<Quotas> quotas = Optional.empty();
  private Optional<Watcher> watcher = Optional.empty();
  private Optional<SimRestores> restores = Optional.empty();
  private boolean hasChild;

  Simulation(long seed, Consumer<String> listener) {
    random = new SplittableRandom(~seed);
    sessions = new SplittableRandom(seed ^ 0x36);
    world = new World(seed, listener);
    operator = new Operator(world);
    administrator =
        world.network.isClosed() ? Optional.of(new Administrator(world, seed)) : Optional.empty();
    upkeep = new Upkeep(world, operator, new SplittableRandom(seed).split().split());
  }

  @Override
  public Map<Happening, Long> happened() {
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
      restores.ifPresent(SimRestores::close);
    }
  }

  private void live() {
    begin();
    int steps = 30 + random.nextInt(100);
    for (int i = 0; i < steps; i++) {
      act();
      upkeep.act();
      autoKeys.ifPresent(SimAutoKeys::act);
      quotas.ifPresent(Quotas::act);
      watcher.ifPresent(Watcher::act);
      administrator.ifPresent(Administrator::act);
      restores.ifPresent(SimRestores::act);
      world.run(random.nextInt(4) == 0 ? random.nextInt(1_500) : random.nextInt(60));
    }
    calm();
  }

  private void begin() {
    world.machine.start();
    administrator.ifPresent(Administrator::begin);
    TableDescription table = operator.createTable(upkeep.options(), world.settings.partitions());
    List<Integer> partitions = table.partitions().stream().map(each -> each.id()).toList();
    partitions.forEach(world.ledger::partition);
    upkeep.begin(partitions);
    world.wiretap.reading(upkeep.reading());
    program = new SimProgram(world, world.random.split(), Operator.TABLE, partitions, PROGRAMS);
    tenants =
        world.network.isClosed() || sessions.nextInt(3) > 0
            ? Optional.empty()
            : Optional.of(tenants(partitions));
    Upkeep.Kind kind = world.settings.kind();
    // The simulated snapshot of a table cannot leave out expired rows.
    if (kind.hasReading() && kind.ttlMs() == 0 && !world.network.isClosed()) {
      watcher = Optional.of(new Watcher(world, table, sessions.split()));
      watcher.get().start();
    }
    quotas =
        Quotas.maybe(world, administrator.map(Administrator::story), Operator.TABLE, partitions);
    autoKeys = SimAutoKeys.maybe(world, operator::createTable, upkeep.options(), AUTO_KEYS_ONE_IN);
    if (autoKeys.isEmpty() && quotas.isEmpty()) {
      restores = SimRestores.of(world, () -> tenants.ifPresent(SimTenants::restored));
    }
    reader = new SimReader(world, table.tableId(), partitions.size());
    if (partitions.size() > 1 && random.nextInt(4) == 0) {
      hasChild = true;
      world.machine.crash(false);
      world.machine.makeChild(partitions.get(1 + random.nextInt(partitions.size() - 1)));
      world.machine.start();
    }
    for (int i = random.nextInt(8); i > 0; i--) {
      write();
    }
    world.run(random.nextInt(200));
    createTunnel();
    world.run(200);
    startWorker();
    world.behave(
        new World.Moods(
            rate(5, 50), rate(10, 200), rate(100, 2_000), rate(100, 2_000), rate(8, 60)));
  }

  private SimTenants tenants(List<Integer> partitions) {
    boolean hasLocks = world.settings.kind().ttlMs() == 0;
    return new SimTenants(world, new ServerSessions(world), sessions, partitions, hasLocks);
  }

  private int rate(int from, int to) {
    return random.nextInt(3) == 0 ? 0 : from + random.nextInt(to - from);
  }

  private void createTunnel() {
    long nowMs = world.machine.nowMicros() / 1_000;
    int dice = hasChild ? 2 + random.nextInt(4) : random.nextInt(8);
    if (dice == 0) {
      operator.create(
          TunnelType.BaseData, StreamStart.EARLIEST, Optional.empty(), Optional.empty());
    } else if (dice == 1 || dice > 5) {
      operator.create(
          TunnelType.BaseAndStream, StreamStart.EARLIEST, Optional.empty(), Optional.empty());
    } else {
      Optional<Long> startMs =
          dice == 2 ? Optional.of(nowMs - random.nextInt(5_000)) : Optional.empty();
      Optional<Long> endMs =
          dice == 3 || hasChild ? Optional.of(nowMs + random.nextInt(15_000)) : Optional.empty();
      operator.create(
          TunnelType.Stream, dice == 4 ? StreamStart.LATEST : StreamStart.EARLIEST, startMs, endMs);
    }
  }

  private Optional<TunnelInfo> anyTunnel() {
    return world.machine.isUp() ? any(world.machine.tunnels()) : Optional.empty();
  }

  private <T> Optional<T> any(List<T> list) {
    return list.isEmpty() ? Optional.empty() : Optional.of(list.get(random.nextInt(list.size())));
  }

  private void startWorker() {
    anyTunnel().ifPresent(tunnel -> world.startWorker(tunnel.tunnelId(), false));
  }

  private Optional<SimWorker> anyWorker() {
    return any(List.copyOf(world.workers.values()));
  }

  private void act() {
    int dice = random.nextInt(120);
    if (!world.machine.isUp() && dice < 60) {
      world.machine.start();
    } else if (dice < 50) {
      write();
    } else if (dice < 63 && world.workers.size() < WORKERS_MAX) {
      startWorker();
    } else if (dice < 67) {
      anyWorker().filter(each -> !each.isLeaving()).ifPresent(SimWorker::leave);
    } else if (dice < 71) {
      anyWorker().ifPresent(world::crashWorker);
    } else if (dice < 75) {
      anyWorker().ifPresent(each -> world.pauseWorker(each, random.nextInt(10_000)));
    } else if (dice < 80) {
      any(world.network.open()).ifPresent(world::cut);
    } else if (dice < 85) {
      any(world.network.open()).ifPresent(each -> world.stall(each, random.nextInt(8_000)));
    } else if (dice < 88) {
      world.machine.skewClock(random.nextInt(20_000_000) - 10_000_000L);
    } else if (dice < 92 && world.machine.isUp() && world.machine.tunnels().size() < TUNNELS_MAX) {
      createTunnel();
    } else if (dice < 96 && world.machine.isUp()) {
      world.machine.crash(random.nextBoolean());
    } else if (dice < 98) {
      world.machine.giveUpSnapshots();
    } else {
      anyTunnel().ifPresent(tunnel -> operate(tunnel, dice));
    }
  }

  private void operate(TunnelInfo tunnel, int dice) {
    List<ChannelDescription> channels = world.machine.views(tunnel);
    ChannelDescription channel = channels.get(random.nextInt(channels.size()));
    List<String> selected = random.nextBoolean() ? List.of() : List.of(channel.channelId());
    if (dice < 103) {
      operator.pause(tunnel, selected);
    } else if (dice < 109) {
      operator.resume(tunnel, selected);
    } else if (dice < 113) {
      channel.owner().ifPresent(session -> operator.endSession(tunnel, session));
    } else if (dice < 115) {
      operator.seek(
          tunnel,
          List.of(),
          Optional.of(random.nextBoolean() ? StreamStart.EARLIEST : StreamStart.LATEST),
          Optional.empty());
    } else if (dice < 118 && channel.type() == ChannelType.Stream) {
      long to = random.nextLong(channel.committed() + 1);
      operator.seek(tunnel, List.of(channel.channelId()), Optional.empty(), Optional.of(to));
    } else if (dice == 118 && world.machine.tunnels().size() > 1) {
      operator.delete(tunnel);
    }
  }

  private void read() {
    if (random.nextBoolean()) {
      reader.get();
    } else {
      reader.range();
    }
  }

  private void write() {
    int writes = 1 + random.nextInt(6);
    for (int i = 0; i < writes; i++) {
      program.write(
          random.nextInt(world.settings.partitions()),
          1 + random.nextInt(6),
          random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC);
      tenants.ifPresent(SimTenants::act);
      if (random.nextInt(3) == 0) {
        read();
      }
    }
  }

  /** Nothing goes wrong any more: soon all is done. */
  private void calm() {
    world.trace.add("the faults stop");
    world.behave(World.Moods.CALM);
    while (!world.machine.isUp()) {
      world.machine.start();
    }
    administrator.ifPresent(Administrator::giveAllBack);
    watcher.ifPresent(Watcher::calm);
    world.run(REST_MS);
    for (TunnelInfo tunnel : world.machine.tunnels()) {
      world.startWorker(tunnel.tunnelId(), true);
    }
    awaitDone();
    if (world.settings.kind().hasPace()) {
      world.machine.requireSwept();
      awaitDone();
    }
    Completion.require(world, QUIET_MS_MAX / 1_000);
    Invariant.LIVENESS.require(isWritten(), "rows of a program have no outcome");
    world.wiretap.written().requireDone();
    watcher.ifPresent(one -> one.requireDone(QUIET_MS_MAX / 1_000));
    upkeep.reading().ifPresent(SimReading::requireDone);
    world.rights.requireKnown(world.machine.server().rights(), "the server");
    world.requireNothingLeaks();
    world.machine.countSegments();
  }

  private void awaitDone() {
    long waited = 0;
    while (!isDone() && waited < QUIET_MS_MAX) {
      if (waited % 5_000 == 0) {
        resumeAll();
      }
      world.run(LOOK_MS);
      waited += LOOK_MS;
    }
  }

  private void resumeAll() {
    for (TunnelInfo tunnel : world.machine.tunnels()) {
      List<ChannelDescription> halted =
          world.machine.views(tunnel).stream()
              .filter(each -> each.isPaused() || each.error().isPresent())
              .toList();
      List<String> lost =
          halted.stream()
              .filter(each -> each.error().orElse("").startsWith(ErrorCode.HISTORY_LOST + ""))
              .map(ChannelDescription::channelId)
              .toList();
      if (!lost.isEmpty()) {
        operator.seek(tunnel, lost, Optional.of(StreamStart.EARLIEST), Optional.empty());
      }
      if (!halted.isEmpty()) {
        operator.resume(tunnel, List.of());
        operator.resume(tunnel, halted.stream().map(ChannelDescription::channelId).toList());
      }
    }
  }

  private boolean isWritten() {
    return program.isDone()
        && autoKeys.map(SimAutoKeys::isDone).orElse(true)
        && quotas.map(Quotas::isDone).orElse(true);
  }

  private boolean isDone() {
    boolean isRead = upkeep.reading().map(SimReading::isDone).orElse(true);
    return isRead
        && isWritten()
        && watcher.map(Watcher::isDone).orElse(true)
        && world.machine.tunnels().stream()
            .allMatch(
                tunnel ->
                    world.machine.views(tunnel).stream()
                        .allMatch(view -> Completion.isDone(world, tunnel, view)));
  }
}
