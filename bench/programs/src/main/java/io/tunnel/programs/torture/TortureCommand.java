package io.tunnel.programs.torture;

import io.tunnel.cli.Program;
import io.tunnel.cli.log.ExpectsTrouble;
import io.tunnel.programs.torture.hostile.HostileCommand;
import io.tunnel.programs.torture.hostile.HostileOptions;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CompletionCommand;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel torture}. */
@Command(
    name = "torture",
    mixinStandardHelpOptions = true,
    description =
        "Injects faults into servers while clients write: kills and suspends them, cuts their power,"
            + " fills their disk, lets it fail. After each fault compares the answers that clients got"
            + " with the table and with the changes of a tunnel from EARLIEST."
            + " Exit code 0 means that nothing was lost. With --hostile: attacks a closed server on"
            + " this machine; exit code 0 means that nothing was obtained.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel torture --minutes 5",
      "  tunnel torture --minutes 1 --faults kill,suspend --json",
      "  tunnel torture --minutes 10 --log kafka",
      "  tunnel torture --minutes 60 --log kafka --nodes 3",
      "  tunnel torture --minutes 10 --secure",
      "  tunnel torture --minutes 30 --seed 7 --work /var/tmp",
      "  tunnel torture --hostile --time 2m --connections 2000"
    })
public final class TortureCommand extends Job implements ExpectsTrouble, Program {

  private static final int MINUTES_MAX = 7 * 24 * 60;
  private static final int NODES_MAX = 7;
  private static final String MAIN_CLASS = "io.tunnel.cli.TunnelCommand";

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "After so many minutes no further round begins (default: ${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Which faults come in which order (default: another one each time; printed).")
  private Long seed;

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      split = ",",
      description =
          "kill, suspend, power, full-disk, failing-disk; with --nodes also empty, one-way, drain,"
              + " broker-kill, broker-suspend, broker-power, and unclean (default: all but unclean"
              + " that this machine allows; power, full-disk and broker-power need root and loop"
              + " devices, failing-disk needs strace, one-way needs root and iptables).")
  private List<String> faults;

  @Option(
      names = "--log",
      paramLabel = "local|kafka",
      defaultValue = "local",
      description =
          "local: a server that is alone. kafka: a node of a cluster, whose Kafka, a broker on this"
              + " machine, is left alone (default: ${DEFAULT-VALUE}).")
  private String log;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "With --log kafka: so many nodes, 7 at most. Two or more have three brokers, which are"
              + " tortured too (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--secure",
      description =
          "Close the servers: every connection is TLS, and clients come with a key and rights.")
  private boolean isSecured;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "Where data directories and disks are made, and removed: 8 GiB at most, and as much for"
              + " each of several nodes and brokers (default: the directory for temporary files).")
  private Path work = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "Record what each client did and was told, as JSON Lines.")
  private Path history;

  @Option(
      names = "--json",
      description = "End with the summary as one JSON object on the last line of standard output.")
  private boolean isJson;

  @Mixin private HostileOptions hostile;

  /** For picocli. */
  public TortureCommand() {}

  @Override
  public Class<?> listedBefore() {
    return CompletionCommand.class;
  }

  @Override
  public Integer call() throws Exception {
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
      throw CommandFailure.usage("--minutes is more than 0 and at most " + MINUTES_MAX);
    }
    if (!Files.isDirectory(work)) {
      throw CommandFailure.usage("--work " + work + " is no directory");
    }
    if (hostile.isHostile()) {
      return hostile();
    }
    if (!log.equals("local") && !log.equals("kafka")) {
      throw CommandFailure.usage("--log is local or kafka, not '" + log + "'");
    }
    if (nodes < 1 || nodes > NODES_MAX || (nodes > 1 && !log.equals("kafka"))) {
      throw CommandFailure.usage("--nodes is 1 to " + NODES_MAX + ", and 1 without --log kafka");
    }
    List<String> leftOut = new ArrayList<>();
    Set<Fault> kinds = kinds(leftOut);
    long chosen = chosenSeed();
    TorturePlan plan =
        new TorturePlan(
            (long) (minutes * TimeUnit.MINUTES.toNanos(1)),
            chosen,
            kinds,
            log.equals("kafka") ? nodes : 0,
            isSecured,
            work,
            Optional.ofNullable(history));
    TortureTally tally = new TortureTally(chosen, leftOut);
    PrintWriter err = err();
    leftOut.forEach(text -> err.println("left out: " + text));
    err.println("seed " + chosen + ", faults " + names(kinds));
    err.flush();
    long startNanos = System.nanoTime();
    try {
      run(plan, tally, err);
    } catch (IOException | RuntimeException e) {
      // What the rounds before it found is worth as much as if it had gone on.
      tally.endedEarly(e.toString());
    }
    print(tally, (System.nanoTime() - startNanos) / 1_000_000);
    return tally.isClean() ? ExitCode.OK : ExitCode.FAILED;
  }

  private long chosenSeed() {
    return seed == null ? System.nanoTime() & Integer.MAX_VALUE : seed;
  }

  private int hostile() throws InterruptedException {
    if (faults != null || history != null || isSecured) {
      throw CommandFailure.usage(
          "--faults, --history and --secure are not for --hostile, whose server is closed always");
    }
    PrintWriter out = out();
    PrintWriter err = err();
    return new HostileCommand(hostile, chosenSeed(), work)
        .run(isJson ? err : out, err, isJson ? Optional.of(out) : Optional.empty());
  }

  private static void run(TorturePlan plan, TortureTally tally, PrintWriter err)
      throws IOException, InterruptedException {
    TortureSetup setup = TortureSetup.make(MAIN_CLASS, plan, Instant.now());
    Thread interrupted = new Thread(() -> close(setup, err), "interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      new TortureRun(plan, tally, new SystemClock(), err).run(setup);
    } finally {
      setup.close();
      boolean unused = removed(interrupted);
    }
  }

  /** Ctrl-C leaves neither mounts nor files. */
  private static void close(TortureSetup setup, PrintWriter err) {
    try {
      setup.close();
    } catch (IOException e) {
      err.println("tunnel torture: not everything could be removed: " + e.getMessage());
      err.flush();
    }
  }

  private static boolean removed(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException isEnding) {
      return false;
    }
  }

  private Set<Fault> kinds(List<String> leftOut) {
    Set<Fault> asked = faults == null ? usual() : parsed();
    Set<Fault> kinds = EnumSet.noneOf(Fault.class);
    for (Fault fault : asked) {
      Optional<String> lack = lack(fault);
      if (lack.isEmpty()) {
        kinds.add(fault);
      } else {
        leftOut.add(fault.optionName() + ": " + lack.get());
      }
    }
    if (kinds.isEmpty()) {
      throw CommandFailure.failed("this machine can cause none of these faults: " + leftOut);
    }
    return kinds;
  }

  private Set<Fault> parsed() {
    Set<Fault> parsed = EnumSet.noneOf(Fault.class);
    for (String name : faults) {
      parsed.add(
          Arrays.stream(Fault.values())
              .filter(fault -> fault.optionName().equals(name.toLowerCase(Locale.ROOT)))
              .findFirst()
              .orElseThrow(
                  () ->
                      CommandFailure.usage(
                          "--faults are "
                              + names(EnumSet.allOf(Fault.class))
                              + ", not '"
                              + name
                              + "'")));
    }
    return parsed;
  }

  private static String names(Set<Fault> kinds) {
    return String.join(", ", kinds.stream().map(Fault::optionName).toList());
  }

  private Optional<String> lack(Fault fault) {
    return switch (fault) {
      case KILL, SUSPEND -> Optional.empty();
      case POWER -> PowerDisk.lack();
      case FULL_DISK -> PowerDisk.lack().or(() -> lack("fallocate"));
      case FAILING_DISK -> lack("strace");
      case BROKER_POWER -> lackOfCluster().or(PowerDisk::lack);
      case ONE_WAY -> lackOfCluster().or(PacketFilter::lack);
      case EMPTY, DRAIN, BROKER_KILL, BROKER_SUSPEND, UNCLEAN -> lackOfCluster();
    };
  }

  private Optional<String> lackOfCluster() {
    return nodes > 1 ? Optional.empty() : Optional.of("it needs --nodes");
  }

  /** Without unclean elections, which lose acknowledged rows. */
  private Set<Fault> usual() {
    Set<Fault> usual = EnumSet.allOf(Fault.class);
    usual.removeIf(fault -> fault == Fault.UNCLEAN || (nodes == 1 && fault.needsCluster()));
    return usual;
  }

  private static Optional<String> lack(String program) {
    return SystemProgram.exists(program) ? Optional.empty() : Optional.of("there is no " + program);
  }

  private void print(TortureTally tally, long elapsedMs) {
    PrintWriter out = out();
    PrintWriter people = isJson ? err() : out;
    tally.lines(elapsedMs).forEach(people::println);
    people.flush();
    if (isJson) {
      out.println(tally.json(elapsedMs));
      out.flush();
    }
  }
}
