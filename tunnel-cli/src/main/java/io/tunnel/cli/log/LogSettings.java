package io.tunnel.cli.log;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * How a program logs.
 *
 * @param levels what is logged
 * @param isJson whether a line is a JSON object
 * @param file where to; empty for standard error
 */
record LogSettings(LogLevels levels, boolean isJson, Optional<Rotated> file) {

  LogSettings {
    Objects.requireNonNull(levels, "levels");
    Objects.requireNonNull(file, "file");
  }

  static LogSettings toStandardError(LogLevels levels) {
    return new LogSettings(levels, false, Optional.empty());
  }

  /**
   * A file that is put aside as {@code PATH.DATE.NUMBER} each day, and before that when it is full.
   *
   * @param bytesMax after which it is put aside
   * @param daysMax that are kept
   * @param totalBytesMax of all files together that were put aside; the oldest go first
   */
  record Rotated(Path path, long bytesMax, int daysMax, long totalBytesMax) {
    static final long BYTES_MIN = 4 << 10;
    static final int DAYS_MAX = 3_650;

    /** Refuses limits that cannot work. */
    Rotated {
      require(
          !path.toString().contains("%"), "--log-file has no % in its name, unlike '" + path + "'");
      require(
          bytesMax >= BYTES_MIN, "--log-file-size is at least 4KiB, not " + bytesMax + " bytes");
      require(daysMax >= 1 && daysMax <= DAYS_MAX, "--log-file-days is 1 to 3650, not " + daysMax);
      require(
          totalBytesMax >= bytesMax,
          "--log-total-size is at least --log-file-size, not " + totalBytesMax + " bytes");
    }

    private static void require(boolean holds, String message) {
      if (!holds) {
        throw new IllegalArgumentException(message);
      }
    }
  }
}
