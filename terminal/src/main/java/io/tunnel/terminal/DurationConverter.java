package io.tunnel.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads times such as {@code 500ms}, {@code 30s}, {@code 5m} and {@code 1h}; 30 means seconds. */
public final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?)(ms|s|m|h|)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a time such as 500ms, 30s, 5m or 1h");
    }
    double unitMs =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          default -> 1_000;
        };
    Duration time =
        Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * unitMs * 1e6));
    if (time.isZero()) {
      throw new TypeConversionException("'" + text + "' is no time at all; give more than 0");
    }
    return time;
  }
}
