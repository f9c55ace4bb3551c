package io.tunnel.cli.arguments;

import io.tunnel.model.StreamStart;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.options.DurationConverter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/**
 * Points in time as they are typed.
 *
 * @param nowMs what times such as -15m count from, in milliseconds since 1970
 * @param zone whose clocks show a date and time that names no zone
 */
public record Moments(long nowMs, ZoneId zone) {

  /** Milliseconds below this are refused, because seconds are meant. */
  private static final long SECONDS_MAX = 100_000_000_000L;

  /** Clocks that differ by less agree. */
  private static final long CLOCK_DIFFERENCE_MS_MAX = 5_000;

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
   * What to say when the clock from which {@code text} was counted is not the server's; empty when
   * the clocks agree, or nothing was counted.
   *
   * @param text what was typed; may be null
   * @param serverMs the server's time, which it told between {@code sentMs} and {@code answeredMs}
   *     of this machine's clock
   */
  public static Optional<String> clockRemark(
      String option, String text, long serverMs, long sentMs, long answeredMs) {
    boolean isCounted = text != null && text.strip().matches("[-+].*");
    long aheadMs = Math.max(serverMs - answeredMs, 0) + Math.min(serverMs - sentMs, 0);
    if (!isCounted || Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MS_MAX) {
      return Optional.empty();
    }
    return Optional.of(
        option
            + " '"
            + text
            + "' was counted from the clock of this machine, and the server's is "
            + Human.duration(Math.abs(aheadMs))
            + (aheadMs > 0 ? " ahead" : " behind")
            + ": give the moment itself, or set the clocks");
  }

  /**
   * The moment in milliseconds since 1970.
   *
   * @param option the option whose value the text is
   * @param others other values of the option, as the start of a list; may be empty
   * @throws IllegalArgumentException when it is not a moment
   */
  public long parse(String option, String text, String others) {
    String typed = text.strip().toUpperCase(Locale.ROOT);
    if (typed.matches("[0-9]{1,15}")) {
      return requireNoSeconds(option, text, Long.parseLong(typed));
    }
    long ms;
    try {
      ms = typed.matches("[-+].*") ? relative(typed) : absolute(typed);
    } catch (UnclearTimeException e) {
      throw new IllegalArgumentException(option + " '" + text + "' " + e.getMessage());
    } catch (DateTimeException | TypeConversionException | ArithmeticException e) {
      throw new IllegalArgumentException(
          option + " '" + text + "' is not a time: give " + others + FORMS);
    }
    if (ms < 0) {
      throw new IllegalArgumentException(option + " '" + text + "' is before 1970");
    }
    return ms;
  }

  /** Seconds since 1970 of any year up to 5138 are milliseconds of 1970 to 1973. */
  private static long requireNoSeconds(String option, String text, long ms) {
    if (ms > 0 && ms < SECONDS_MAX) {
      throw new IllegalArgumentException(
          option
              + " '"
              + text
              + "' is milliseconds since 1970, and so "
              + Instant.ofEpochMilli(ms)
              + ": if seconds are meant, "
              + Instant.ofEpochSecond(ms)
              + ", give that, or "
              + ms
              + "000");
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
            : local(LocalDateTime.parse(typed));
    return instant.toEpochMilli();
  }

  /** A clock that is put back shows an hour twice, one that is put forward leaves an hour out. */
  private Instant local(LocalDateTime time) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
    if (offsets.size() == 1) {
      return time.toInstant(offsets.get(0));
    }
    throw new UnclearTimeException(
        offsets.isEmpty()
            ? "never came in " + zone + ", whose clocks were put forward over it: name its zone"
            : "came twice in "
                + zone
                + ", whose clocks were put back: give "
                + offsets.stream()
                    .map(offset -> time.atOffset(offset).toString())
                    .collect(Collectors.joining(" or ")));
  }

  /** A local time that is not one moment; the message says why, and what to give. */
  private static final class UnclearTimeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnclearTimeException(String message) {
      super(message);
    }
  }
}
