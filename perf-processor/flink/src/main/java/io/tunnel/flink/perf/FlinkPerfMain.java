package io.tunnel.flink.perf;

import io.tunnel.perf.PerfCommand;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The main class of the jar for {@code flink run}: {@code tunnel perf} with this engine. */
public final class FlinkPerfMain {

  private FlinkPerfMain() {}

  /**
   * Runs until what was asked for is done; fails, after a line that says why, when it could not.
   */
  public static void main(String[] args) {
    String[] all =
        Stream.concat(Stream.of("--engine", "flink"), Stream.of(args)).toArray(String[]::new);
    int exitCode = CommandRunner.run(new CommandLine(new PerfCommand()), Diagnosis.standard(), all);
    // Ending the process is not ours: it may be a cluster's.
    if (exitCode != 0) {
      throw new IllegalStateException("tunnel perf ended with exit code " + exitCode);
    }
  }
}
