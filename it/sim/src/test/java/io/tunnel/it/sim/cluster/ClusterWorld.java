package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimAutoKeys;
import io.tunnel.it.sim.SimTenants;
import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.SimWorld;
import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.cluster.group.SimGroup;
import io.tunnel.it.sim.cluster.store.SimStores;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.rights.QuotaTruth;
import io.tunnel.it.sim.rights.RightsTruth;
import io.tunnel.it.sim.seeds.Watched;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.sdk.worker.thread.LoopLinks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Nodes, the log that they share, workers and clients, in one thread and one order of events that
 * follows from a seed. It does nothing by itself: drive it by its methods and let time pass.
 */
final class ClusterWorld extends SimWorld<ClusterHappening> {

  private static final long EPOCH_MICROS = 1_700_000_000_000_000L;
  static final int SKEW_MICROS_MAX = 1_000_000;
  private static final long REPLACE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LEVELS = 0x1e7e1L;
  private static final long LATE = 0x1a7eL;

  final ClusterSettings settings;
  final Reach reach;
  final WorldLogs logs;
  final SimStores stores;
  final SimGroup group;
  final SimNetwork network;

  /** Who may do what; sees the frames of a closed cluster. */
  final RightsTruth rights;

  final ClusterTruth truth;
  final LevelStory levels;
  final NetworkStory links;
  private final MemberTruth members = new MemberTruth(this);
  final TreeMap<String, Machine> machines = new TreeMap<>();
  private int lastWorker;
  private int tunnelsUnit = Unit.CATALOG;

  /** How often the network holds up a write; 0 for never. */
  int lateOneIn;

  private final SplittableRandom late;

  /** Whether every write of the SDK has a number, since the level is raised for good. */
  boolean hasNumbers;

  /** Whether logs lose their ends. */
  boolean isTorn;

  private Placement former = Placement.NONE;

  ClusterWorld(long seed, Consumer<String> listener) {
    super(ClusterHappening.class, seed, listener);
    late = new SplittableRandom(seed ^ LATE);
    settings = ClusterSettings.of(random);
    reach = new Reach(agenda, random.split());
    logs = new WorldLogs(this);
    truth = new ClusterTruth(this);
    levels = new LevelStory(this, new SplittableRandom(~seed ^ LEVELS));
    links = new NetworkStory(this, seed);
    stores = new SimStores((unit, changes) -> watch(() -> stored(changes)), truth::disturbed);
    group = new SimGroup(reach, this::nowMicros, this::decided);
    network = new SimNetwork(agenda, random.split(), new Watched(truth.wiretap(), this::broke));
    network.of(seed);
    rights = new RightsTruth(truth.wiretap(), new ClusterRights(this));
    if (network.isClosed()) {
      tap(rights);
    }
    network.listen(this::accept);
    for (int i = 1; i <= settings.nodes(); i++) {
      String name = "n" + i;
      machines.put(name, new Machine(this, name, anySkew()));
    }
  }

  private void stored(Map<String, Optional<String>> changes) {
    truth.stored(changes);
    levels.stored(changes);
  }

  private long anySkew() {
    return random.nextLong(2L * SKEW_MICROS_MAX) - SKEW_MICROS_MAX;
  }

  /** Somebody sets the wall clock of a machine, which is no less wrong behind it. */
  void setClock(Machine machine) {
    long skew = anySkew();
    trace.add(machine.name + " has a clock that is wrong by " + skew + " microseconds now");
    count(ClusterHappening.CLOCK_SET);
    machine.setClock(skew);
  }

  long nowMicros() {
    return EPOCH_MICROS + agenda.nowNanos() / 1_000;
  }

  // Nodes.

  /** Tunnels of this unit are looked at. */
  void tunnelsAt(int unit) {
    tunnelsUnit = unit;
  }

  int tunnelsUnit() {
    return tunnelsUnit;
  }

  /** The tunnels that are stored. */
  List<TunnelInfo> tunnels() {
    return stores.unit(tunnelsUnit).texts.tailMap("tunnel/").entrySet().stream()
        .filter(text -> text.getKey().startsWith("tunnel/"))
        .map(text -> Json.ofText(text.getValue(), TunnelInfo.class))
        .toList();
  }

  private void decided(Placement placement) {
    count(ClusterHappening.DECIDED);
    trace.add("decided: " + placement.generation() + " " + placement.leaders());
    placement
        .leaders()
        .forEach(
            (unit, name) -> {
              if (Unit.isPartition(unit)
                  && !name.equals(former.leaders().getOrDefault(unit, name))) {
                count(ClusterHappening.LEADER_CHANGED);
              }
            });
    former.nodes().stream()
        .filter(node -> placement.node(node.name()).isEmpty())
        .forEach(node -> count(ClusterHappening.NODE_EVICTED));
    former = placement;
    levels.decided(placement);
  }

  /** A node begins to write a unit. */
  void opened(int unit, String node) {
    trace.add(node + " opens unit " + unit);
    if (unit == tunnelsUnit) {
      count(ClusterHappening.GROUP_MOVED);
      truth.disturbed();
    }
  }

  private SimNetwork.Accepted accept(String name, String address) {
    Machine machine = machines.get(Endpoint.of(address).host());
    return machine == null || !machine.isUp() || machine.isCutFromClients ? null : machine.accept();
  }

  void start(Machine machine) {
    trace.add(machine.name + " starts");
    count(ClusterHappening.NODE_STARTED);
    boolean isRefused = !machine.start();
    watch(() -> levels.started(machine, isRefused));
    if (!isRefused) {
      var unused =
          machine
              .node()
              .node()
              .failure()
              .thenAccept(message -> agenda.after(0, () -> below(machine)));
    }
  }

  /** The process of a node below the level ends. */
  private void below(Machine machine) {
    if (machine.isUp() && machine.node().node().failure().isDone()) {
      count(ClusterHappening.NODE_BELOW_STOPPED);
      kill(machine, Machine.Loss.NOTHING);
      agenda.after(REPLACE_NANOS, () -> replace(machine));
    }
  }

  /** Somebody starts a stopped node with a build that serves the level. */
  private void replace(Machine machine) {
    if (machine.isUp()) {
      return;
    }
    if (reach.isReached(machine.name)) {
      levels.repair(machine);
      start(machine);
    } else {
      agenda.after(REPLACE_NANOS, () -> replace(machine));
    }
  }

  void kill(Machine machine, Machine.Loss loss) {
    trace.add(machine.name + " is killed, and loses " + loss);
    count(
        switch (loss) {
          case NOTHING -> ClusterHappening.NODE_KILLED;
          case UNSYNCED -> ClusterHappening.NODE_LOST_POWER;
          case EVERYTHING -> ClusterHappening.DIRECTORY_DELETED;
        });
    truth.disturbed();
    List.copyOf(network.open()).stream()
        .filter(each -> machine.isOf(each.server().loop().thread().process()))
        .forEach(each -> crashSeenBy(each, loss));
    machine.kill(loss);
    if (random.nextBoolean()) {
      agenda.after(TimeUnit.MILLISECONDS.toNanos(200), () -> group.evict(machine.name));
    }
  }

  private void crashSeenBy(SimConnection connection, Machine.Loss loss) {
    if (loss == Machine.Loss.UNSYNCED) {
      connection.cut(random.nextLong(TimeUnit.SECONDS.toNanos(4)), -1);
    } else {
      connection.serverDied();
    }
  }

  void pause(Machine machine, long millis) {
    trace.add(machine.name + " is stopped for " + millis + " ms");
    count(ClusterHappening.NODE_PAUSED);
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    rights.paused(machine.process(), TimeUnit.MILLISECONDS.toNanos(millis));
    machine.process().pause(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** The node does not reach the log for a while. */
  void cutFromLog(Machine machine, long millis) {
    trace.add(machine.name + " does not reach the log for " + millis + " ms");
    count(ClusterHappening.NODE_CUT_FROM_LOG);
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    reach.cut(machine.name, true);
    agenda.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> reach.cut(machine.name, false));
  }

  /** Nobody reaches the log for a while. */
  void logDown(long millis) {
    trace.add("the log is out of reach for " + millis + " ms");
    count(ClusterHappening.LOG_DOWN);
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    reach.down(true);
    agenda.after(TimeUnit.MILLISECONDS.toNanos(millis), () -> reach.down(false));
  }

  /** No client reaches the node for a while; connections are silent. */
  void cutFromClients(Machine machine, long millis) {
    trace.add(machine.name + " is not reached by clients for " + millis + " ms");
    count(ClusterHappening.NODE_CUT_FROM_CLIENTS);
    machine.isCutFromClients = true;
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    for (SimConnection each : List.copyOf(network.open())) {
      if (machine.isUp() && machine.isOf(each.server().loop().thread().process())) {
        each.cut(random.nextBoolean() ? nanos / 2 : -1, nanos);
      }
    }
    agenda.after(nanos, () -> machine.isCutFromClients = false);
  }

  void drain(Machine machine, boolean isDraining) {
    trace.add(machine.name + (isDraining ? " is emptied" : " takes part again"));
    count(ClusterHappening.NODE_DRAINED);
    machine.isDraining = isDraining;
    machine.node().node().drain(isDraining);
  }

  List<Machine> up() {
    return machines.values().stream().filter(Machine::isUp).toList();
  }

  // Clients.

  @Override
  public SimNetwork network() {
    return network;
  }

  @Override
  public LogTruth log(int partition) {
    return truth.log(partition);
  }

  @Override
  public WrittenTruth written() {
    return truth.written();
  }

  @Override
  public boolean mayLackNumbers() {
    return !hasNumbers;
  }

  /** Below a level, a cluster refuses columns in answers. */
  @Override
  public boolean hasAllFeatures() {
    return hasNumbers;
  }

  @Override
  public void killed() {
    count(ClusterHappening.PROGRAM_KILLED);
  }

  /** A row of a program, or a batch with rows, was told something or is sent again. */
  void count(WrittenTruth.Did what) {
    count(
        switch (what) {
          case IN_DOUBT -> ClusterHappening.ROW_IN_DOUBT;
          case NOT_SENT -> ClusterHappening.ROW_NOT_SENT;
          case REPEATED -> ClusterHappening.ROW_REPEATED;
        });
  }

  @Override
  public void count(QuotaTruth.Did what) {
    count(
        switch (what) {
          case SLOWED -> ClusterHappening.QUOTA_SLOWED;
          case REFUSED -> ClusterHappening.QUOTA_REFUSED;
        });
  }

  @Override
  public void count(Watcher.Did what) {
    count(
        switch (what) {
          case STARTED -> ClusterHappening.WATCHER_STARTED;
          case CRASHED -> ClusterHappening.WATCHER_CRASHED;
          case GIVEN_ROW -> ClusterHappening.WATCHER_GIVEN_ROW;
          case LOST_HISTORY -> ClusterHappening.WATCHER_LOST_HISTORY;
          case COMPARED -> ClusterHappening.WATCHER_COMPARED;
        });
  }

  @Override
  public void count(SimAutoKeys.Did what) {
    count(
        switch (what) {
          case NUMBER_CHOSEN -> ClusterHappening.NUMBER_CHOSEN;
          case LARGEST_DELETED -> ClusterHappening.LARGEST_NUMBER_DELETED;
        });
  }

  @Override
  public void count(SimTenants.Did what) {
    count(
        switch (what) {
          case SESSION_ENDED -> ClusterHappening.ROW_SESSION_ENDED;
          case SESSION_CLOSED -> ClusterHappening.ROW_SESSION_CLOSED;
          case LOCK_TAKEN -> ClusterHappening.LOCK_TAKEN;
          case LOCK_REFUSED -> ClusterHappening.LOCK_REFUSED;
        });
  }

  @Override
  public long largestNumber(int partition) {
    return truth.log(partition).largestNumber();
  }

  /** Whether the catalog's log has a row session. */
  boolean hasRowSession(long session) {
    return stores.unit(Unit.CATALOG).texts.containsKey("rowsession/" + session);
  }

  @Override
  public List<Endpoint> endpoints() {
    List<Endpoint> all = new ArrayList<>();
    machines.values().forEach(machine -> all.add(Endpoint.of(machine.address())));
    return all;
  }

  @Override
  public Links links(SimProcess process, SimLoop loop, SplittableRandom own) {
    return new LoopLinks(
        (endpoint, receiver) ->
            SimClient.connect(network, process.name(), endpoint.toString(), loop, receiver),
        endpoints(),
        own.nextDouble());
  }

  void cut(SimConnection connection) {
    trace.add(connection + " is cut");
    count(ClusterHappening.CONNECTION_CUT);
    truth.disturbed();
    long soon = TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(50));
    boolean isSilent = random.nextInt(4) == 0;
    connection.cut(isSilent && random.nextBoolean() ? -1 : soon, isSilent ? -1 : 2 * soon);
  }

  void stall(SimConnection connection, long millis) {
    trace.add(connection + " is stalled for " + millis + " ms");
    count(ClusterHappening.CONNECTION_STALLED);
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    connection.stall(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A client sends a write, which may come when the client waits no more. */
  void maybeLate(SimConnection connection) {
    if (lateOneIn > 0 && late.nextInt(lateOneIn) == 0) {
      stall(connection, late.nextInt(4_000));
    }
  }

  // Workers.

  void startWorker(String tunnelId, boolean isGreedy) {
    SimProcess process = process("w" + ++lastWorker);
    SimWorker worker =
        new SimWorker(this, process, tunnelId, random.split(), new ClusterRole(this, isGreedy));
    workers.put(process.name(), worker);
    trace.add(process + " starts on " + tunnelId);
    count(ClusterHappening.WORKER_STARTED);
    worker.start();
  }

  void crashWorker(SimWorker worker) {
    trace.add(worker + " crashes");
    count(ClusterHappening.WORKER_CRASHED);
    truth.disturbed();
    end(worker.process());
  }

  void pauseWorker(SimWorker worker, long millis) {
    trace.add(worker + " is stopped for " + millis + " ms");
    count(ClusterHappening.WORKER_PAUSED);
    truth.disturbedFor(TimeUnit.MILLISECONDS.toNanos(millis));
    worker.process().pause(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Override
  public void exited(SimWorker worker) {
    if (worker.process().isAlive()) {
      trace.add(worker + " exits");
      count(ClusterHappening.WORKER_LEFT);
      end(worker.process());
    }
  }

  @Override
  public void end(SimProcess process) {
    process.kill();
    workers.remove(process.name());
    for (SimConnection connection : List.copyOf(network.open())) {
      if (connection.client().loop().thread().process() == process) {
        connection.clientDied();
      }
    }
  }

  // Time.

  /** Lets that much time pass. */
  void run(long millis) {
    long end = agenda.nowNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (agenda.nextNanos() <= end) {
      agenda.step();
      requireWhole();
    }
    levels.look();
    members.look();
    agenda.pass(end);
  }

  /** How everything stands, as text. */
  String dump() {
    StringBuilder text = new StringBuilder();
    text.append(settings).append("\nlast decision: ").append(group.last()).append('\n');
    for (Machine machine : machines.values()) {
      text.append(machine.name).append(machine.isPaused() ? " stopped" : "");
      text.append(reach.isReached(machine.name) ? "" : " without log");
      text.append(machine.isUp() ? " " + machine.node().copies().all().status() : " is down");
      text.append('\n');
    }
    truth.lines().forEach(line -> text.append(line).append('\n'));
    text.append("workers: ").append(workers.keySet()).append('\n');
    return text.toString();
  }
}
