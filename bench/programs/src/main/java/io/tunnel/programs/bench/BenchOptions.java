package io.tunnel.programs.bench;

import io.tunnel.terminal.CommandFailure;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What all benchmarks are told. */
final class BenchOptions {

  static final int WRITERS_MAX = 64;
  static final int STEP_SECONDS_MAX = 24 * 60 * 60;

  @Mixin private ReportOptions report;

  @Option(
      names = "--writers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads that write (default: ${DEFAULT-VALUE}).")
  private int writers;

  @Option(
      names = "--step-seconds-max",
      paramLabel = "N",
      defaultValue = "600",
      description = "A step that takes longer ends the run (default: ${DEFAULT-VALUE}).")
  private int stepSecondsMax;

  BenchOptions() {}

  void require() {
    require("--writers", writers, 1, WRITERS_MAX);
    require("--step-seconds-max", stepSecondsMax, 1, STEP_SECONDS_MAX);
    report.require();
  }

  /** Refuses a number outside of its limits. */
  static void require(String option, long value, long min, long max) {
    CommandFailure.requireRange(option, value, min, max);
  }

  ReportOptions report() {
    return report;
  }

  int writers() {
    return writers;
  }

  int stepSecondsMax() {
    return stepSecondsMax;
  }
}
