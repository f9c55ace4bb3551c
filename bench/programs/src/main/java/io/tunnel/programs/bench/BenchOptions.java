package io.tunnel.programs.bench;

import io.tunnel.terminal.CommandFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What all benchmarks are told. */
final class BenchOptions {

  static final int WRITERS_MAX = 64;
  static final int STEP_SECONDS_MAX = 24 * 60 * 60;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Where page, charts and numbers are left, and replace earlier ones"
              + " (default: tunnel-bench/NAME-TIME in the current directory).")
  private Path out;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "Where the servers' data is made, and removed (default: the directory for temporary"
              + " files).")
  private Path work = Path.of(System.getProperty("java.io.tmpdir"));

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

  @Option(
      names = "--json",
      description =
          "Standard output has nothing but the JSON object; the table goes to standard error.")
  private boolean isJson;

  BenchOptions() {}

  void require() {
    require("--writers", writers, 1, WRITERS_MAX);
    require("--step-seconds-max", stepSecondsMax, 1, STEP_SECONDS_MAX);
    if (!Files.isDirectory(work) || !Files.isWritable(work)) {
      throw CommandFailure.usage("--work " + work + " is no directory that can be written");
    }
  }

  /** Refuses a number outside of its limits. */
  static void require(String option, long value, long min, long max) {
    CommandFailure.requireRange(option, value, min, max);
  }

  Optional<Path> out() {
    return Optional.ofNullable(out);
  }

  Path work() {
    return work;
  }

  int writers() {
    return writers;
  }

  int stepSecondsMax() {
    return stepSecondsMax;
  }

  boolean isJson() {
    return isJson;
  }
}
