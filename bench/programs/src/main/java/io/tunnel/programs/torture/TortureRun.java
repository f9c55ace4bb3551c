package io.tunnel.programs.torture;

import io.tunnel.programs.torture.TortureServer.ServerRefusedException;
import io.tunnel.programs.torture.TortureWriters.Ledgers;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Lives of servers, each with a directory of its own, and in each some rounds: write, do something
 * bad, start again, write a little more, stop writing, and compare everything.
 */
final class TortureRun {

  private static final int ROUNDS_OF_LIFE_MAX = 8;
  private static final int ROUNDS_OF_CLUSTER_MAX = 24;
  private static final long OPERATIONS_OF_LIFE_MAX = 1_500_000;
  private static final int WRITERS = 4;
  private static final int AFTER_MS = 400;
  private static final long LEFT_ON_FULL_DISK_BYTES = 2 << 20;
  private static final int FAILING_MS = 1_200;

  /** Between two batches of a writer: servers, brokers and clients share the processors. */
  private static final int CLUSTER_PAUSE_MS = 25;

  /** Between two tables: each is two topics. */
  private static final int TABLE_PAUSE_MS = 2_000;

  private final TorturePlan plan;
  private final FaultPlan faults;
  private final TortureTally tally;
  private final LoadClock clock;
  private final PrintWriter err;
  private final long endNanos;
  private int lives;

  TortureRun(TorturePlan plan, TortureTally tally, LoadClock clock, PrintWriter err) {
    this.plan = plan;
    this.faults = new FaultPlan(plan.seed(), plan.faults());
    this.tally = tally;
    this.clock = clock;
    this.err = err;
    this.endNanos = clock.nanos() + plan.durationNanos();
  }

  /** Returns when the time is over. */
  void run(TortureSetup setup) throws IOException, InterruptedException {
    try (Histories histories = new Histories(plan.history(), clock::nanos);
        ClusterFaults ofCluster = new ClusterFaults(setup, clock, tally)) {
      while (lives == 0 || !isOver()) {
        histories.begin(++lives);
        setup.begin();
        live(setup, ofCluster, histories);
      }
    }
  }

  /** There is one round at least, however slowly a server starts. */
  private boolean mayBegin(int round) {
    return !isOver() || (lives == 1 && round == 0);
  }

  private boolean isOver() {
    return clock.nanos() - endNanos >= 0;
  }

  /** What a life has. */
  private record Life(
      TortureSetup setup,
      ClusterFaults ofCluster,
      Witness ledger,
      Witness shortLedger,
      TortureWriters writers,
      TortureOperator operator,
      Checks checks) {

    void go() {
      writers.go();
      operator.go();
    }

    void pause() throws InterruptedException {
      writers.pause();
      operator.pause();
    }
  }

  private void live(TortureSetup setup, ClusterFaults ofCluster, Histories histories)
      throws IOException, InterruptedException {
    Witness ledger = new Witness(TortureTable.KEYS);
    Witness shortLedger = new Witness(TortureTable.KEYS);
    String endpoint = setup.endpoint();
    try (Checks checks = new Checks(endpoint, plan.isNode(), clock)) {
      checks.create();
      TunnelWorker worker = checks.worker();
      try (TortureOperator operator = new TortureOperator(endpoint, pause(TABLE_PAUSE_MS));
          TortureWriters writers =
              new TortureWriters(
                  endpoint,
                  WRITERS,
                  pause(CLUSTER_PAUSE_MS),
                  new Ledgers(ledger, shortLedger, histories))) {
        Life life = new Life(setup, ofCluster, ledger, shortLedger, writers, operator, checks);
        for (int round = 0; round < roundsMax() && mayBegin(round); round++) {
          boolean isClean = round(life);
          if (plan.isCluster()) {
            ofCluster.countTrims();
          }
          if (!isClean || ledger.acknowledgedCount() > OPERATIONS_OF_LIFE_MAX) {
            // What is lost once would be found again in each round.
            break;
          }
        }
      } catch (ServerRefusedException e) {
        tally.startRefused(e.getMessage());
        err.println(e.getMessage());
        err.println("kept: " + setup.keep(lives));
      } finally {
        worker.shutdown();
      }
    } finally {
      tally.add(ledger);
      tally.add(shortLedger);
    }
  }

  /** What must have survived a fault. */
  private record Certain(
      int mark,
      int shortMark,
      Map<String, TortureOperator.State> tables,
      Map<Integer, Long> checkpoints) {

    static Certain now(Life life) {
      Map<Integer, Long> checkpoints = life.checks().checkpoints();
      return new Certain(
          life.ledger().mark(), life.shortLedger().mark(), life.operator().known(), checkpoints);
    }
  }

  private boolean round(Life life) throws IOException, InterruptedException {
    FaultPlan.Round round = faults.next();
    if (plan.isCluster() && round.fault().isOfBroker()) {
      life.ofCluster().awaitInSync();
    }
    life.go();
    waitMs(round.writeMs());
    long startNanos = clock.nanos();
    tally.fault(round.fault());
    Certain certain = Certain.now(life);
    boolean isCut =
        round.fault().needsCluster()
            ? treat(life, round, certain)
            : treat(life, victim(life, round), round, certain);
    life.go();
    waitMs(AFTER_MS);
    life.pause();
    Map<String, TortureOperator.State> tables = isCut ? certain.tables() : life.operator().known();
    return compare(life, round, certain, tables, startNanos);
  }

  private static Machine victim(Life life, FaultPlan.Round round) {
    return life.setup().victim(round);
  }

  /** Treats a server badly; whether what came behind {@code certain} may be lost. */
  private boolean treat(Life life, Machine machine, FaultPlan.Round round, Certain certain)
      throws IOException, InterruptedException {
    return switch (round.fault()) {
      case KILL -> kill(machine, round);
      case SUSPEND -> suspend(machine, round);
      case POWER -> cut(life, machine, round, certain);
      case FULL_DISK -> fill(life, machine, round);
      case FAILING_DISK -> fail(life, machine, round, certain);
      case EMPTY, ONE_WAY, DRAIN, BROKER_KILL, BROKER_SUSPEND, BROKER_POWER, UNCLEAN ->
          throw new IllegalStateException(round.fault() + " is of a cluster");
    };
  }

  /** Treats nodes and brokers badly; whether what came behind {@code certain} may be lost. */
  private boolean treat(Life life, FaultPlan.Round round, Certain certain)
      throws IOException, InterruptedException {
    ClusterFaults ofCluster = life.ofCluster();
    switch (round.fault()) {
      case EMPTY -> ofCluster.empty(round);
      case ONE_WAY -> ofCluster.oneWay(round);
      case DRAIN -> ofCluster.drain(round);
      case BROKER_KILL -> ofCluster.killBroker(round);
      case BROKER_SUSPEND -> ofCluster.suspendBroker(round);
      case BROKER_POWER -> ofCluster.cutBroker(round);
      case UNCLEAN -> {
        life.operator().pause();
        ofCluster.electUncleanly(round);
        life.pause();
        life.ledger().doubtSince(certain.mark());
        life.shortLedger().doubtSince(certain.shortMark());
        return true;
      }
      case KILL, SUSPEND, POWER, FULL_DISK, FAILING_DISK ->
          throw new IllegalStateException(round.fault() + " is of one server");
    }
    return false;
  }

  private int roundsMax() {
    return plan.isCluster() ? ROUNDS_OF_CLUSTER_MAX : ROUNDS_OF_LIFE_MAX;
  }

  /** Between two requests of a client of a cluster. */
  private Runnable pause(int ms) {
    return plan.isCluster() ? () -> waitMs(ms) : () -> {};
  }

  private boolean compare(
      Life life,
      FaultPlan.Round round,
      Certain certain,
      Map<String, TortureOperator.State> tables,
      long startNanos)
      throws IOException, InterruptedException {
    long backMs = TimeUnit.NANOSECONDS.toMillis(clock.nanos() - startNanos);
    Map<Integer, Long> now = life.checks().checkpoints();
    long takenBack =
        certain.checkpoints().entrySet().stream()
            .filter(before -> now.getOrDefault(before.getKey(), 0L) < before.getValue())
            .count();
    List<String> wrongTables = life.operator().wrong(tables, life.checks().tableNames());
    Checks.Result result = life.checks().check(life.ledger(), life.shortLedger());
    tally.round(result, takenBack, wrongTables);
    boolean isClean = result.findings().isClean() && takenBack + wrongTables.size() == 0;
    err.println(
        "round "
            + tally.rounds()
            + ": "
            + round.fault().optionName()
            + " after "
            + Human.duration(round.writeMs())
            + ", back after "
            + Human.duration(backMs)
            + "; "
            + Human.count(life.ledger().acknowledgedCount())
            + " acknowledged in this life, "
            + (isClean ? "nothing lost" : "NOT AS IT MUST BE: " + result.findings()));
    if (!isClean) {
      err.println("kept: " + life.setup().keep(1000 * lives + tally.rounds()));
    }
    err.flush();
    return isClean;
  }

  private boolean kill(Machine machine, FaultPlan.Round round)
      throws IOException, InterruptedException {
    machine.kill();
    if (round.interruptedMs() >= 0) {
      boolean unused = machine.spawn().isReadyWithin(round.interruptedMs());
      machine.kill();
      tally.startInterrupted();
    }
    machine.spawn().awaitReady();
    return false;
  }

  private boolean suspend(Machine machine, FaultPlan.Round round)
      throws IOException, InterruptedException {
    machine.server().suspend();
    waitMs(round.lastsMs());
    machine.server().resume();
    return false;
  }

  /**
   * Everything certain was certain before the cut; what was told between it and the kill is not.
   */
  private boolean cut(Life life, Machine machine, FaultPlan.Round round, Certain certain)
      throws IOException, InterruptedException {
    PowerDisk disk = machine.disk();
    disk.cut();
    machine.kill();
    if (!plan.isCluster()) {
      life.pause();
    }
    if (!plan.isNode()) {
      // Of a node, Kafka has all that was acknowledged.
      life.ledger().doubtSince(certain.mark());
      life.shortLedger().doubtSince(certain.shortMark());
    }
    disk.restore();
    if (round.interruptedMs() >= 0) {
      boolean unused = machine.spawn().isReadyWithin(round.interruptedMs());
      disk.cut();
      machine.kill();
      disk.restore();
      tally.startInterrupted();
    }
    machine.spawn().awaitReady();
    return !plan.isNode();
  }

  private boolean fill(Life life, Machine machine, FaultPlan.Round round)
      throws IOException, InterruptedException {
    machine.disk().fill(LEFT_ON_FULL_DISK_BYTES);
    waitMs(round.lastsMs());
    machine.disk().free();
    long before = life.ledger().acknowledgedCount();
    waitMs(2 * AFTER_MS);
    if (life.ledger().acknowledgedCount() > before) {
      tally.servedAfterFullDisk();
    }
    return kill(machine, round);
  }

  /** Syncs fail for a while; then the power goes, where that can be had. */
  private boolean fail(Life life, Machine machine, FaultPlan.Round round, Certain before)
      throws IOException, InterruptedException {
    Process failing =
        new ProcessBuilder(
                "strace",
                "-f",
                "-qq",
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:error=EIO:when=" + (1 + round.lastsMs() % 40) + "+",
                "-o",
                "/dev/null",
                "-p",
                String.valueOf(machine.server().pid()))
            .redirectErrorStream(true)
            .start();
    waitMs(FAILING_MS);
    Certain certain =
        new Certain(
            life.ledger().mark(),
            life.shortLedger().mark(),
            life.operator().known(),
            before.checkpoints());
    try {
      if (machine.hasDisk()) {
        return cut(life, machine, round, certain);
      }
      return kill(machine, round);
    } finally {
      failing.destroy();
      failing.waitFor();
    }
  }

  private void waitMs(long ms) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(ms), () -> false);
  }
}
