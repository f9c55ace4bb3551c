package io.tunnel.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads times such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h} and {@code 7d}; 30 means
 * seconds.
 */
public final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern TIME =
      Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?)(ms|s|m|h|d|)");

  /** For picocli. */
  public DurationConverter() {}

  @Override
  public Duration convert(String text) {
    Duration time = orNone(text);
    if (time.isZero()) {
      throw new TypeConversionException("'" + text + "' is no time at all; give more than 0");
    }
    return time;
  }

  /**
   * The same, but no time at all is a time too.
   *
   * @throws TypeConversionException when it is not a time
   */
  public static Duration orNone(String text) {
    Matcher matcher = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a time such as 500ms, 30s, 5m, 1h or 7d");
    }
    double unitMs =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          case "d" -> 86_400_000;
          default -> 1_000;
        };
    double ms = Double.parseDouble(matcher.group(1)) * unitMs;
    long wholeMs = (long) ms;
    return Duration.ofMillis(wholeMs).plusNanos(Math.round((ms - wholeMs) * 1e6));
  }
}
