package io.tunnel.cli.doctor;

import io.tunnel.server.check.CheckReport;
import io.tunnel.server.check.DirectoryCheck;
import io.tunnel.server.check.DirectoryInUseException;
import io.tunnel.server.check.Repair;
import io.tunnel.server.check.Salvage;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel doctor}. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description =
        "Looks at the data directory of a server that does not run: log, indexes, rows, tables, tunnels,"
            + " each for itself and against each other. Changes nothing, unless told to repair."
            + " Exit code 0 means sound, 1 that something is wrong, 6 that everything checked is right"
            + " but not all rows could be compared with the log.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel doctor --data DIR",
      "  tunnel doctor --data DIR --quick --json",
      "  tunnel doctor --data DIR --repair",
      "  tunnel doctor --data DIR --salvage",
      "  tunnel doctor --data DIR --salvage --yes"
    })
public final class DoctorCommand extends Job {

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "The data directory. No server may use it.")
  private Path data;

  @Option(
      names = "--quick",
      description = "Do not compare the rows with those that the log makes; read everything once.")
  private boolean isQuick;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "Where rows are made for the comparison, as many as there are in the data directory"
              + " (default: the directory for temporary files).")
  private Path work;

  @Option(
      names = "--repair",
      description =
          "Make indexes and rows that are wrong again from the log. What was there is moved to a"
              + " directory 'aside-N' inside the data directory.")
  private boolean isRepairing;

  @Option(
      names = "--salvage",
      description =
          "Without a backup: say which damaged changes of the log are lost, and with --yes give them up"
              + " so that a server can serve everything else. Files that are replaced are copied to a"
              + " directory 'aside-N' before.")
  private boolean isSalvaging;

  @Option(names = "--yes", description = "Do what --salvage says.")
  private boolean isSure;

  @Option(names = "--json", description = "Print the findings as one JSON object.")
  private boolean isJson;

  /** For picocli. */
  public DoctorCommand() {}

  @Override
  public Integer call() throws IOException {
    if (work != null && !Files.isDirectory(work)) {
      throw CommandFailure.usage("--work " + work + " is no directory");
    }
    if (isSalvaging && isRepairing) {
      throw CommandFailure.usage("--salvage and --repair are two steps: give one, then the other");
    }
    if (isSure && !isSalvaging) {
      throw CommandFailure.usage("--yes is for --salvage: give both, or none");
    }
    try (StoredDirectory directory = open()) {
      CheckReport found = check(directory);
      List<String> repaired = List.of();
      if (isRepairing && !found.problems().isEmpty()) {
        repaired = repair(directory, found);
        found = check(directory);
      }
      if (isSalvaging) {
        repaired = salvage(directory, found);
        found = isSure ? check(directory) : found;
      }
      DoctorReport report =
          new DoctorReport(data, found, isQuick, isSalvaging ? "salvage" : "repair", repaired);
      print(report);
      return isRepairing || isSalvaging ? report.exitCodeOfDeed() : report.exitCode();
    }
  }

  private StoredDirectory open() {
    try {
      return isRepairing || isSure ? StoredDirectory.toChange(data) : StoredDirectory.toRead(data);
    } catch (DirectoryInUseException e) {
      throw new CommandFailure(ExitCode.UNAVAILABLE, e.getMessage());
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
  }

  private CheckReport check(StoredDirectory directory) throws IOException {
    Path temporary = work == null ? Path.of(System.getProperty("java.io.tmpdir")) : work;
    Optional<Path> rows = isQuick ? Optional.empty() : Optional.of(temporary);
    try (ProgressBar bar = bar("reading", DirectoryCheck.logBytes(directory))) {
      return new DirectoryCheck(directory, rows, bar::add).run();
    }
  }

  private List<String> repair(StoredDirectory directory, CheckReport found) throws IOException {
    try (ProgressBar bar = bar("folding", DirectoryCheck.logBytes(directory))) {
      return Repair.run(directory, found, aside(), bar::add);
    }
  }

  private List<String> salvage(StoredDirectory directory, CheckReport found) throws IOException {
    Optional<Path> aside = isSure ? Optional.of(aside()) : Optional.empty();
    try (ProgressBar bar = bar("folding", DirectoryCheck.logBytes(directory))) {
      return Salvage.run(directory, found, aside, bar::add);
    }
  }

  /** A name that is free. */
  private Path aside() {
    int number = 1;
    while (Files.exists(data.resolve("aside-" + number))) {
      number++;
    }
    return data.resolve("aside-" + number);
  }

  private ProgressBar bar(String label, long bytes) {
    Screen screen = Screen.standardError(err(), System.getenv());
    return new ProgressBar(label, "bytes", OptionalLong.of(bytes), screen, System::nanoTime);
  }

  private void print(DoctorReport report) {
    PrintWriter out = out();
    if (isJson) {
      out.println(report.json());
    } else {
      report.lines().forEach(out::println);
    }
    out.flush();
  }
}
