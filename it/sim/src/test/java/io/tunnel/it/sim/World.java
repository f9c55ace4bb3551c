package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.rights.QuotaTruth;
import io.tunnel.it.sim.rights.RightsTruth;
import io.tunnel.it.sim.seeds.Watched;
import io.tunnel.it.sim.truth.Holding;
import io.tunnel.it.sim.truth.Ledger;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.Wiretap;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.it.sim.watch.Watcher;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A server, workers and clients, the network between them and the disks below, all in one thread
 * and one order of events that follows from a seed. It does nothing by itself: drive it by its
 * methods and let time pass with {@link #run}.
 */
public final class World extends SimWorld<Happening> {

  public final Ledger ledger;
  public final Wiretap wiretap;
  public final SimNetwork network;

  /** Who may do what; sees the frames of a closed world. */
  final RightsTruth rights;

  public final Settings settings;
  final SplittableRandom faults;
  public final ServerMachine machine;
  private int lastWorker;
  private Holding poisoned;
  private Moods moods = Moods.CALM;

  /** What a world is like; follows from its seed. */
  public record Settings(int shards, int partitions, int creditBytes, Upkeep.Kind kind) {}

  /**
   * How often processors misbehave, machines fail in the middle of a write, and the network holds
   * up a write.
   */
  record Moods(
      int slowOneIn, int throwsOneIn, int blocksOneIn, int crashesInWriteOneIn, int lateOneIn) {
    static final Moods CALM = new Moods(0, 0, 0, 0, 0);
  }

  public World(long seed, Consumer<String> listener) {
    this(
        seed,
        random ->
            new Settings(
                1 + random.nextInt(2),
                1 + random.nextInt(4),
                300 + random.nextInt(2_000),
                Upkeep.Kind.of(new SplittableRandom(~seed).split())),
        listener);
  }

  /**
   * A world with these settings instead of the seed's; the seed still orders simultaneous events.
   */
  public World(
      long seed, Function<SplittableRandom, Settings> settingsOf, Consumer<String> listener) {
    super(Happening.class, seed, listener);
    faults = random.split();
    ledger = new Ledger(this);
    wiretap = new Wiretap(this, ledger, new WrittenTruth(this, this::count));
    network = new SimNetwork(agenda, random.split(), new Watched(wiretap, this::broke));
    network.of(seed);
    rights = new RightsTruth(wiretap, new Rights());
    if (network.isClosed()) {
      tap(rights);
    }
    settings = settingsOf.apply(random);
    machine = new ServerMachine(this);
    network.listen((name, address) -> machine.accept());
  }

  /** The rights that servers know. */
  private final class Rights implements RightsTruth.Servers {

    @Override
    public long nowNanos() {
      return agenda.nowNanos();
    }

    @Override
    public SimKeys keys() {
      return network.keys();
    }

    @Override
    public Optional<SecuritySnapshot> rights(SimProcess server) {
      return machine.isUp() && machine.server().process() == server
          ? Optional.of(machine.server().rights())
          : Optional.empty();
    }

    @Override
    public boolean isAlone() {
      return true;
    }

    @Override
    public void refused() {
      count(Happening.REFUSED_BY_RIGHTS);
    }

    @Override
    public void cameWithFormer(boolean isLetIn) {
      count(isLetIn ? Happening.CAME_WITH_FORMER : Happening.REFUSED_WITH_FORMER);
    }

    @Override
    public void ended(SimConnection connection) {
      count(Happening.ENDED_BY_RIGHTS);
      wiretap.lost(connection, Holding.Reason.RIGHTS_ENDED);
    }
  }

  /** The machine of the server may fail at this moment. */
  void maybeFail(Happening happening) {
    if (moods.crashesInWriteOneIn() > 0 && faults.nextInt(moods.crashesInWriteOneIn()) == 0) {
      count(happening);
      trace.add(happening + "");
      throw new ServerMachine.Failure();
    }
  }

  /** A client sends a write, which may come when the client waits for the answer no more. */
  public void maybeLate(SimConnection connection) {
    if (moods.lateOneIn() > 0 && faults.nextInt(moods.lateOneIn()) == 0) {
      count(Happening.WRITE_HELD_UP);
      stall(connection, faults.nextInt(4_000));
    }
  }

  @Override
  public SimNetwork network() {
    return network;
  }

  @Override
  public List<Endpoint> endpoints() {
    return List.of(Endpoint.of("server:1"));
  }

  @Override
  public Links links(SimProcess process, SimLoop loop, SplittableRandom own) {
    return receiver -> SimClient.connect(network, process.name, loop, receiver);
  }

  /** How the world's machines and processors behave from now on. */
  void behave(Moods next) {
    moods = next;
  }

  // Programs and watchers.

  @Override
  public void end(SimProcess process) {
    kill(process, Holding.Reason.WORKER_DIED);
  }

  @Override
  public WatchedLog log(int partition) {
    return new ServerLog(this, ledger.partition(partition));
  }

  @Override
  public WrittenTruth written() {
    return wiretap.written();
  }

  @Override
  public boolean hasAllFeatures() {
    return true;
  }

  @Override
  public void killed() {
    count(Happening.PROGRAM_KILLED);
  }

  private void count(WrittenTruth.Did what) {
    count(
        switch (what) {
          case IN_DOUBT -> Happening.WRITE_IN_DOUBT;
          case NOT_SENT -> Happening.WRITE_NOT_SENT;
          case REPEATED -> Happening.WRITE_REPEATED;
        });
  }

  @Override
  public void count(QuotaTruth.Did what) {
    count(
        switch (what) {
          case SLOWED -> Happening.QUOTA_SLOWED;
          case REFUSED -> Happening.QUOTA_REFUSED;
        });
  }

  @Override
  public void count(Watcher.Did what) {
    count(
        switch (what) {
          case STARTED -> Happening.WATCHER_STARTED;
          case CRASHED -> Happening.WATCHER_CRASHED;
          case GIVEN_ROW -> Happening.WATCHER_GIVEN_ROW;
          case LOST_HISTORY -> Happening.WATCHER_LOST_HISTORY;
          case COMPARED -> Happening.WATCHER_COMPARED;
        });
  }

  @Override
  public void count(SimAutoKeys.Did what) {
    count(
        switch (what) {
          case NUMBER_CHOSEN -> Happening.NUMBER_CHOSEN;
          case LARGEST_DELETED -> Happening.LARGEST_NUMBER_DELETED;
        });
  }

  @Override
  public void count(SimTenants.Did what) {
    count(
        switch (what) {
          case SESSION_ENDED -> Happening.ROW_SESSION_ENDED;
          case SESSION_CLOSED -> Happening.ROW_SESSION_CLOSED;
          case LOCK_TAKEN -> Happening.LOCK_TAKEN;
          case LOCK_REFUSED -> Happening.LOCK_REFUSED;
        });
  }

  @Override
  public long largestNumber(int partition) {
    return ledger.partition(partition).largestNumber();
  }

  // Workers.

  /** Starts a worker; a greedy one takes any number of channels, others may take less. */
  public SimWorker startWorker(String tunnelId, boolean isGreedy) {
    return start(
        new SimWorker(this, process("w" + ++lastWorker), tunnelId, random.split(), isGreedy));
  }

  /** Starts a worker of which everything is known. */
  public SimWorker startWorker(String name, String tunnelId, SimWorker.Role role) {
    return start(new SimWorker(this, process(name), tunnelId, random.split(), role));
  }

  private SimWorker start(SimWorker worker) {
    workers.put(worker.process().name, worker);
    trace.add(worker + " starts on " + worker.tunnelId());
    count(Happening.WORKER_STARTED);
    worker.start();
    return worker;
  }

  public void crashWorker(SimWorker worker) {
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
    workers.remove(worker.process().name);
    kill(worker.process(), reason);
  }

  /** Ends a process of a client, and with it its connections. */
  void kill(SimProcess process, Holding.Reason reason) {
    process.kill();
    for (SimConnection connection : List.copyOf(network.open())) {
      if (connection.client().loop().thread().process == process) {
        wiretap.lost(connection, reason);
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
    Holding holding = ledger.processors.begin(worker, input);
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
            ledger.processors.failed(holding);
          } else {
            ledger.processors.finished(holding);
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
    wiretap.lost(connection, Holding.Reason.CONNECTION_LOST);
    boolean isSilent = faults.nextInt(4) == 0;
    if (isSilent) {
      count(Happening.CONNECTION_SILENT);
    }
    long soon = TimeUnit.MILLISECONDS.toNanos(1 + faults.nextInt(50));
    connection.cut(isSilent && faults.nextBoolean() ? -1 : soon, isSilent ? -1 : 2 * soon);
  }

  public void stall(SimConnection connection, long millis) {
    trace.add(connection + " is stalled for " + millis + " ms");
    count(Happening.CONNECTION_STALLED);
    connection.stall(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** How everything stands, as text. */
  String dump() {
    StringBuilder text = new StringBuilder();
    text.append(machine.isUp() ? machine.server().process() + " is up" : "the server is down");
    text.append('\n');
    for (PartitionTruth partition : ledger.partitions.values()) {
      text.append("partition " + partition.id + " is committed up to " + partition.committed());
      text.append('\n');
    }
    for (TunnelInfo tunnel : machine.isUp() ? machine.tunnels() : List.<TunnelInfo>of()) {
      text.append(tunnel.type() + " " + tunnel.tunnel()).append('\n');
      for (ChannelDescription view : machine.views(tunnel)) {
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
  public void run(long millis) {
    long end = agenda.nowNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (agenda.nextNanos() <= end) {
      try {
        agenda.step();
        requireWhole();
      } catch (ServerMachine.Failure e) {
        machine.failed();
      }
    }
    agenda.pass(end);
  }
}
