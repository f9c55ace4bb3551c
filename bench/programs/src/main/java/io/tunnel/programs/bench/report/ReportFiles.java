package io.tunnel.programs.bench.report;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The directory that a report is left in: a page, its charts, and the numbers as JSON. */
public final class ReportFiles {

  /** The page. */
  public static final String PAGE = "index.html";

  /** The numbers. */
  public static final String JSON = "report.json";

  private final Path directory;

  private ReportFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes the directory, before anything is measured.
   *
   * @throws CommandFailure when that cannot be
   */
  public static ReportFiles in(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw CommandFailure.io("the directory " + directory + " for the report cannot be made");
    }
    if (!Files.isWritable(directory)) {
      throw CommandFailure.io("the directory " + directory + " for the report cannot be written");
    }
    return new ReportFiles(directory);
  }

  /** Where the page will be. */
  public Path page() {
    return directory.resolve(PAGE);
  }

  /**
   * Writes everything; what an earlier report left under the same names is replaced. Files get
   * their names when all of them are complete, so a full disk leaves the earlier report and no half
   * of this one.
   *
   * @throws CommandFailure when a file cannot be written, or this Java cannot draw
   */
  public void write(Report report, Machine machine) {
    List<String> names = new ArrayList<>(List.of(JSON, PAGE));
    report.plots().forEach(plot -> names.add(Charts.fileName(plot)));
    try {
      Files.writeString(part(JSON), ReportJson.line(report, machine) + "\n");
      Files.writeString(part(PAGE), ReportPage.of(report, machine));
      for (Plot plot : report.plots()) {
        Charts.draw(plot, part(Charts.fileName(plot)));
      }
      for (String name : names) {
        Files.move(part(name), directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      discard(names, e);
      throw CommandFailure.io(
          "the report in "
              + directory
              + " was not written: "
              + Diagnosis.ofFile(e)
              + "; the files there are of an earlier report");
    } catch (LinkageError | InternalError noGraphics) {
      discard(names, noGraphics);
      throw CommandFailure.io(
          "the charts in "
              + directory
              + " were not drawn, as this Java has no graphics or fonts: install fontconfig and a"
              + " font, or a Java that is not called headless");
    }
  }

  /** Where a file is written until all files are complete. */
  private Path part(String name) {
    return directory.resolve(name + ".part");
  }

  private void discard(List<String> names, Throwable why) {
    for (String name : names) {
      try {
        Files.deleteIfExists(part(name));
      } catch (IOException e) {
        why.addSuppressed(e);
      }
    }
  }
}
