package io.tunnel.programs.demo;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.tunnel.cli.Program;
import io.tunnel.cli.TunnelCommand;
import io.tunnel.model.Limits;
import io.tunnel.model.value.ColumnType;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.server.ServerCommand;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.file.FileOptions;
import io.tunnel.stress.file.UnreadableFileException;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.options.ServerOption;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel demo}: the main job, from an empty directory to the proof. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Starts a server, makes a table and a tunnel, writes and consumes at the same time, and proves"
            + " that every acknowledged change arrived exactly once and in order.",
    resourceBundle = "io.tunnel.programs.demo.DemoTexts",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel demo",
      "  tunnel demo --partitions 128 --rows 500000 --json",
      "  tunnel demo --from packages.csv --key name,version",
      "  tunnel demo --nodes 3 --secure"
    })
public final class DemoCommand extends Job implements Program {

  private static final long ROWS_DEFAULT = 2_000_000;

  /** A record of Kafka for each row costs several times as much: a minute on two cores. */
  private static final long ROWS_OF_NODES_DEFAULT = 500_000;

  private static final int WRITES_PER_KEY = 4;
  private static final int WORKERS_MAX = 256;
  private static final int NODES_MIN = 2;
  private static final int NODES_MAX = 9;
  private static final Gson GSON = new Gson();

  @Mixin private FileOptions file;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "8",
      description = "Partitions of the table (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description =
          "Rows to write (default: "
              + ROWS_DEFAULT
              + ", with --nodes "
              + ROWS_OF_NODES_DEFAULT
              + "; with --from all of the file, which is repeated if it has less than N).")
  private Long rows;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Distinct keys of generated rows (default: a quarter of the rows).")
  private Long keys;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Workers that consume, in this process (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that generate rows (default: ${DEFAULT-VALUE}); a file has one.")
  private int threads;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Equal seeds give equal rows per thread (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where the server keeps its data, and leaves it (default: temporary).")
  private Path data;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description =
          "Start a Kafka and a cluster of N nodes (2 to 9) instead of one server, as processes on"
              + " this machine.")
  private Integer nodes;

  @Option(
      names = "--secure",
      description =
          "Close what is started: certificates and keys are made, every connection of servers, nodes"
              + " and clients is TLS, and the demo has a key with rights on its table alone.")
  private boolean isSecured;

  @Option(
      names = "--keep",
      description =
          "Let the server that was started run on with a load of 2,000 rows a second until Ctrl-C, and keep"
              + " its data. With --server, keep table and tunnel.")
  private boolean isKeeping;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description = "Use this running server instead of starting one.")
  private String server;

  @Option(
      names = "--profile",
      paramLabel = "NAME|FILE",
      description = "Use the running service of this profile instead of starting one.")
  private String profile;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description =
          "The table to make (default: demo; with --server demo- and the time, so that it is new).")
  private String table;

  @Option(
      names = "--json",
      description = "End with the summary as one JSON object on the last line of standard output.")
  private boolean isJson;

  /** For picocli. */
  public DemoCommand() {}

  @Override
  public Class<?> listedBefore() {
    return ServerCommand.class;
  }

  @Override
  public Integer call() throws Exception {
    requireOptions();
    PrintWriter err = err();
    try (DemoLoad load = load(err);
        Interrupt interrupt = new Interrupt("tunnel demo", err)) {
      DemoRun run = new DemoRun(plan(), load, new SystemClock(), interrupt);
      DemoSummary summary =
          run.run(TunnelCommand.class.getName(), this::print, () -> endlessLoad(err));
      return summary.rows().verified() ? ExitCode.OK : ExitCode.FAILED;
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    } catch (BadLineException e) {
      throw CommandFailure.failed(e.getMessage());
    } catch (UnreadableFileException e) {
      throw CommandFailure.io(e.getMessage());
    }
  }

  private void requireOptions() {
    require(
        partitions >= 1 && partitions <= Limits.TABLE_PARTITIONS_MAX,
        "--partitions is 1 to " + Limits.TABLE_PARTITIONS_MAX + ", not " + partitions);
    require(
        workers >= 1 && workers <= WORKERS_MAX,
        "--workers is 1 to " + WORKERS_MAX + ", not " + workers);
    require(
        threads >= 1 && threads <= WORKERS_MAX,
        "--threads is 1 to " + WORKERS_MAX + ", not " + threads);
    require(rows == null || rows >= 1, "--rows is at least 1, not " + rows);
    require(keys == null || keys >= 1, "--keys is at least 1, not " + keys);
    require(keys == null || file.file().isEmpty(), "--keys is of generated rows: without --from");
    require(
        !isRunning() || data == null, "--data is of a server that is started: without --server");
    require(
        nodes == null || (nodes >= NODES_MIN && nodes <= NODES_MAX),
        "--nodes is " + NODES_MIN + " to " + NODES_MAX + ", not " + nodes);
    require(
        !isRunning() || nodes == null, "--nodes are started: give --server, or --nodes, not both");
    require(
        !isRunning() || !isSecured,
        "--secure is of a server that is started; one that runs is reached with --profile");
    require(
        file.file().isPresent() || file.key().isEmpty(),
        "--key names columns of a file: give --from too");
  }

  private boolean isRunning() {
    return server != null || profile != null;
  }

  /**
   * Variables of the environment alone name nothing that a demo could be run against by mistake.
   */
  private Optional<String> running() {
    return isRunning()
        ? Optional.of(
            ServerOption.endpoint(
                Optional.ofNullable(server), Optional.ofNullable(profile), System.getenv()))
        : Optional.empty();
  }

  private static void require(boolean isRight, String message) {
    if (!isRight) {
      throw CommandFailure.usage(message);
    }
  }

  private DemoLoad load(PrintWriter err) {
    if (file.file().isPresent()) {
      return fileLoad(err, rows == null ? OptionalLong.empty() : OptionalLong.of(rows));
    }
    return generatedLoad(rowCount());
  }

  /** Rows of the same kind without an end, for servers that run on. */
  private DemoLoad endlessLoad(PrintWriter err) {
    return file.file().isPresent()
        ? fileLoad(err, OptionalLong.of(Long.MAX_VALUE))
        : generatedLoad(Long.MAX_VALUE);
  }

  private long rowCount() {
    if (rows != null) {
      return rows;
    }
    return nodes == null ? ROWS_DEFAULT : ROWS_OF_NODES_DEFAULT;
  }

  private DemoLoad generatedLoad(long rowsMax) {
    long keyCount = keys == null ? Math.max(1, rowCount() / WRITES_PER_KEY) : keys;
    return new GeneratedLoad(rowsMax, keyCount, threads, seed);
  }

  private DemoLoad fileLoad(PrintWriter err, OptionalLong limit) {
    Map<String, ColumnType> types = file.types();
    return FileLoad.open(
        file.file().orElseThrow(), file.key(), types, limit, file.badLines(err::println));
  }

  private DemoPlan plan() {
    String name = table;
    if (name == null) {
      name = isRunning() ? "demo-" + System.currentTimeMillis() : "demo";
    }
    return new DemoPlan(
        name,
        partitions,
        workers,
        new DemoPlan.Servers(
            running(),
            nodes == null ? 0 : nodes,
            Optional.ofNullable(data),
            Instant.now(),
            isSecured,
            afterwards()));
  }

  private DemoPlan.Afterwards afterwards() {
    if (isKeeping) {
      return isRunning() ? DemoPlan.Afterwards.KEPT : DemoPlan.Afterwards.RUNNING;
    }
    return data == null ? DemoPlan.Afterwards.REMOVED : DemoPlan.Afterwards.KEPT;
  }

  private void print(DemoSummary summary) {
    PrintWriter people = isJson ? err() : out();
    summary.lines().forEach(people::println);
    people.flush();
    if (isJson) {
      PrintWriter out = out();
      out.println(toJson(summary));
      out.flush();
    }
  }

  /** One flat object. */
  static String toJson(DemoSummary summary) {
    JsonObject flat = new JsonObject();
    for (Object part : new Object[] {summary.rows(), summary.rates(), summary.cost()}) {
      GSON.toJsonTree(part)
          .getAsJsonObject()
          .entrySet()
          .forEach(member -> flat.add(member.getKey(), member.getValue()));
    }
    return GSON.toJson(flat);
  }
}
