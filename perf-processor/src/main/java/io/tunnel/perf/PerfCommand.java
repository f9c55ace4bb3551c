package io.tunnel.perf;

import io.tunnel.model.Names;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import io.tunnel.terminal.options.ReportOption;
import io.tunnel.terminal.options.ServerOption;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel perf}: consumes a tunnel and reports rate, latency and cost. */
@Command(
    name = "perf",
    mixinStandardHelpOptions = true,
    description =
        "Consumes a tunnel and prints its rate in a line per interval, and a summary: for people on a"
            + " terminal, else JSON. Ends on --rows, --duration, --until-idle or Ctrl-C, with a"
            + " checkpoint unless the server cannot be reached then.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel perf --table stress --tunnel t1 --create --start EARLIEST --workers 2 --until-idle 5s",
      "  tunnel perf --table stress --engine flink --start EARLIEST --rows 1000000"
    })
public final class PerfCommand extends Job {

  private static final String SDK = "sdk";
  private static final String FLINK = "flink";
  private static final Duration WINDOW_MIN = Duration.ofMillis(100);
  private static final int WORKERS_MAX = 256;
  private static final long WORK_MICROS_MAX = 10_000_000;
  private static final long PATIENCE_MS = 45_000;

  private final Function<String, TunnelServer> connect;
  private final Supplier<List<PerfEngine>> engines;

  @Mixin private ServerOption server;
  @Mixin private StopOptions stops;
  @Mixin private final ReportOption form;

  @Option(names = "--table", paramLabel = "NAME", description = "The tunnel's table.")
  private String table;

  @Option(names = "--tunnel", paramLabel = "NAME", description = "The tunnel's name.")
  private String tunnel;

  @Option(
      names = "--tunnel-id",
      paramLabel = "ID",
      description = "The tunnel's id, instead of --table and --tunnel.")
  private String tunnelId;

  @Option(names = "--create", description = "Create the tunnel if it does not exist.")
  private boolean isCreating;

  @Option(
      names = "--start",
      paramLabel = "EARLIEST|LATEST",
      description = "Where a tunnel that --create makes starts, or the job (default: LATEST).")
  private StreamStart start;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Workers in this process, or readers of the job (default: ${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "5s",
      converter = DurationConverter.class,
      description = "Time from line to line (default: ${DEFAULT-VALUE}).")
  private Duration interval;

  @Option(names = "--per-channel", description = "Print the rate of each channel too.")
  private boolean isPerChannel;

  @Option(
      names = "--work-micros",
      paramLabel = "N|TIME",
      defaultValue = "0",
      converter = DurationConverter.OfMicros.class,
      description =
          "Keep a thread busy for that long per record, as a real processor would: microseconds, or"
              + " a time such as 2ms.")
  private Duration work;

  @Option(names = "--touch", description = "Decode key and columns of each record.")
  private boolean isTouching;

  @Option(
      names = "--engine",
      paramLabel = "sdk|flink",
      defaultValue = SDK,
      description =
          "What counts: workers of the SDK, which consume a tunnel, or a job of Apache Flink, which"
              + " reads --table in windows of commit time; with --tunnel it begins at that tunnel's"
              + " checkpoints and moves them, without one it begins at --start (default:"
              + " ${DEFAULT-VALUE}).")
  private String engineName;

  /** The command that talks to a real server. */
  public PerfCommand() {
    this(
        SdkTunnelServer::new,
        () ->
            ServiceLoader.load(PerfEngine.class).stream().map(ServiceLoader.Provider::get).toList(),
        new ReportOption());
  }

  /**
   * A command for such servers.
   *
   * @param engines is asked when one is wanted: a command that wants none runs also where one
   *     cannot be loaded
   */
  PerfCommand(
      Function<String, TunnelServer> connect,
      Supplier<List<PerfEngine>> engines,
      ReportOption form) {
    this.form = form;
    this.connect = connect;
    this.engines = engines;
  }

  @Override
  public Integer call() throws InterruptedException {
    Optional<PerfEngine> engine = engine();
    requireOptions(engine.isPresent());
    if (engine.isPresent() && tunnel == null) {
      return compute(engine.get());
    }
    try (TunnelServer target = connect.apply(server.endpoint())) {
      TunnelInfo info = findOrCreate(target);
      return engine.isPresent() ? compute(engine.get()) : consume(target, info);
    }
  }

  private Optional<PerfEngine> engine() {
    if (engineName.equals(SDK)) {
      return Optional.empty();
    }
    if (!engineName.equals(FLINK)) {
      throw CommandFailure.usage("--engine is " + SDK + " or " + FLINK + ", not " + engineName);
    }
    Optional<PerfEngine> found =
        engines.get().stream().filter(engine -> engine.name().equals(FLINK)).findFirst();
    if (found.isEmpty()) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          "Apache Flink is not beside this program: run ./tunnel perf --engine flink where the"
              + " sources are, or give the jar of perf-flink to flink run;"
              + " docs/guides/flink.md says how");
    }
    return found;
  }

  private void requireOptions(boolean isComputed) {
    if (isComputed) {
      requireTable();
    } else {
      requireTunnel();
    }
    requireName("table", table);
    requireName("tunnel", tunnel);
    stops.require();
    if (workers < 1 || workers > WORKERS_MAX) {
      throw CommandFailure.usage("--workers is 1 to " + WORKERS_MAX + ", not " + workers);
    }
    if (workMicros() > WORK_MICROS_MAX) {
      throw CommandFailure.usage(
          "--work-micros is 0 to " + WORK_MICROS_MAX + ", not " + workMicros());
    }
  }

  private static void requireName(String what, String name) {
    if (name != null) {
      var unused = CommandFailure.checkUsage(() -> Names.requireResourceName(what, name));
    }
  }

  private void requireTunnel() {
    if (tunnelId == null && (table == null || tunnel == null)) {
      throw CommandFailure.usage("name a tunnel with --table and --tunnel, or with --tunnel-id");
    }
    if (tunnelId != null && (table != null || tunnel != null || isCreating)) {
      throw CommandFailure.usage(
          "--tunnel-id names the tunnel by itself: without --table, --tunnel and --create");
    }
    if (start != null && !isCreating) {
      throw CommandFailure.usage("--start is where --create makes the tunnel start: give both");
    }
  }

  private void requireTable() {
    if (table == null || tunnelId != null) {
      throw CommandFailure.usage(
          "--engine flink reads a table: name it with --table, and a tunnel with --tunnel if the"
              + " job is to move its checkpoints");
    }
    if (isCreating && tunnel == null) {
      throw CommandFailure.usage("--create makes the tunnel that --tunnel names: give both");
    }
    if (start != null && tunnel != null && !isCreating) {
      throw CommandFailure.usage(
          "--tunnel has checkpoints to start at: give --start without it, or with --create");
    }
    if (interval.compareTo(WINDOW_MIN) < 0) {
      throw CommandFailure.usage(
          "--interval is at least " + WINDOW_MIN.toMillis() + " ms with --engine flink");
    }
  }

  private TunnelInfo findOrCreate(TunnelServer target) {
    if (tunnelId != null) {
      return withId(target);
    }
    List<TunnelInfo> known = target.tunnels(Optional.of(table));
    for (TunnelInfo info : known) {
      if (info.getTunnelName().equals(tunnel)) {
        return info;
      }
    }
    if (isCreating) {
      return target.createTunnel(table, tunnel, start == null ? StreamStart.LATEST : start);
    }
    String names = known.stream().map(TunnelInfo::getTunnelName).collect(Collectors.joining(", "));
    throw new CommandFailure(
        ExitCode.NOT_FOUND,
        "table '"
            + table
            + "' has no tunnel '"
            + tunnel
            + "', "
            + (names.isEmpty() ? "and none at all" : "only " + names)
            + "; --create makes it");
  }

  private TunnelInfo withId(TunnelServer target) {
    return target.tunnels(Optional.empty()).stream()
        .filter(info -> info.getTunnelId().equals(tunnelId))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandFailure(
                    ExitCode.NOT_FOUND,
                    "there is no tunnel with the id '"
                        + tunnelId
                        + "'; 'tunnel tunnels list' shows those there are"));
  }

  private int consume(TunnelServer target, TunnelInfo info) throws InterruptedException {
    PerfMeter meter = new PerfMeter();
    PerfRun.Workers running = target.workers(info.getTunnelId(), workers, processing(meter));
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        StandstillWatch watch = new StandstillWatch(() -> target.describe(info), meter::rows)) {
      ProcessClock clock = new ProcessClock(signal);
      String reason =
          new PerfRun(meter, clock, report(signal), watch)
              .consume(running, stops.core(clock.nanos(), 0));
      return ended(reason, meter);
    }
  }

  /**
   * Where the number of rows is given, channels stop at it; else nothing is in the way of rates.
   */
  private TunnelServer.Processing processing(PerfMeter meter) {
    PerfProcessor counting =
        new PerfProcessor(
            meter,
            new RecordWork(cost(), System::nanoTime),
            () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    if (stops.rows().isEmpty()) {
      return new TunnelServer.Processing.Shared(counting);
    }
    RowQuota quota = new RowQuota(stops.rows().getAsLong());
    return new TunnelServer.Processing.PerChannel(
        (id, session, channel, checkpointer) ->
            new QuotaProcessor(counting, quota, checkpointer, System::nanoTime));
  }

  private int compute(PerfEngine engine) throws InterruptedException {
    PerfEngine.Task task =
        new PerfEngine.Task(
            new PerfEngine.Place(server.endpoint(), table, Optional.ofNullable(tunnel)),
            start == null ? StreamStart.LATEST : start,
            workers,
            interval.toMillis(),
            cost());
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        PerfJob job = engine.start(task)) {
      ProcessClock clock = new ProcessClock(signal);
      EngineRun.Ended ended = new EngineRun(clock, report(signal)).consume(job, stops::core);
      PrintWriter err = err();
      ended.incomplete().ifPresent(why -> err.println("rows may be missing above: " + why));
      return ended(ended.reason());
    }
  }

  private RecordWork.Cost cost() {
    return new RecordWork.Cost(isTouching, workMicros());
  }

  private long workMicros() {
    return TimeUnit.NANOSECONDS.toMicros(work.toNanos());
  }

  /** Prints until nobody reads it any more; then the run ends as by a signal. */
  private PerfRun.Report report(StopSignal signal) {
    PrintWriter out = out();
    return new PerfRun.Report(
        interval.toNanos(),
        isPerChannel,
        line -> {
          out.println(form.isJson() ? line.json() : line.text());
          if (out.checkError()) {
            signal.ask();
          }
        },
        remark -> {
          err().println(remark);
          err().flush();
        });
  }

  private int ended(String reason, PerfMeter meter) {
    PrintWriter err = err();
    if (meter.aheadOfClock() > 0) {
      err.println(
          "rows that came before they were committed, by the clocks of server and worker, which"
              + " differ: "
              + Human.count(meter.aheadOfClock())
              + "; a latency of 0 stands for theirs");
    }
    return ended(reason);
  }

  private int ended(String reason) {
    if (reason.startsWith(PerfRun.HALTED)) {
      throw CommandFailure.failed(
          "the readers have stopped: " + reason.substring(PerfRun.HALTED.length()));
    }
    if (reason.startsWith(PerfRun.DISCONNECTED)) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          "no worker had a session when the run ended, so rows may be left, and the next run may"
              + " get the last rows again: "
              + reason.substring(PerfRun.DISCONNECTED.length()));
    }
    return reason.equals(PerfRun.STANDSTILL) ? ExitCode.FAILED : ExitCode.OK;
  }

  /** This process, which a signal may stop. */
  private record ProcessClock(StopSignal signal) implements RunClock {

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public long epochMs() {
      return System.currentTimeMillis();
    }

    @Override
    public long cpuNanos() {
      return ProcessUsage.cpuNanos();
    }

    @Override
    public long heapUsedBytes() {
      return ProcessUsage.heapUsedBytes();
    }

    @Override
    public boolean pause(long ms) throws InterruptedException {
      return signal.await(ms);
    }
  }
}
