package io.tunnel.cli.arguments;

import io.tunnel.model.StreamStart;
import io.tunnel.terminal.options.DurationConverter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/**
 * Points in time as they are typed.
 *
 * @param nowMs what times such as -15m count from, in milliseconds since 1970
 * @param zone whose clocks show a date and time that names no zone
 */
public record Moments(long nowMs, ZoneId zone) {

  /** What may be typed. */
  public static final String FORMS =
      "2026-11-21T08:00:00Z, 2026-11-21T08:00 (local time), milliseconds since 1970, or -15m"
          + " (ago; ms, s, m, h or d)";

  /** The end of the stream that is named so; empty when it is not the name of one. */
  public static Optional<StreamStart> edge(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "earliest" -> Optional.of(StreamStart.EARLIEST);
      case "latest" -> Optional.of(StreamStart.LATEST);
      default -> Optional.empty();
    };
  }

  /**
   * The moment in milliseconds since 1970.
   *
   * @param option what it was typed for
   * @param others what else that takes, as the start of a list; may be empty
   * @throws IllegalArgumentException when it is not a moment
   */
  public long parse(String option, String text, String others) {
    String typed = text.strip().toUpperCase(Locale.ROOT);
    if (typed.matches("[0-9]{1,15}")) {
      return Long.parseLong(typed);
    }
    long ms;
    try {
      ms = typed.matches("[-+].*") ? relative(typed) : absolute(typed);
    } catch (DateTimeException | TypeConversionException | ArithmeticException e) {
      throw new IllegalArgumentException(
          option + " '" + text + "' is not a time: give " + others + FORMS);
    }
    if (ms < 0) {
      throw new IllegalArgumentException(option + " '" + text + "' is before 1970");
    }
    return ms;
  }

  private long relative(String typed) {
    Duration distance = DurationConverter.orNone(typed.substring(1));
    return typed.startsWith("-") ? nowMs - distance.toMillis() : nowMs + distance.toMillis();
  }

  private long absolute(String typed) {
    Instant instant =
        typed.matches(".*(Z|[-+][0-9]{2}:[0-9]{2})")
            ? OffsetDateTime.parse(typed).toInstant()
            : LocalDateTime.parse(typed).atZone(zone).toInstant();
    return instant.toEpochMilli();
  }
}
