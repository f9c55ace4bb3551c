package io.tunnel.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Puts a full file aside, and deletes the oldest files that were put aside. Logback's own removal
 * runs on threads that share a calendar, looks at 32 days at most, and forgets files of a server
 * that was down for longer. Here the thread that fills a file looks at all of them, under its
 * appender's lock.
 */
final class RotatedFiles extends SizeAndTimeBasedRollingPolicy<ILoggingEvent> {

  private static final Pattern DAY_AND_NUMBER =
      Pattern.compile("(\\d{4}-\\d{2}-\\d{2})\\.(\\d{1,9})");

  private final LogSettings.Rotated file;

  RotatedFiles(LogSettings.Rotated file) {
    this.file = file;
    setFileNamePattern(file.path() + ".%d{yyyy-MM-dd}.%i");
    setMaxFileSize(new FileSize(file.bytesMax()));
  }

  /** A file that was put aside. */
  private record Aside(Path path, LocalDate day, int number) {

    static Optional<Aside> of(Path path, String prefix) {
      String name = path.getFileName().toString();
      Matcher rest =
          DAY_AND_NUMBER.matcher(name.startsWith(prefix) ? name.substring(prefix.length()) : "");
      if (!rest.matches()) {
        return Optional.empty();
      }
      try {
        LocalDate day = LocalDate.parse(rest.group(1));
        return Optional.of(new Aside(path, day, Integer.parseInt(rest.group(2))));
      } catch (DateTimeParseException e) {
        // Somebody else's file: there is no such day.
        return Optional.empty();
      }
    }
  }

  @Override
  public void start() {
    super.start();
    removeOldest();
  }

  @Override
  public void rollover() {
    super.rollover();
    removeOldest();
  }

  private void removeOldest() {
    long nowMs = getTimeBasedFileNamingAndTriggeringPolicy().getCurrentTime();
    LocalDate oldest =
        LocalDate.ofInstant(Instant.ofEpochMilli(nowMs), ZoneId.systemDefault())
            .minusDays(file.daysMax());
    long bytes = 0;
    try {
      for (Aside aside : newestFirst()) {
        bytes += Files.size(aside.path());
        if (aside.day().isBefore(oldest) || bytes > file.totalBytesMax()) {
          Files.deleteIfExists(aside.path());
        }
      }
    } catch (IOException e) {
      addError("cannot remove the oldest files of " + file.path() + "; will retry", e);
    }
  }

  private List<Aside> newestFirst() throws IOException {
    Path path = file.path().toAbsolutePath();
    try (Stream<Path> files = Files.list(path.getParent())) {
      return files
          .flatMap(each -> Aside.of(each, path.getFileName() + ".").stream())
          .sorted(Comparator.comparing(Aside::day).thenComparing(Aside::number).reversed())
          .toList();
    }
  }
}
