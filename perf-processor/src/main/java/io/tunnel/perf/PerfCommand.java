package io.tunnel.perf;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.DurationConverter;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.ServerOption;
import io.tunnel.terminal.StopSignal;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tunnel perf}: consumes a tunnel and reports rate, latency and cost. */
@Command(
    name = "perf",
    mixinStandardHelpOptions = true,
    description =
        "Consumes a tunnel and prints its rate as a JSON line per interval, and a summary. Ends on"
            + " --rows, --duration, --until-idle or Ctrl-C, always with a checkpoint.")
public final class PerfCommand implements Callable<Integer> {

  private static final int WORKERS_MAX = 256;
  private static final long WORK_MICROS_MAX = 10_000_000;
  private static final long PATIENCE_MS = 45_000;

  private final Function<String, TunnelServer> connect;

  @Spec private CommandSpec spec;
  @Mixin private ServerOption server;

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
      description = "Where a tunnel that --create makes starts (default: LATEST).")
  private StreamStart start;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Workers in this process (default: ${DEFAULT-VALUE}).")
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

  @Option(names = "--rows", paramLabel = "N", description = "End after that many rows.")
  private Long rows;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End after that time.")
  private Duration duration;

  @Option(
      names = "--until-idle",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End when no row came for that time.")
  private Duration untilIdle;

  @Option(
      names = "--work-micros",
      paramLabel = "N",
      defaultValue = "0",
      description = "Keep a thread busy for that long per record, as a real processor would.")
  private long workMicros;

  @Option(names = "--touch", description = "Decode key and columns of each record.")
  private boolean isTouching;

  /** The command that talks to a real server. */
  public PerfCommand() {
    this(SdkTunnelServer::new);
  }

  PerfCommand(Function<String, TunnelServer> connect) {
    this.connect = connect;
  }

  @Override
  public Integer call() throws InterruptedException {
    requireOptions();
    try (TunnelServer target = connect.apply(server.endpoint())) {
      return consume(target, findOrCreate(target));
    }
  }

  private void requireOptions() {
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
    if (workers < 1 || workers > WORKERS_MAX) {
      throw CommandFailure.usage("--workers is 1 to " + WORKERS_MAX + ", not " + workers);
    }
    if (rows != null && rows < 1) {
      throw CommandFailure.usage("--rows is at least 1, not " + rows);
    }
    if (workMicros < 0 || workMicros > WORK_MICROS_MAX) {
      throw CommandFailure.usage(
          "--work-micros is 0 to " + WORK_MICROS_MAX + ", not " + workMicros);
    }
  }

  private String findOrCreate(TunnelServer target) {
    if (tunnelId != null) {
      return tunnelId;
    }
    List<TunnelInfo> known = target.tunnels(table);
    for (TunnelInfo info : known) {
      if (info.tunnelName().equals(tunnel)) {
        return info.tunnelId();
      }
    }
    if (isCreating) {
      return target.createTunnel(table, tunnel, start == null ? StreamStart.LATEST : start);
    }
    String names = known.stream().map(TunnelInfo::tunnelName).collect(Collectors.joining(", "));
    throw CommandFailure.failed(
        "table '"
            + table
            + "' has no tunnel '"
            + tunnel
            + "', "
            + (names.isEmpty() ? "and none at all" : "only " + names)
            + "; --create makes it");
  }

  private int consume(TunnelServer target, String id) throws InterruptedException {
    PerfMeter meter = new PerfMeter();
    PerfProcessor.Clocks clocks =
        new PerfProcessor.Clocks(
            () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), System::nanoTime);
    PerfProcessor processor =
        new PerfProcessor(meter, new PerfProcessor.Cost(isTouching, workMicros), clocks);
    PrintWriter out = spec.commandLine().getOut();
    PerfRun.Report report =
        new PerfRun.Report(
            interval.toNanos(),
            isPerChannel,
            line -> {
              out.println(line);
              out.flush();
            });
    PerfRun.Workers running = target.workers(id, workers, processor);
    try (StopSignal signal = new StopSignal(PATIENCE_MS)) {
      ProcessClock clock = new ProcessClock(signal);
      StopCore stop =
          new StopCore(clock.nanos(), optional(rows), nanos(duration), nanos(untilIdle));
      String reason = new PerfRun(meter, clock, report).consume(running, stop);
      return ended(reason, meter);
    }
  }

  private int ended(String reason, PerfMeter meter) {
    PrintWriter err = spec.commandLine().getErr();
    if (meter.aheadOfClock() > 0) {
      err.println(
          meter.aheadOfClock()
              + " rows came before they were committed, by the clocks of server and worker, which"
              + " differ; their latency counts as 0");
    }
    if (reason.startsWith(PerfRun.HALTED)) {
      err.println("the workers have stopped: " + reason);
      return ExitCode.FAILED;
    }
    return ExitCode.OK;
  }

  private static OptionalLong optional(Long value) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static OptionalLong nanos(Duration time) {
    return time == null ? OptionalLong.empty() : OptionalLong.of(time.toNanos());
  }

  /** This process, which a signal may stop. */
  private record ProcessClock(StopSignal signal) implements RunClock {

    private static final OperatingSystemMXBean SYSTEM =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

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
      return SYSTEM.getProcessCpuTime();
    }

    @Override
    public long heapUsedBytes() {
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public boolean pause(long ms) throws InterruptedException {
      return signal.await(ms);
    }
  }
}
