package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.ReportOptions;
import io.tunnel.programs.bench.report.ReportFiles;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.programs.servers.ChildProcesses;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.programs.servers.ProgramThread;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel bench seeds}. */
@Command(
    name = "seeds",
    mixinStandardHelpOptions = true,
    description = {
      "Load tests that were published for other systems, run on servers of this service and on a"
          + " peer, with the published figures beside: 000 is ZooKeeper (paths that publishers"
          + " create and subscribers follow, beside an Apache ZooKeeper), 002 is ICE (connections that send a message"
          + " and wait, beside a bare Netty echo), 003 is nbagent (names that are registered and"
          + " looked up, beside an etcd), 004 is JTang (queues and topics, beside an Apache ActiveMQ"
          + " Artemis), JTang's paths of access (004paths: a server in process, by TCP and by TLS)"
          + " and JTang's mixes of row operations (004tiers, 004flow, 004form, 004permissions).",
      "Says what it needs, and starts nothing, when this machine has too few descriptors, or too"
          + " little memory or disk."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench seeds --scale 0.1",
      "  tunnel bench seeds --only 003 --peer none --json | tail -1",
      "  tunnel bench seeds --only 004 --scale 0.1",
      "  tunnel bench seeds --only 000 --scale 0.05",
      "  tunnel bench seeds --workload my.json --minutes-max 60 --out seeds"
    })
public final class SeedsCommand extends Job {

  static final int MINUTES_MAX = 24 * 60;
  static final double SCALE_MIN = 0.001;
  static final int WORKLOADS_MAX = 16;

  /** Whether a peer runs beside. */
  enum Peers {
    /** Where there is one. */
    AUTO,
    /** None. */
    NONE
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "SEED",
      description =
          "Some of 000, 002, 003, 004, 004paths, 004tiers, 004flow, 004form, 004permissions (default:"
              + " all, but none beside --workload).")
  private List<String> only;

  @Option(
      names = "--workload",
      paramLabel = "FILE",
      description =
          "Run the workload of this file (docs/guides/workloads.md says how); may be given"
              + " several times.")
  private List<Path> files = List.of();

  @Option(
      names = "--scale",
      paramLabel = "S",
      defaultValue = "1",
      description =
          "This share of the clients, requests, rows and seconds, 0.001 to 1"
              + " (default: ${DEFAULT-VALUE}).")
  private double scale;

  @Option(
      names = "--minutes-max",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Begin no case after so many minutes; the report says what was left out"
              + " (default: ${DEFAULT-VALUE}).")
  private int minutesMax;

  @Option(
      names = "--peer",
      paramLabel = "WHICH",
      defaultValue = "auto",
      description =
          "auto: run the peer beside, where there is one; none: this service alone"
              + " (default: ${DEFAULT-VALUE}).")
  private Peers peers;

  @Mixin private ReportOptions options;

  /** For picocli. */
  SeedsCommand() {}

  /**
   * What is to be run.
   *
   * @param workloads one after the other
   * @param scale of clients and requests, up to 1
   * @param minutesMax no case begins later
   * @param hasPeers whether peers run beside
   * @param etcd the peer of a registry, where it is installed
   * @param loadPeers peers with a load of their own, where they were built
   */
  record Plan(
      List<Workload> workloads,
      double scale,
      int minutesMax,
      boolean hasPeers,
      Optional<Path> etcd,
      List<LoadPeer> loadPeers) {

    /** Takes a copy. */
    Plan {
      workloads = List.copyOf(workloads);
      Objects.requireNonNull(etcd, "etcd");
      loadPeers = List.copyOf(loadPeers);
    }
  }

  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    options.require();
    Needs.of(plan.workloads(), plan.scale())
        .require(Needs.here(options.work()), "--scale makes it smaller");
    LoadClock clock = new SystemClock();
    ReportFiles report = options.files(spec().name(), clock);
    PrintWriter err = err();
    List<SeedsResult> results = new ArrayList<>();
    try (Interrupt interrupt = new Interrupt(spec().qualifiedName(), err)) {
      DataDirectory directory = DataDirectory.temporary("bench", options.work());
      try (ProgramThread running = new ProgramThread()) {
        interrupt.leaves(() -> remove(running, directory));
        SeedsRun run = new SeedsRun(plan, directory.logs(), clock, interrupt.err());
        for (Workload workload : plan.workloads()) {
          results.add(run.run(workload));
        }
      } finally {
        directory.delete();
      }
    }
    options.tell(SeedsReport.of(plan, results), report, out(), err);
    return ExitCode.OK;
  }

  private static String remove(ProgramThread running, DataDirectory directory)
      throws IOException, InterruptedException {
    ChildProcesses.kill();
    // A server in this process is closed by its thread.
    running.stop();
    directory.delete();
    // A server that was just being started must not make its directory again.
    ChildProcesses.kill();
    directory.delete();
    return "";
  }

  private Plan plan() throws IOException {
    if (!(scale >= SCALE_MIN && scale <= 1)) {
      throw CommandFailure.usage("--scale is " + SCALE_MIN + " to 1, not " + scale);
    }
    CommandFailure.requireRange("--minutes-max", minutesMax, 1, MINUTES_MAX);
    List<Workload> workloads = new ArrayList<>();
    for (String seed : seeds()) {
      workloads.add(WorkloadFile.own(seed));
    }
    for (Path file : files) {
      workloads.add(WorkloadFile.ofOption(file));
    }
    Set<String> names = new HashSet<>();
    for (Workload workload : workloads) {
      if (!names.add(workload.seed())) {
        throw CommandFailure.usage("seed " + workload.seed() + " is named twice");
      }
    }
    requireArraysOfTheirOwn(workloads);
    if (workloads.size() > WORKLOADS_MAX) {
      throw CommandFailure.usage(WORKLOADS_MAX + " workloads at most, not " + workloads.size());
    }
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return new Plan(
        workloads,
        scale,
        minutesMax,
        peers == Peers.AUTO,
        EtcdServer.installed(path),
        ServiceLoader.load(LoadPeer.class).stream().map(ServiceLoader.Provider::get).toList());
  }

  /**
   * Two seeds and operations may come to one name in the report, such as mA with b and m with aB.
   */
  private static void requireArraysOfTheirOwn(List<Workload> workloads) {
    Set<String> arrays = new HashSet<>();
    for (Workload workload : workloads) {
      for (String operation : workload.operations()) {
        String array = SeedsReport.array(workload, operation);
        if (!arrays.add(array)) {
          throw CommandFailure.usage(
              "two operations have the array "
                  + array
                  + " of the report; rename seed "
                  + workload.seed());
        }
      }
    }
  }

  private List<String> seeds() {
    if (only == null) {
      return files.isEmpty() ? WorkloadFile.OWN : List.of();
    }
    for (String seed : only) {
      if (!WorkloadFile.OWN.contains(seed)) {
        throw CommandFailure.usage(
            "--only names " + String.join(", ", WorkloadFile.OWN) + ", not '" + seed + "'");
      }
    }
    return only;
  }
}
