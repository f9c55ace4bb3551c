package io.tunnel.programs.bench;

import io.tunnel.model.Limits;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.terminal.CommandFailure;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel bench soak}. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description =
        "Writes and reads for a long time at 70%% of what the machine can do, and draws what the"
            + " server holds and uses meanwhile: heap, memory, files, threads, disk, CPU, network. A"
            + " slope test says what rises. Half-way a second tunnel drains a backlog, and the"
            + " writers' p99 before is held against the one meanwhile.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench soak --minutes 30",
      "  tunnel bench soak --minutes 5 --rate 50000 --backlog 5000000 --partitions 64",
      "  tunnel bench soak --hours 8 --work /var/tmp --out soak-of-tonight"
    })
final class SoakCommand extends MeasuredCommand {

  static final int MINUTES_MAX = 7 * 24 * 60;
  static final int MINUTES_DEFAULT = 30;
  static final long RATE_MAX = 100_000_000;
  static final long BACKLOG_MAX = 1_000_000_000;
  static final long KEYS_MAX = 1_000_000_000;
  static final int PEAK_SECONDS_MAX = 600;

  @ArgGroup private Duration duration = new Duration();

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Rows a second (default: the --share of the peak, which is measured before).")
  private Long rate;

  @Option(
      names = "--share",
      paramLabel = "PERCENT",
      defaultValue = "70",
      description = "Of the peak (default: ${DEFAULT-VALUE}).")
  private int share;

  @Option(
      names = "--peak-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long the peak is measured; the first half is not counted, since files are few then"
              + " (default: ${DEFAULT-VALUE}).")
  private int peakSeconds;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "8",
      description = "Partitions of the table (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Keys that are written again and again (default: ${DEFAULT-VALUE}).")
  private long keys;

  @Option(
      names = "--backlog",
      paramLabel = "ROWS",
      defaultValue = "20000000",
      description =
          "Rows to drain half-way, at most; twice as many rows stay"
              + " on the disk (default: ${DEFAULT-VALUE}).")
  private long backlog;

  SoakCommand() {}

  /** In minutes or in hours. */
  static final class Duration {

    @Option(
        names = "--minutes",
        paramLabel = "N",
        description = "How long it is written at that rate (default: " + MINUTES_DEFAULT + ").")
    private Double minutes;

    @Option(names = "--hours", paramLabel = "N", description = "The same in hours.")
    private Double hours;

    Duration() {}

    private void require() {
      if (minutes != null && !(minutes > 0 && minutes <= MINUTES_MAX)) {
        throw CommandFailure.usage("--minutes is more than 0 and at most " + MINUTES_MAX);
      }
      if (hours != null && !(hours > 0 && hours <= MINUTES_MAX / 60.0)) {
        throw CommandFailure.usage("--hours is more than 0 and at most " + MINUTES_MAX / 60);
      }
    }

    private long nanos() {
      double asked = minutes != null ? minutes : hours != null ? hours * 60 : MINUTES_DEFAULT;
      return (long) (asked * TimeUnit.MINUTES.toNanos(1));
    }
  }

  @Override
  void require() {
    duration.require();
    if (rate != null) {
      BenchOptions.require("--rate", rate, 1, RATE_MAX);
    }
    BenchOptions.require("--share", share, 1, 100);
    BenchOptions.require("--peak-seconds", peakSeconds, 1, PEAK_SECONDS_MAX);
    BenchOptions.require("--partitions", partitions, 1, Limits.TABLE_PARTITIONS_MAX);
    BenchOptions.require("--keys", keys, 1, KEYS_MAX);
    BenchOptions.require("--backlog", backlog, 1, BACKLOG_MAX);
  }

  @Override
  Report measure(Ground ground) throws Exception {
    SoakBench.Plan plan = new SoakBench.Plan(duration.nanos(), partitions, keys, backlog);
    SoakBench bench = new SoakBench(ground, plan);
    double peak = rate == null ? bench.peak(peakSeconds) : Double.NaN;
    double rowsPerSecond = rate == null ? Math.max(1, peak * share / 100) : rate;
    return SoakReport.of(plan, peak, rowsPerSecond, bench.run(rowsPerSecond));
  }
}
