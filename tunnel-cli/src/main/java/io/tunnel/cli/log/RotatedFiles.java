package io.tunnel.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.helper.ArchiveRemover;
import ch.qos.logback.core.util.FileSize;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Puts a full file aside, and the oldest ones away. Logback would put them away on threads of its
 * own, which share a calendar: two at once, after a burst of lines, find today where they look for
 * the days that are over, and delete what they find. Here the thread that fills a file waits for
 * it, under its appender's lock.
 */
final class RotatedFiles extends SizeAndTimeBasedRollingPolicy<ILoggingEvent> {

  private final LogSettings.Rotated file;

  /** Null before the start. */
  private ArchiveRemover oldest;

  RotatedFiles(LogSettings.Rotated file) {
    this.file = file;
    setFileNamePattern(file.path() + ".%d{yyyy-MM-dd}.%i");
    setMaxFileSize(new FileSize(file.bytesMax()));
  }

  @Override
  public void start() {
    super.start();
    oldest = getTimeBasedFileNamingAndTriggeringPolicy().getArchiveRemover();
    oldest.setMaxHistory(file.daysMax());
    oldest.setTotalSizeCap(file.totalBytesMax());
    removeOldest();
  }

  @Override
  public void rollover() {
    super.rollover();
    removeOldest();
  }

  private void removeOldest() {
    long nowMs = getTimeBasedFileNamingAndTriggeringPolicy().getCurrentTime();
    Future<?> removal = oldest.cleanAsynchronously(Instant.ofEpochMilli(nowMs));
    boolean isInterrupted = false;
    try {
      while (!removal.isDone()) {
        try {
          removal.get();
        } catch (InterruptedException e) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          addError("cannot remove the oldest files of " + file.path(), e.getCause());
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
