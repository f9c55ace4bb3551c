package io.tunnel.stress;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.FileOptions;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.InDoubtOption;
import io.tunnel.stress.file.RetryOption;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.UnreadableFileException;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.stress.rows.StressTable;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ByteCountConverter;
import io.tunnel.terminal.options.DurationConverter;
import io.tunnel.terminal.options.ReportOption;
import io.tunnel.terminal.options.ServerOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code tunnel stress}: writes load into a table and reports how it went. */
@Command(
    name = "stress",
    mixinStandardHelpOptions = true,
    description = {
      "Writes rows into a table: generated ones, or those of a file. Prints a line a second and a"
          + " summary: for people on a terminal, else JSON.",
      "With --workload it runs a load test instead, in tables of its own, which it drops at the end."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel stress --create --partitions 8 --rows 1000000",
      "  tunnel stress --duration 1m --rate 20000 --puts 80 --updates 15 --deletes 5",
      "  tunnel stress --table people --from people.csv",
      "  tunnel stress --workload my.json --server 10.0.0.5:7650"
    })
public final class StressCommand extends Job {

  private static final int THREADS_MAX = 256;
  private static final long PATIENCE_MS = 45_000;
  private static final String WORKLOAD = "--workload";

  /** What means something beside a workload; the file says all else. */
  private static final Set<String> BESIDE_WORKLOAD =
      Set.of(WORKLOAD, "--server", "--profile", "--json", "--verbose");

  private final Function<ClientConfig, LoadServer> connect;
  private final LoadClock clock;

  @Mixin private ServerOption server;
  @Mixin private ShapeOptions shape;
  @Mixin private FileOptions file;
  @Mixin private final ReportOption form;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "stress",
      description = "The table (default: ${DEFAULT-VALUE}).")
  private String table;

  @Option(
      names = "--create",
      description = "Create the table for generated rows if it does not exist.")
  private boolean isCreating;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "8",
      description = "Partitions of the table that --create makes (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Threads that generate rows (default: ${DEFAULT-VALUE}). One thread"
              + " reads a file, to keep its order.")
  private int threads;

  @Option(names = "--rows", paramLabel = "N", description = "Rows to write.")
  private Long rows;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long to write, such as 30s or 5m.")
  private Duration duration;

  @Option(
      names = "--rate",
      paramLabel = "ROWS/S",
      description =
          "Rows a second to send, whatever the server does; without it as many as it takes.")
  private Long rate;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "What an acknowledgement means, FSYNC or OS (default: the table's).")
  private Durability durability;

  @Option(
      names = "--batch-bytes",
      paramLabel = "SIZE",
      defaultValue = "256KiB",
      converter = ByteCountConverter.class,
      description = "Bytes after which a batch is sent (default: ${DEFAULT-VALUE}).")
  private long batchBytes;

  @Option(
      names = "--linger",
      paramLabel = "TIME",
      converter = DurationConverter.OrNone.class,
      defaultValue = "5ms",
      description = "How long a row waits for others of its batch (default: ${DEFAULT-VALUE}).")
  private Duration linger;

  @Option(
      names = WORKLOAD,
      paramLabel = "FILE|SEED",
      description =
          "Run the load test of this file (docs/guides/workloads.md says how), or one of 'tunnel"
              + " bench seeds' by its name, such as 003. The report has answers a second and their"
              + " times for each operation.")
  private String workload;

  @Mixin private RetryOption retry;
  @Mixin private InDoubtOption inDoubt;

  /** The command that talks to a real server. */
  public StressCommand() {
    this(SdkServer::new, new SystemClock(), new ReportOption());
  }

  StressCommand(Function<ClientConfig, LoadServer> connect, LoadClock clock, ReportOption form) {
    this.form = form;
    this.connect = connect;
    this.clock = clock;
  }

  @Override
  public Integer call() throws Exception {
    if (workload != null) {
      runWorkload();
      return ExitCode.OK;
    }
    try {
      requireOptions();
      TableWriterConfig config = writerConfig();
      try (LoadServer target = connect.apply(retry.client(server.endpoint()))) {
        return file.file().isPresent()
            ? writeFile(target, config, file.file().get())
            : writeGenerated(target, config);
      }
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    } catch (BadLineException e) {
      throw CommandFailure.failed(e.getMessage());
    } catch (UnreadableFileException e) {
      throw CommandFailure.io(e.getMessage());
    }
  }

  private void runWorkload() throws Exception {
    spec().commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(name -> !BESIDE_WORKLOAD.contains(name))
        .findFirst()
        .ifPresent(
            name -> {
              throw CommandFailure.usage(
                  name + " has no meaning beside " + WORKLOAD + ": the workload says it");
            });
    WorkloadRunner runner =
        ServiceLoader.load(WorkloadRunner.class)
            .findFirst()
            .orElseThrow(
                () ->
                    CommandFailure.usage(
                        WORKLOAD + " needs the benchmarks of this program, which are not here"));
    runner.run(
        new WorkloadRunner.Order(
            workload, server.endpoint(), form.isJson(), spec().qualifiedName(), out(), err()));
  }

  private void requireOptions() throws IOException {
    var unused = Names.requireResourceName("table", table);
    var unusedToo = inDoubt.file();
    inDoubt.requireOtherThan(file.file());
    if (threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException("--threads is 1 to " + THREADS_MAX + ", not " + threads);
    }
    if (file.file().isEmpty() && rows == null && duration == null) {
      throw new IllegalArgumentException("give --rows or --duration: when should it end?");
    }
    if (file.file().isEmpty() && !file.key().isEmpty()) {
      throw new IllegalArgumentException("--key names columns of a file: give --from too");
    }
    if (file.file().isPresent() && isCreating) {
      throw new IllegalArgumentException(
          "--create makes the table of generated rows; make one for a file with 'tunnel partition'");
    }
    if (rate != null && (rate < 1 || rate > PacerCore.RATE_MAX)) {
      throw new IllegalArgumentException(
          "--rate is 1 to " + PacerCore.RATE_MAX + " rows/s, not " + rate);
    }
  }

  private TableWriterConfig writerConfig() {
    if (batchBytes < 1 || batchBytes > Limits.BATCH_BYTES_MAX) {
      throw new IllegalArgumentException(
          "--batch-bytes is 1 to " + Limits.BATCH_BYTES_MAX + ", not " + batchBytes);
    }
    TableWriterConfig config =
        TableWriterConfig.DEFAULTS.withBatchBytesMax((int) batchBytes).withLinger(linger);
    return durability == null ? config : config.withDurability(durability);
  }

  private int writeGenerated(LoadServer target, TableWriterConfig config) throws Exception {
    List<RowSource> sources = shape.sources(threads);
    TableInfo description = describeOrCreate(target);
    if (!description.meta().primaryKey().equals(StressTable.PRIMARY_KEY)) {
      throw new IllegalArgumentException(
          "table '"
              + table
              + "' has another key than generated rows, which need "
              + StressTable.keyText()
              + "; name another table with --create, or write your own rows with --from");
    }
    LoadRun run = run(target, config, sources);
    LongSupplier progress = () -> run.tally().counts().rows();
    return report(run, bar("rows", optional(rows)), progress, () -> 0);
  }

  private int writeFile(LoadServer target, TableWriterConfig config, RowFile from)
      throws Exception {
    PrintWriter err = err();
    BadLines badLines = file.badLines(err::println);
    TableInfo description = target.describeTable(table);
    FileRows.Binding binding = file.binding(description.meta().primaryKey());
    try (FileRows source = FileRows.open(from, binding, badLines)) {
      LoadRun run = run(target, config, List.of(source));
      return report(run, bar("bytes", from.bytes()), source::bytesRead, badLines::count);
    }
  }

  private TableInfo describeOrCreate(LoadServer target) {
    try {
      return target.describeTable(table);
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND || !isCreating) {
        throw e;
      }
      TableMeta meta = new TableMeta(table, StressTable.PRIMARY_KEY);
      return target.createTable(meta, HashedKey.splitPoints(partitions));
    }
  }

  private LoadRun run(LoadServer target, TableWriterConfig config, List<RowSource> sources) {
    LoadPlan plan =
        new LoadPlan(sources, optional(rows), Optional.ofNullable(duration), optional(rate));
    return new LoadRun(
        target.openWriter(table, config), plan, clock, (row, result, nowNanos) -> {});
  }

  private ProgressBar bar(String unit, OptionalLong total) {
    Screen screen = Screen.standardError(err(), System.getenv());
    return new ProgressBar("writing", unit, total, screen, clock::nanos);
  }

  private int report(LoadRun run, ProgressBar bar, LongSupplier progress, LongSupplier skipped)
      throws IOException, InterruptedException {
    PrintWriter out = out();
    PrintWriter err = err();
    LoadReport.Output output =
        new LoadReport.Output(
            line -> {
              out.println(form.isJson() ? line.json() : line.text());
              out.flush();
            },
            bar,
            progress,
            skipped,
            inDoubt.file());
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        LoadReport report = new LoadReport(run, clock, output)) {
      run.start(task -> new Thread(task, "stress-sender"));
      WriteTally.Counts counts = report.untilEnd(() -> signal.isAsked() || isUnread(out));
      if (skipped.getAsLong() > 0) {
        err.println(skipped.getAsLong() + " lines were skipped");
      }
      FailureText.of(run, report, inDoubt.file()).forEach(err::println);
      return counts.allApplied() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  /** Whether nobody gets what is printed; what was printed before goes out. */
  private static boolean isUnread(PrintWriter out) {
    return out.checkError();
  }

  private static OptionalLong optional(Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }
}
