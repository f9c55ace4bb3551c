package io.tunnel.programs.bench.seeds;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.programs.bench.report.Machine;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportJson;
import io.tunnel.programs.bench.report.ReportText;
import io.tunnel.programs.bench.seeds.ClosedLoads.Target;
import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.servers.ChildProcesses;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.programs.servers.ProgramThread;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WorkloadRunner;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Runs a workload on a server of the user. The tables of a run have names that no other run has,
 * and the run drops them at its end, also after a failure or an interrupt.
 */
public final class StressWorkload implements WorkloadRunner {

  /** Bytes that no other run has by chance, in the names of tables. */
  private static final int NAME_BYTES = 8;

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** A server that has gone meanwhile is not waited for longer. */
  private static final Duration REMOVE_MAX = Duration.ofSeconds(5);

  /** For {@link java.util.ServiceLoader}. */
  public StressWorkload() {}

  @Override
  public void run(Order order) throws Exception {
    LoadClock clock = new SystemClock();
    Workload workload = workload(order.workload()).withoutThreads();
    Path work = Path.of(System.getProperty("java.io.tmpdir"));
    Needs.of(List.of(workload), 1).ofClients().require(Needs.here(work), "fewer clients need less");
    requireReachable(order.endpoint());
    byte[] chance = new byte[NAME_BYTES];
    io.tunnel.sdk.transport.SystemClock.chance().nextBytes(chance);
    String tables = "load_" + HexFormat.of().formatHex(chance) + "_";
    requireRights(order.endpoint(), tables, workload.kind());
    SeedsResult result;
    try (Interrupt interrupt = new Interrupt(order.program(), order.err())) {
      DataDirectory directory = DataDirectory.temporary("stress", work);
      String left = "the tables " + tables + "* may be left";
      try (ProgramThread running = new ProgramThread()) {
        interrupt.leaves(
            () -> {
              // The load: this process has no other child.
              ChildProcesses.kill();
              running.stop();
              remove(order.endpoint(), tables, directory);
              // The server may just make a table for a request of a thread that has ended.
              clock.waitUntil(clock.nanos() + LOOK_AGAIN_NANOS, () -> false);
              remove(order.endpoint(), tables, directory);
              return "";
            },
            () -> "; " + left);
        result =
            new SeedsRun(
                    plan(workload),
                    directory.logs(),
                    clock,
                    interrupt.err(),
                    (kind, remarks) -> side(kind, order.endpoint(), tables, clock))
                .run(workload);
      } catch (Exception e) {
        try {
          remove(order.endpoint(), tables, directory);
        } catch (IOException | RuntimeException why) {
          interrupt.err().println(left + ": " + why.getMessage());
        }
        throw e;
      }
      remove(order.endpoint(), tables, directory);
    }
    tell(SeedsReport.ofServer(order.endpoint(), result), order);
  }

  /** A seed of this program, or else the workload of a file. */
  private static Workload workload(String named) throws IOException {
    Workload workload = WorkloadFile.OWN.contains(named) ? WorkloadFile.own(named) : ofFile(named);
    if (workload.kind() == Kind.ACCESS) {
      throw CommandFailure.usage(
          "--workload "
              + named
              + " is of kind access, which compares servers that the benchmark starts: run it with"
              + " 'tunnel bench seeds'");
    }
    return workload;
  }

  private static Workload ofFile(String named) {
    Path file = Path.of(named);
    if (Files.notExists(file)) {
      throw CommandFailure.usage(
          "--workload "
              + named
              + ": there is no such file, and seeds are "
              + String.join(", ", WorkloadFile.OWN));
    }
    return WorkloadFile.ofOption(file);
  }

  private static SeedsCommand.Plan plan(Workload workload) {
    return new SeedsCommand.Plan(
        List.of(workload), 1, SeedsCommand.MINUTES_MAX, false, Optional.empty(), List.of());
  }

  private static Beside side(Kind kind, String endpoint, String tables, LoadClock clock) {
    ClosedLoads closed = new ClosedLoads(clock);
    LoadedConfig config =
        LoadedConfig.of(ClientConfig.of(endpoint).withConnectDeadline(ClosedLoop.OPEN_MAX));
    return (workload, load, threads, directory) -> {
      Map<String, Map<Figure, Double>> figures =
          switch (kind) {
            case ECHO -> closed.echo(workload, load, target(config, client -> Optional.empty()));
            case REGISTRY -> registry(workload, load, config, tables, closed);
            case MIX -> mix(workload, load, config, tables, closed);
            case QUEUE, PUBLISH ->
                new LoadSide(clock).there(workload, load, directory, endpoint, tables);
            case ACCESS -> throw new IllegalStateException("refused before");
          };
      // The next load makes tables of the same names.
      drop(endpoint, tables);
      return figures;
    };
  }

  /** A client asks the node that leads its rows; the first endpoint where no node leads them. */
  private static Target target(LoadedConfig config, IntFunction<Optional<Endpoint>> leaders) {
    Endpoint first = config.config().endpoints().get(0);
    return new Target(
        SdkClient.keeping(config, client -> leaders.apply(client).orElse(first)), () -> 0);
  }

  private static Map<String, Map<Figure, Double>> registry(
      Workload workload, Load load, LoadedConfig config, String tables, ClosedLoads closed)
      throws InterruptedException {
    try (TableClient client = TableClient.connect(config.config())) {
      RegistryTable table = RegistryTable.create(client, tables + "names", load);
      return closed.registry(workload, load, target(config, table::leader), table::requests);
    }
  }

  private static Map<String, Map<Figure, Double>> mix(
      Workload workload, Load load, LoadedConfig config, String tables, ClosedLoads closed)
      throws InterruptedException {
    try (TableClient client = TableClient.connect(config.config())) {
      return closed.mix(
          workload,
          load,
          client,
          tables + "work",
          made -> target(config, any -> made.partitions().get(0).leader().map(Endpoint::of)));
    }
  }

  /** Fails before the first table is made, so that no message says that tables may be left. */
  private static void requireReachable(String endpoint) {
    try (TableClient client = TableClient.connect(endpoint)) {
      var unused = client.listTables();
    }
  }

  /** Fails before the first table is made: a principal without {@code drop} would leave it. */
  private static void requireRights(String endpoint, String tables, Kind kind) {
    SecurityClient.Identity identity;
    try (SecurityClient client = new SecurityClient(endpoint)) {
      identity = client.whoAmI();
    }
    List<String> missing = LoadRights.missing(identity, tables, kind);
    if (!missing.isEmpty()) {
      throw new CommandFailure(
          ExitCode.FAILED,
          ErrorCode.NOT_PERMITTED.name(),
          "principal '"
              + identity.principal().orElseThrow()
              + "' lacks "
              + String.join(", ", missing)
              + "; no table was made",
          "An administrator allows it with 'tunnel security grant'");
    }
  }

  private static void remove(String endpoint, String tables, DataDirectory directory)
      throws IOException {
    directory.delete();
    drop(endpoint, tables);
  }

  private static void drop(String endpoint, String tables) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(REMOVE_MAX);
    try (TableClient client = TableClient.connect(config)) {
      client.listTables().stream()
          .filter(table -> table.startsWith(tables))
          .forEach(table -> drop(client, table));
    }
  }

  /** A run that is interrupted may drop tables on two threads. */
  private static void drop(TableClient client, String table) {
    try {
      client.dropTable(table);
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
        throw e;
      }
    }
  }

  private static void tell(Report report, Order order) {
    if (order.isJson()) {
      order.out().println(ReportJson.line(report, Machine.here()));
    } else {
      ReportText.lines(report).forEach(order.out()::println);
    }
    order.out().flush();
  }
}
