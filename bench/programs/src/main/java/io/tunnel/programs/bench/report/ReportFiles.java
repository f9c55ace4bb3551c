package io.tunnel.programs.bench.report;

import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
   * Writes everything; what an earlier report left under the same names is replaced.
   *
   * @throws CommandFailure when a file cannot be written, or this Java cannot draw
   */
  public void write(Report report, Machine machine) {
    try {
      Files.writeString(directory.resolve(JSON), ReportJson.line(report, machine) + "\n");
      Files.writeString(page(), ReportPage.of(report, machine));
      for (Plot plot : report.plots()) {
        Charts.draw(plot, directory);
      }
    } catch (IOException e) {
      throw CommandFailure.io("the report in " + directory + " was not written: " + e.getMessage());
    } catch (LinkageError | InternalError noGraphics) {
      throw CommandFailure.io(
          "the charts in "
              + directory
              + " were not drawn, as this Java has no graphics or fonts: install fontconfig and a"
              + " font, or a Java that is not called headless");
    }
  }
}
