package io.tunnel.programs.bench;

import io.tunnel.model.Limits;
import io.tunnel.programs.bench.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel bench quick}. */
@Command(
    name = "quick",
    mixinStandardHelpOptions = true,
    description =
        "The main figures in about a minute, to hold a changed program against an unchanged one:"
            + " rows written and read a second, CPU time of a row, latency at half of the speed.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench quick",
      "  tunnel bench quick --rows 4000000 --rounds 5 --out before",
      "  tunnel bench quick --json --partitions 128 | tail -1"
    })
final class QuickCommand extends MeasuredCommand {

  static final long ROWS_MIN = 1_000;
  static final long ROWS_MAX = 100_000_000;
  static final int ROUNDS_MAX = 100;
  static final int LATENCY_SECONDS_MAX = 600;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Rows of a round (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "8",
      description = "Partitions of the tables (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds of each figure, whose median counts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--latency-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long latencies are measured (default: ${DEFAULT-VALUE}).")
  private int latencySeconds;

  QuickCommand() {}

  @Override
  void require() {
    BenchOptions.require("--rows", rows, ROWS_MIN, ROWS_MAX);
    BenchOptions.require("--partitions", partitions, 1, Limits.TABLE_PARTITIONS_MAX);
    BenchOptions.require("--rounds", rounds, 1, ROUNDS_MAX);
    BenchOptions.require("--latency-seconds", latencySeconds, 1, LATENCY_SECONDS_MAX);
  }

  @Override
  Report measure(Ground ground) throws Exception {
    return new QuickBench(ground, new QuickBench.Plan(rows, partitions, rounds, latencySeconds))
        .run();
  }
}
