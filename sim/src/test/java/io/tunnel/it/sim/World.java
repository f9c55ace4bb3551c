package io.tunnel.it.sim;

import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.worker.Links;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.partition.Shard;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.FailureControl.SkippedChange;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A server, workers and clients, the network between them and the disks below, all in one thread
 * and one order of events that follows from a seed. It does nothing by itself: drive it by its
 * methods and let time pass with {@link #run}.
 */
final class World implements SimWorker.Home {

  private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  final Agenda agenda = new Agenda();
  final SplittableRandom random;
  final Trace trace;
  final Ledger ledger;
  final SimNetwork network;
  final Settings settings;
  final Map<Happening, Long> happened = new EnumMap<>(Happening.class);
  final TreeMap<String, SimWorker> workers = new TreeMap<>();
  private final List<SimProcess> processes = new ArrayList<>();
  private final SplittableRandom faults;
  private final SimStore store = new SimStore();
  private List<SimDisk> disks = new ArrayList<>();
  private SimServer server;
  private int servers;
  private int lastWorker;
  private long clockSkewMicros;
  private boolean hadPowerLoss;
  private boolean isStarting;
  private int childPartition;
  private Holding poisoned;
  private Invariant.Broken broken;
  private Moods moods = Moods.CALM;
  private Predicate<String> failsBehind = name -> false;

  /** What a world is like; follows from its seed. */
  record Settings(int shards, int partitions, int creditBytes) {}

  /** How often processors misbehave and machines fail in the middle of a write. */
  record Moods(int slowOneIn, int throwsOneIn, int blocksOneIn, int crashesInWriteOneIn) {
    static final Moods CALM = new Moods(0, 0, 0, 0);
  }

  /** The server's machine fails just now. */
  private static final class MachineFailure extends Error {
    private static final long serialVersionUID = 1;

    MachineFailure() {
      super("the machine fails", null, false, false);
    }
  }

  World(long seed, Consumer<String> listener) {
    this(
        seed,
        random ->
            new Settings(1 + random.nextInt(2), 1 + random.nextInt(4), 300 + random.nextInt(2_000)),
        listener);
  }

  /** A world that is like that in spite of its seed, which still orders what happens at once. */
  World(long seed, Function<SplittableRandom, Settings> settingsOf, Consumer<String> listener) {
    random = new SplittableRandom(seed);
    faults = random.split();
    trace = new Trace(agenda, listener);
    ledger = new Ledger(this);
    network = new SimNetwork(agenda, random.split(), new Watched(ledger, this::broke));
    settings = settingsOf.apply(random);
    network.listen((name, address) -> server == null ? null : server.accept());
    store.observe(
        new SimStore.Observer() {
          @Override
          public void written(Map<String, Optional<String>> changes) {
            changes.forEach((name, text) -> stored(name, text));
            if (changes.keySet().stream().anyMatch(failsBehind)) {
              failsBehind = name -> false;
              throw new MachineFailure();
            }
          }

          @Override
          public void beforeOrAfter() {
            maybeFail(Happening.SERVER_CRASHED_IN_THE_CATALOG);
          }
        });
    for (int i = 0; i < settings.shards(); i++) {
      disks.add(new SimDisk(this::diskChanges));
    }
  }

  private void stored(String name, Optional<String> text) {
    trace.add("catalog: " + name);
    if (name.startsWith("skipped/") && text.isPresent()) {
      String tunnelId = name.substring(name.indexOf('/') + 1, name.lastIndexOf('/'));
      try {
        ledger.skipped(tunnelId, Json.ofText(text.get(), StoredSkip.class).change());
      } catch (Invariant.Broken e) {
        broke(e);
        throw e;
      }
    }
  }

  /** As the catalog stores a change that was left out. */
  private record StoredSkip(long ordinal, SkippedChange change) {}

  private void diskChanges() {
    maybeFail(Happening.SERVER_CRASHED_IN_A_WRITE);
  }

  private void maybeFail(Happening happening) {
    if (moods.crashesInWriteOneIn() > 0 && faults.nextInt(moods.crashesInWriteOneIn()) == 0) {
      count(happening);
      trace.add(happening + "");
      throw new MachineFailure();
    }
  }

  @Override
  public Agenda agenda() {
    return agenda;
  }

  @Override
  public Trace trace() {
    return trace;
  }

  @Override
  public Links links(SimProcess process, SimLoop loop, SplittableRandom own) {
    return receiver -> SimClient.connect(network, process.name, loop, receiver);
  }

  /** An invariant is broken, and what that threw may be caught by the code that is simulated. */
  @Override
  public void broke(Invariant.Broken how) {
    broken = broken == null ? how : broken;
  }

  private void requireWhole() {
    if (broken != null) {
      throw broken;
    }
  }

  /** Something else sees frames from now on. */
  void tap(SimNetwork.Tap tap) {
    network.tap(new Watched(tap, this::broke));
  }

  void count(Happening happening) {
    happened.merge(happening, 1L, Long::sum);
  }

  /** How the world's machines and processors behave from now on. */
  void behave(Moods next) {
    moods = next;
  }

  SimProcess process(String name) {
    return born(new SimProcess(name, agenda, random.split(), thread -> {}));
  }

  private SimProcess born(SimProcess process) {
    processes.removeIf(each -> !each.isAlive());
    processes.add(process);
    return process;
  }

  /** Everything that was taken to send frames was given back; for a world at rest. */
  void requireNothingLeaks() {
    processes.forEach(SimProcess::requireNothingLeaks);
  }

  // The server.

  int serverNumber() {
    return servers;
  }

  boolean isUp() {
    return server != null;
  }

  SimServer server() {
    return server;
  }

  /** Starts the server on what its disks hold; it may fail again while it does. */
  void startServer() {
    int number = ++servers;
    SimProcess process =
        born(new SimProcess("server-" + number, agenda, random.split(), this::afterServerTask));
    trace.add(process + " starts");
    long nanosBefore = faults.nextLong(1L << 40);
    Shard.Clock clock =
        new Shard.Clock() {
          @Override
          public long epochMicros() {
            return nowMicros();
          }

          @Override
          public long nanos() {
            return nanosBefore + agenda.nowNanos();
          }
        };
    try {
      SimServer started = new SimServer(process, new SimServer.Machine(disks, store, clock));
      for (PartitionTruth partition : ledger.partitions.values()) {
        long lost = partition.recovered(started.changes(), hadPowerLoss);
        if (lost > 0) {
          count(Happening.CHANGES_LOST_WITH_POWER);
          trace.add(lost + " changes of partition " + partition.id + " are lost");
          ledger.lost(partition);
        }
      }
      hadPowerLoss = false;
      server = started;
      isStarting = true;
      learn();
      learnTunnels();
      look();
      isStarting = false;
    } catch (MachineFailure e) {
      process.kill();
      died(faults.nextBoolean());
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("the server does not start: %s", e);
    }
  }

  long nowMicros() {
    return EPOCH_MICROS + clockSkewMicros + agenda.nowNanos() / 1_000;
  }

  /** Moves the server's wall clock. */
  void skewClock(long micros) {
    clockSkewMicros += micros;
    if (micros < 0) {
      count(Happening.CLOCK_SET_BACK);
    }
  }

  boolean wasClockSetBack() {
    return happened.containsKey(Happening.CLOCK_SET_BACK);
  }

  /** Ends the server's process, and with {@code power} everything that was not synced. */
  void crashServer(boolean power) {
    trace.add("the server " + (power ? "loses power" : "is killed"));
    count(power ? Happening.SERVER_LOST_POWER : Happening.SERVER_KILLED);
    network.open().forEach(each -> crashSeenBy(each, power));
    died(power);
  }

  /** Ends the server's machine, and with it everything that was not synced without exception. */
  void losePowerWithAllUnsynced() {
    disks.forEach(SimDisk::loseUnsynced);
    crashServer(true);
  }

  /** Ends the server's process as soon as its catalog has stored something of such a name. */
  void crashServerWhenStored(Predicate<String> name) {
    failsBehind = name;
  }

  private void crashSeenBy(SimConnection connection, boolean power) {
    if (power) {
      connection.cut(faults.nextLong(TimeUnit.SECONDS.toNanos(4)), -1);
    } else {
      connection.serverDied();
    }
  }

  private void died(boolean power) {
    if (server != null) {
      server.process().kill();
      ledger.serverDied();
      server = null;
    }
    hadPowerLoss |= power;
    List<SimDisk> next = new ArrayList<>();
    for (SimDisk disk : disks) {
      next.add(
          power
              ? disk.afterPowerLoss(faults, this::diskChanges)
              : disk.afterDeath(this::diskChanges));
    }
    disks = next;
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
  void learn() {
    if (server != null) {
      ledger.partitions.values().forEach(each -> each.learn(server.changes()));
    }
  }

  /** Takes in which tunnels there are. */
  void learnTunnels() {
    if (server != null) {
      for (TunnelInfo tunnel : server.catalog().tunnels(Optional.empty())) {
        for (ChannelDescription channel : views(tunnel)) {
          ledger.learn(tunnel, channel);
        }
      }
    }
  }

  /** The partitions that one was made of. */
  List<Integer> parents(int partition) {
    return partition == childPartition ? List.of(childPartition - 1) : List.of();
  }

  /** Rewrites the catalog of a server that is down: a partition was made of the one before it. */
  void makeChild(int partition) {
    childPartition = partition;
    store.makeChild(partition);
    count(Happening.PARTITION_WITH_PARENT);
  }

  boolean isStarting() {
    return isStarting;
  }

  /** Gives up the rows that are kept for base channels. */
  void giveUpSnapshots() {
    if (server != null && server.bases().isKeeping()) {
      trace.add("snapshots are given up");
      count(Happening.SNAPSHOT_GIVEN_UP);
      server.bases().giveUp();
    }
  }

  private void look() {
    for (TunnelInfo tunnel : server.catalog().tunnels(Optional.empty())) {
      for (ChannelDescription view : views(tunnel)) {
        ledger.learn(tunnel, view);
        ledger.look(view);
      }
    }
  }

  List<TunnelInfo> tunnels() {
    return server.catalog().tunnels(Optional.empty());
  }

  void countSegments() {
    for (Shard shard : server.changes().all()) {
      if (shard.log().segmentCount() > 1) {
        count(Happening.SEGMENT_ROLLED);
      }
    }
  }

  List<ChannelDescription> views(TunnelInfo tunnel) {
    try {
      return server.view(tunnel, nowMicros()).channels();
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("a tunnel cannot be described: %s", e);
    }
  }

  /** The server refused something. */
  void refused(Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    trace.add("refused as " + error.code() + ": " + error.message());
    switch (error.code()) {
      case FENCED -> count(Happening.FENCED);
      case INVALID_REQUEST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.CREATE_TUNNEL
                  || frame.operation() == Operation.SEEK
                  // A process that was paused as soon as it had connected.
                  || error.message().startsWith("no HELLO came"),
              "%s: %s",
              frame.operation(),
              error.message());
      case HISTORY_LOST ->
          Invariant.NOTHING_BREAKS.require(
              frame.operation() == Operation.SEEK, "%s: %s", frame.operation(), error.message());
      case INTERNAL, CORRUPT, STORAGE_FAILED, INVALID_CHECKPOINT ->
          throw Invariant.NOTHING_BREAKS.broken("%s: %s", error.code(), error.message());
      default -> {
        // As it must be.
      }
    }
  }

  // Workers.

  /** Starts a worker; a greedy one takes any number of channels, others may take less. */
  SimWorker startWorker(String tunnelId, boolean isGreedy) {
    return start(
        new SimWorker(this, process("w" + ++lastWorker), tunnelId, random.split(), isGreedy));
  }

  /** Starts a worker of which everything is known. */
  SimWorker startWorker(String name, String tunnelId, SimWorker.Role role) {
    return start(new SimWorker(this, process(name), tunnelId, random.split(), role));
  }

  private SimWorker start(SimWorker worker) {
    workers.put(worker.process().name, worker);
    trace.add(worker + " starts on " + worker.tunnelId());
    count(Happening.WORKER_STARTED);
    worker.start();
    return worker;
  }

  void crashWorker(SimWorker worker) {
    trace.add(worker + " crashes");
    count(Happening.WORKER_CRASHED);
    end(worker, Holding.Reason.WORKER_DIED);
  }

  /** The worker's program has ended by itself. */
  @Override
  public void exited(SimWorker worker) {
    if (worker.process().isAlive()) {
      trace.add(worker + " exits");
      count(Happening.WORKER_LEFT);
      end(worker, Holding.Reason.WORKER_GAVE_UP);
    }
  }

  private void end(SimWorker worker, Holding.Reason reason) {
    worker.process().kill();
    workers.remove(worker.process().name);
    for (SimConnection connection : List.copyOf(network.open())) {
      if (connection.client().loop().thread().process == worker.process()) {
        ledger.lost(connection, reason);
        connection.clientDied();
      }
    }
  }

  void pauseWorker(SimWorker worker, long millis) {
    trace.add(worker + " pauses for " + millis + " ms");
    count(Happening.WORKER_PAUSED);
    worker.process().pause(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A processor is called: how long that takes, and how it ends. */
  SimWorker.Callback begin(SimWorker worker, ProcessRecordsInput input) {
    Holding holding = ledger.begin(worker, input);
    int dice = faults.nextInt(1 << 20);
    long nanos = faults.nextLong(2_000_000);
    if (hits(moods.blocksOneIn(), dice)) {
      count(Happening.PROCESSOR_BLOCKED);
      nanos = TimeUnit.SECONDS.toNanos(1 + faults.nextInt(120));
    } else if (hits(moods.slowOneIn(), dice)) {
      count(Happening.PROCESSOR_SLOW);
      nanos = TimeUnit.MILLISECONDS.toNanos(1 + faults.nextInt(1_500));
    }
    boolean isFailing = hits(moods.throwsOneIn(), dice >>> 4) || isPoisoned(holding);
    if (isFailing && faults.nextInt(3) == 0) {
      poisoned = holding;
    }
    return new SimWorker.Callback(
        nanos,
        isFailing,
        () -> {
          if (isFailing) {
            count(Happening.PROCESSOR_THREW);
            ledger.failed(holding);
          } else {
            ledger.finished(holding);
          }
        });
  }

  /** Whether nothing of that holding can be processed just now. */
  private boolean isPoisoned(Holding holding) {
    return moods.throwsOneIn() > 0 && poisoned == holding;
  }

  private static boolean hits(int oneIn, int dice) {
    return oneIn > 0 && dice % oneIn == 0;
  }

  // The network.

  void cut(SimConnection connection) {
    trace.add(connection + " is cut");
    count(Happening.CONNECTION_CUT);
    if (connection.isBusy()) {
      count(Happening.CONNECTION_CUT_MID_FRAME);
    }
    ledger.lost(connection, Holding.Reason.CONNECTION_LOST);
    boolean isSilent = faults.nextInt(4) == 0;
    if (isSilent) {
      count(Happening.CONNECTION_SILENT);
    }
    long soon = TimeUnit.MILLISECONDS.toNanos(1 + faults.nextInt(50));
    connection.cut(isSilent && faults.nextBoolean() ? -1 : soon, isSilent ? -1 : 2 * soon);
  }

  void stall(SimConnection connection, long millis) {
    trace.add(connection + " is stalled for " + millis + " ms");
    count(Happening.CONNECTION_STALLED);
    connection.stall(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** How everything stands, as text. */
  String dump() {
    StringBuilder text = new StringBuilder();
    text.append(server == null ? "the server is down" : server.process() + " is up").append('\n');
    for (PartitionTruth partition : ledger.partitions.values()) {
      text.append("partition " + partition.id + " is committed up to " + partition.committed());
      text.append('\n');
    }
    for (TunnelInfo tunnel : server == null ? List.<TunnelInfo>of() : tunnels()) {
      text.append(tunnel.type() + " " + tunnel.tunnel()).append('\n');
      for (ChannelDescription view : views(tunnel)) {
        text.append("  partition " + view.partition() + " " + view.type() + " " + view.status());
        text.append(" of " + view.clientTag().orElse("nobody") + " at " + view.checkpointed());
        text.append(view.end().map(end -> " ending at " + end).orElse(""));
        text.append(view.isPaused() ? " paused" : "");
        text.append(view.error().map(error -> " stopped: " + error).orElse(""));
        text.append('\n');
      }
    }
    workers.values().forEach(worker -> text.append(worker + " runs").append('\n'));
    return text.toString();
  }

  // Time.

  /** Lets that much time pass. */
  void run(long millis) {
    long end = agenda.nowNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (agenda.nextNanos() <= end) {
      try {
        agenda.step();
        requireWhole();
      } catch (MachineFailure e) {
        network.open().forEach(each -> crashSeenBy(each, false));
        died(faults.nextBoolean());
      }
    }
    agenda.pass(end);
  }
}
