package io.tunnel.terminal.options;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads times such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h} and {@code 7d}; 30 means
 * seconds, unless the option's name says another unit.
 */
public class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern TIME =
      Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?) ?(us|ms|s|m|h|d|)");

  /** A century, which a clock of nanoseconds can count. */
  private static final Duration MAX = Duration.ofDays(36_500);

  private final String unitDefault;
  private final boolean mayBeNone;

  /** For picocli: a number alone means seconds, and 0 is refused. */
  public DurationConverter() {
    this("s", false);
  }

  private DurationConverter(String unitDefault, boolean mayBeNone) {
    this.unitDefault = unitDefault;
    this.mayBeNone = mayBeNone;
  }

  /** Of an option that may be 0: a number alone means seconds. */
  public static final class OrNone extends DurationConverter {
    /** For picocli. */
    public OrNone() {
      super("s", true);
    }
  }

  /** Of an option whose name ends in {@code -ms}: a number alone means milliseconds. */
  public static final class OfMillis extends DurationConverter {
    /** For picocli. */
    public OfMillis() {
      super("ms", false);
    }
  }

  /** Of one whose name ends in {@code -micros}, and may be 0: a number alone means microseconds. */
  public static final class OfMicros extends DurationConverter {
    /** For picocli. */
    public OfMicros() {
      super("us", true);
    }
  }

  @Override
  public Duration convert(String text) {
    Duration time = parse(text, unitDefault);
    if (time.isZero() && !mayBeNone) {
      throw new TypeConversionException("'" + text + "' is no time at all; give more than 0");
    }
    if (time.compareTo(MAX) > 0) {
      throw new TypeConversionException("'" + text + "' is too long; give 36500d at most");
    }
    return time;
  }

  /**
   * Converts a text as {@link #convert} does, and takes zero for a time too.
   *
   * @throws TypeConversionException when it is not a time
   */
  public static Duration orNone(String text) {
    return parse(text, "s");
  }

  private static Duration parse(String text, String unitDefault) {
    Matcher matcher = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a time such as 500ms, 30s, 5m, 1h or 7d");
    }
    String unit = matcher.group(2).isEmpty() ? unitDefault : matcher.group(2);
    double unitMs =
        switch (unit) {
          case "us" -> 1e-3;
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          case "d" -> 86_400_000;
          default -> throw new IllegalStateException("unit " + unit);
        };
    double ms = Double.parseDouble(matcher.group(1)) * unitMs;
    long wholeMs = (long) ms;
    return Duration.ofMillis(wholeMs).plusNanos(Math.round((ms - wholeMs) * 1e6));
  }
}
