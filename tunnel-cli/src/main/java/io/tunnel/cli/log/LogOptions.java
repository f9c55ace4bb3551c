package io.tunnel.cli.log;

import io.tunnel.terminal.options.ByteCountConverter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a program that runs for long: where its log lines go, and their levels. */
public final class LogOptions {

  /** The format of a line. */
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL[,LOGGER=LEVEL]",
      description =
          "What is logged: off, error, warn, info, debug or trace, of all and of single loggers"
              + " (default: TUNNEL_LOG of the environment, or info).")
  private String level;

  @Option(
      names = "--log-levels-file",
      paramLabel = "FILE",
      description =
          "Levels that hold as long as this file says so, LOGGER=LEVEL a line; it is looked at"
              + " every two seconds (default: log-levels in --data, if it is there).")
  private Path levelsFile;

  @Option(
      names = "--log-format",
      paramLabel = "text|json",
      defaultValue = "text",
      description = "Lines for people, or a JSON object a line (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Option(
      names = "--log-file",
      paramLabel = "FILE",
      description = "Log to this file, which is rotated, instead of standard error.")
  private Path file;

  @Option(
      names = "--log-file-size",
      paramLabel = "SIZE",
      defaultValue = "100MiB",
      converter = ByteCountConverter.class,
      description =
          "Size after which the file is put aside as FILE.DATE.NUMBER, which also happens each day"
              + " (default: ${DEFAULT-VALUE}).")
  private Long fileBytesMax;

  @Option(
      names = "--log-file-days",
      paramLabel = "N",
      defaultValue = "14",
      description = "Days of which files are kept that were put aside (default: ${DEFAULT-VALUE}).")
  private int daysMax;

  @Option(
      names = "--log-total-size",
      paramLabel = "SIZE",
      defaultValue = "1GiB",
      converter = ByteCountConverter.class,
      description =
          "Size of all files together that were put aside; the oldest go first (default:"
              + " ${DEFAULT-VALUE}).")
  private Long totalBytesMax;

  /** For picocli. */
  public LogOptions() {}

  /** The levels of {@code --log-level}, if it was given. */
  Optional<LogLevels> levels() {
    return Optional.ofNullable(level).map(LogLevels::parse);
  }

  Optional<Path> levelsFile() {
    return Optional.ofNullable(levelsFile);
  }

  LogSettings settings(LogLevels levels) {
    return new LogSettings(
        levels,
        format == Format.JSON,
        Optional.ofNullable(file)
            .map(path -> new LogSettings.Rotated(path, fileBytesMax, daysMax, totalBytesMax)));
  }
}
