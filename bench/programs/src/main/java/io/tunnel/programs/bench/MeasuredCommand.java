package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Machine;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportFiles;
import io.tunnel.programs.bench.report.ReportJson;
import io.tunnel.programs.bench.report.ReportText;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import picocli.CommandLine.Mixin;

/**
 * A benchmark: checks its options, makes the directory of its report, measures on a ground of its
 * own, and tells what it found: a table, files, and one JSON object on the last line.
 */
abstract class MeasuredCommand extends Job {

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

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
    ReportFiles files = ReportFiles.in(options.out().orElseGet(() -> directory(clock)));
    PrintWriter err = err();
    Report report;
    try (Interrupt interrupt = new Interrupt(spec().qualifiedName(), err);
        Ground ground = Ground.make(options, interrupt, clock)) {
      report = measure(ground);
    }
    tell(report, files);
    return ExitCode.OK;
  }

  private Path directory(LoadClock clock) {
    String time = TIME.format(Instant.ofEpochMilli(clock.epochMs()).atZone(ZoneId.systemDefault()));
    return Path.of("tunnel-bench", spec().name() + "-" + time);
  }

  /** The numbers come first, because files can fail. */
  private void tell(Report report, ReportFiles files) {
    PrintWriter out = out();
    PrintWriter people = options.isJson() ? err() : out;
    Machine machine = Machine.here();
    ReportText.lines(report).forEach(people::println);
    people.println();
    people.flush();
    try {
      files.write(report, machine);
      people.println("page with charts: " + files.page());
      people.println();
      people.flush();
    } finally {
      out.println(ReportJson.line(report, machine));
      out.flush();
    }
  }
}
