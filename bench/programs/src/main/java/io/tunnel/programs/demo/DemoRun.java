package io.tunnel.programs.demo;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.model.PrimaryKey;
import io.tunnel.programs.servers.ChildProcesses;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.programs.servers.ServerProcess;
import io.tunnel.programs.servers.StartedServers;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.WriteTally;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The demo itself: writes and consumes at the same time, then proves from the ledger. */
final class DemoRun {

  private static final String PRINCIPAL = "demo";

  /** A demo shows soon that others lead what a node has led. */
  private static final int SESSION_MS = 3_000;

  private static final long LOOK_MS = 100;

  /** After the writing, the longest silence before what has not come counts as missing. */
  private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

  private final DemoPlan plan;
  private final DemoLoad load;
  private final LoadClock clock;
  private final PrintWriter err;
  private final Interrupt interrupt;

  DemoRun(DemoPlan plan, DemoLoad load, LoadClock clock, Interrupt interrupt) {
    this.plan = plan;
    this.load = load;
    this.clock = clock;
    this.err = interrupt.err();
    this.interrupt = interrupt;
  }

  /** Times between which rates are taken. */
  private record Times(long startNanos, long writeStartNanos, long writeEndNanos) {}

  /** What the server used when the writing began. */
  private record ServerUse(Optional<StartedServers> started, long cpuNanosBefore) {
    static ServerUse of(Optional<StartedServers> started) {
      return new ServerUse(started, started.map(StartedServers::cpuNanos).orElse(0L));
    }

    long cpuNanos() {
      return started.map(StartedServers::cpuNanos).orElse(0L) - cpuNanosBefore;
    }

    long residentBytes() {
      return started.map(StartedServers::residentBytes).orElse(0L);
    }
  }

  /**
   * Runs all of it.
   *
   * @param mainClass the class of a server to start, if one is to be started
   * @param print takes the summary, before servers run on
   * @param endless makes the load of servers that run on
   */
  DemoSummary run(String mainClass, Consumer<DemoSummary> print, Supplier<DemoLoad> endless)
      throws Exception {
    long startNanos = clock.nanos();
    DemoPlan.Servers servers = plan.servers();
    if (servers.running().isPresent()) {
      DemoSummary summary =
          against(servers.running().get(), Optional.empty(), Optional.empty(), startNanos);
      print.accept(summary);
      return summary;
    }
    DataDirectory directory = new DataDirectory(servers.data());
    if (servers.afterwards().isKeeping()) {
      // Servers that are slow to end do so without this process, too.
      interrupt.leaves(() -> stop(directory), () -> "; " + directory.keep());
    } else {
      interrupt.leaves(
          () -> remove(directory),
          () -> "; could not remove all of " + directory.logs() + " in time, the next demo does");
    }
    boolean isGood = false;
    LoopbackSecurity security =
        servers.isSecured()
            ? LoopbackSecurity.in(directory.data(), plan.servers().now())
            : LoopbackSecurity.none();
    try (StartedServers started = start(mainClass, directory, security)) {
      err.println("look at it: " + console(started, security));
      err.flush();
      String endpoint = security.forClients(started.endpoint(), PRINCIPAL, rights(plan.table()));
      DemoSummary summary =
          against(endpoint, Optional.of(started), Optional.of(directory), startNanos);
      isGood = summary.rows().verified();
      print.accept(summary);
      if (isGood && servers.afterwards() == DemoPlan.Afterwards.RUNNING) {
        runOn(endpoint, endless, started.endpoint(), console(started, security));
      }
      return summary;
    } finally {
      if (isGood && !servers.afterwards().isKeeping()) {
        directory.delete();
      } else {
        err.println(directory.keep());
      }
    }
  }

  /** The address of the console and, of a closed server, the command that makes a token for it. */
  private static String console(StartedServers started, LoopbackSecurity security) {
    return security
        .administrator()
        .map(
            profile ->
                "https://"
                    + started.httpAddress()
                    + "/\n  the demo made the certificate, so the browser warns of it;"
                    + " log in with a token of this command:\n"
                    + "  ./tunnel security token create admin --profile "
                    + profile
                    + " --server "
                    + started.endpoint())
        .orElseGet(() -> "http://" + started.httpAddress() + "/");
  }

  /** Goes on until an interrupt, which ends this process, or until something fails. */
  private void runOn(String endpoint, Supplier<DemoLoad> endless, String address, String console)
      throws Exception {
    try (DemoLoad more = endless.get();
        EndlessDemo on = new EndlessDemo(endpoint, plan, more)) {
      err.println("clients connect to " + address);
      err.println("runs on until Ctrl-C; look at it: " + console);
      err.flush();
      on.await(LOOK_MS);
    }
    err.println("the load has ended before Ctrl-C");
  }

  private static List<Permission> rights(String table) {
    return List.of(
        Permission.allow(PRINCIPAL, List.of("create", "read", "write", "drop"), "table:" + table),
        Permission.allow(
            PRINCIPAL, List.of("create", "consume", "drop"), "tunnel:" + table + "/*"));
  }

  /** Ends the servers that were started, and keeps their data. */
  private static String stop(DataDirectory directory) throws IOException {
    ChildProcesses.ask();
    ChildProcesses.kill();
    return "; " + directory.keep();
  }

  /** Ends the servers that were started, and removes their data. */
  private static String remove(DataDirectory directory) throws IOException {
    // The main thread sees its servers vanish, fails, and would keep the directory.
    directory.abandon();
    ChildProcesses.kill();
    directory.delete();
    // One that was just being started; it ends with us, but must not make its directory again.
    ChildProcesses.kill();
    directory.delete();
    return "";
  }

  private StartedServers start(String mainClass, DataDirectory directory, LoopbackSecurity security)
      throws IOException, InterruptedException {
    int nodes = plan.servers().nodes();
    String closed = plan.servers().isSecured() ? "closed " : "";
    if (nodes == 0) {
      err.println("starting a " + closed + "server on " + directory.data());
      err.flush();
      return ServerProcess.start(mainClass, directory.data(), directory.log("server"), security);
    }
    err.println("starting Kafka and " + nodes + " " + closed + "nodes on " + directory.data());
    err.flush();
    return ClusterProcesses.start(
        mainClass,
        new ClusterProcesses.Setup(
            directory.data(), directory.logs(), nodes, SESSION_MS, Map.of(), List.of()),
        security,
        clock);
  }

  private DemoSummary against(
      String endpoint,
      Optional<StartedServers> process,
      Optional<DataDirectory> directory,
      long startNanos)
      throws Exception {
    boolean isTemporary = process.isEmpty() && !plan.servers().afterwards().isKeeping();
    MadeTable made = new MadeTable(endpoint, plan.table());
    boolean mustRemove = false;
    try (DemoWriter writer = new DemoWriter(endpoint, plan.table())) {
      TableInfo table = writer.createTable(load, plan.partitions());
      mustRemove = isTemporary;
      if (isTemporary) {
        interrupt.leaves(made);
      }
      DemoLedger ledger = new DemoLedger(table.partitions());
      DemoProcessor processor = new DemoProcessor(ledger, clock::nanos);
      try (DemoReader reader = new DemoReader(endpoint, plan.table(), plan.workers(), processor)) {
        ServerUse use = ServerUse.of(process);
        DemoSummary summary = writeAndConsume(writer, reader, ledger, use, directory, startNanos);
        if (isTemporary) {
          reader.delete();
          writer.dropTable();
          mustRemove = false;
        }
        return summary;
      }
    } catch (Exception e) {
      if (mustRemove) {
        remove(made, e);
      }
      throw e;
    }
  }

  /** The server is somebody's, so what was made there goes also when the demo failed. */
  private void remove(MadeTable made, Exception failure) {
    try {
      var unused = made.remove();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      err.println("table " + made.table() + " and its tunnel are left there: " + e.getMessage());
    }
  }

  private DemoSummary writeAndConsume(
      DemoWriter writer,
      DemoReader reader,
      DemoLedger ledger,
      ServerUse server,
      Optional<DataDirectory> directory,
      long startNanos)
      throws Exception {
    try (DemoProgress progress = new DemoProgress(ledger, load.rows(), clock, err)) {
      reader.start();
      long writeStartNanos = clock.nanos();
      LoadRun run = writer.start(load, ledger);
      while (!run.awaitSenders(LOOK_MS)) {
        if (reader.trouble().isPresent()) {
          run.stop();
        }
        progress.look(run, writer.cpu(), reader.cpu());
      }
      run.requireNoFailure();
      Times times = new Times(startNanos, writeStartNanos, clock.nanos());
      awaitArrival(run, reader, ledger, () -> progress.look(run, writer.cpu(), reader.cpu()));
      long serverCpuNanos = server.cpuNanos();
      reader.stop();
      progress.look(run, writer.cpu(), reader.cpu());
      long bytesOnDisk = directory.isPresent() ? directory.get().bytes() : 0;
      DemoSummary.Rows rows = rows(run, ledger);
      long rowsWritten = Math.max(1, rows.rowsWritten());
      DemoSummary.Cost cost =
          new DemoSummary.Cost(
              perMillion(serverCpuNanos, rowsWritten),
              perMillion(writer.cpu().nanos(), rowsWritten),
              perMillion(reader.cpu().nanos(), rowsWritten),
              progress.heapUsedMaxBytes(),
              server.residentBytes(),
              bytesOnDisk);
      return new DemoSummary(rows, rates(times, rows, ledger, progress.latencies()), cost);
    }
  }

  /** Returns when as many changes arrived as were acknowledged, or nothing comes any more. */
  private void awaitArrival(LoadRun run, DemoReader reader, DemoLedger ledger, Runnable look) {
    long applied = run.tally().counts().applied();
    long arrived = ledger.arrivedRows();
    long lastProgressNanos = clock.nanos();
    while (ledger.arrivedRows() < applied) {
      clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(10), () -> false);
      look.run();
      if (reader.trouble().isPresent()) {
        err.println("a worker has stopped: " + reader.trouble().get());
        return;
      }
      if (ledger.arrivedRows() > arrived) {
        arrived = ledger.arrivedRows();
        lastProgressNanos = clock.nanos();
      } else if (clock.nanos() - lastProgressNanos > SILENCE_NANOS_MAX) {
        err.println("nothing arrived for " + SILENCE_NANOS_MAX / 1_000_000_000 + " s: given up");
        return;
      }
    }
  }

  private DemoSummary.Rows rows(LoadRun run, DemoLedger ledger) {
    WriteTally.Counts counts = run.tally().counts();
    LedgerCore.Findings findings = ledger.compare();
    for (RowResult.Outcome outcome : RowResult.Outcome.values()) {
      run.tally().examples(outcome).forEach(err::println);
    }
    explain(findings.examples());
    boolean isVerified =
        findings.isClean()
            && counts.allApplied()
            && counts.applied() > 0
            && findings.acknowledgedRows() == counts.applied();
    return new DemoSummary.Rows(
        counts.applied(),
        findings.arrivedRows(),
        findings.missing(),
        findings.duplicates(),
        findings.orderViolations(),
        findings.contentViolations(),
        counts.errors(),
        counts.inDoubt(),
        isVerified);
  }

  /** Names the keys: the ledger knows only their hashes, so the load is walked through again. */
  private void explain(List<LedgerCore.Example> examples) {
    for (LedgerCore.Example example : examples) {
      try (Stream<PrimaryKey> keys = load.keys()) {
        String key =
            keys.filter(candidate -> Fingerprint.ofKey(candidate) == example.key())
                .findFirst()
                .map(Object::toString)
                .orElse("a key that was never written, of hash " + Long.toHexString(example.key()));
        err.println(example.fault() + ": " + key);
      }
    }
  }

  private DemoSummary.Rates rates(
      Times times, DemoSummary.Rows rows, DemoLedger ledger, Histogram micros) {
    double writeSeconds = (times.writeEndNanos() - times.writeStartNanos()) / 1e9;
    double readSeconds = Math.max(1, ledger.lastArrivalNanos() - times.writeStartNanos()) / 1e9;
    Histogram sinceSent = ledger.latenciesSinceSent();
    return new DemoSummary.Rates(
        Math.round(rows.rowsWritten() / writeSeconds),
        Math.round(rows.rowsConsumed() / readSeconds),
        micros.getValueAtPercentile(50) / 1e3,
        micros.getValueAtPercentile(99) / 1e3,
        micros.getValueAtPercentile(99.9) / 1e3,
        micros.getMaxValue() / 1e3,
        Math.round(ledger.rowsBeforeAck() * 10_000.0 / Math.max(1, rows.rowsConsumed())) / 100.0,
        sinceSent.getValueAtPercentile(50) / 1e3,
        sinceSent.getValueAtPercentile(99) / 1e3,
        plan.partitions(),
        plan.workers(),
        Math.round((clock.nanos() - times.startNanos()) / 1e6));
  }

  private static double perMillion(long cpuNanos, long rows) {
    return Math.round(cpuNanos / 1e3 / rows * 1e3) / 1e3;
  }
}
