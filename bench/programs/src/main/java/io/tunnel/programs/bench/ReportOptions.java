package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Machine;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.ReportFiles;
import io.tunnel.programs.bench.report.ReportJson;
import io.tunnel.programs.bench.report.ReportText;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import picocli.CommandLine.Option;

/** Where a benchmark works, and where its report goes. */
public final class ReportOptions {

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

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
      names = "--json",
      description =
          "Standard output has nothing but the JSON object; the table goes to standard error.")
  private boolean isJson;

  /** For picocli. */
  public ReportOptions() {}

  /** Refuses a directory that nobody can work in. */
  public void require() {
    if (!Files.isDirectory(work) || !Files.isWritable(work)) {
      throw CommandFailure.usage("--work " + work + " is no directory that can be written");
    }
  }

  /** Where the data of servers is made. */
  public Path work() {
    return work;
  }

  /** The files of the report of a benchmark, in their directory. */
  public ReportFiles files(String benchmark, LoadClock clock) throws IOException {
    return ReportFiles.in(out == null ? directory(benchmark, clock) : out);
  }

  private static Path directory(String benchmark, LoadClock clock) {
    String time = TIME.format(Instant.ofEpochMilli(clock.epochMs()).atZone(ZoneId.systemDefault()));
    return Path.of("tunnel-bench", benchmark + "-" + time);
  }

  /**
   * Tells people a report, and programs on the last line. The numbers come first: files can fail.
   */
  public void tell(Report report, ReportFiles files, PrintWriter out, PrintWriter err) {
    PrintWriter people = isJson ? err : out;
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
