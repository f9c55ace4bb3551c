package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportFiles;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.io.PrintWriter;
import picocli.CommandLine.Mixin;

/**
 * A benchmark: checks its options, makes the directory of its report, measures on a ground of its
 * own, and tells what it found: a table, files, and one JSON object on the last line.
 */
abstract class MeasuredCommand extends Job {

  @Mixin private BenchOptions options;

  /** Refuses options that cannot be, before anything is started. */
  abstract void require() throws Exception;

  /** Does the work. */
  abstract Report measure(Ground ground) throws Exception;

  /** Of the programs, as {@code --version} says it; empty for a command that has none. */
  final String version() {
    return String.join(" ", spec().version());
  }

  @Override
  public final Integer call() throws Exception {
    options.require();
    require();
    LoadClock clock = new SystemClock();
    ReportFiles files = options.report().files(spec().name(), clock);
    PrintWriter err = err();
    Report report;
    try (Interrupt interrupt = new Interrupt(spec().qualifiedName(), err);
        Ground ground = Ground.make(options, interrupt, clock)) {
      report = measure(ground);
    }
    options.report().tell(report, files, out(), err);
    return ExitCode.OK;
  }
}
