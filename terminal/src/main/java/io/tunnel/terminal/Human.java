package io.tunnel.terminal;

import java.util.Locale;

/** Figures as people read them, the same in every locale. */
public final class Human {

  private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String[] COUNT_UNITS = {"", " k", " M", " G", " T", " P", " E"};

  private Human() {}

  /** All digits, in groups of three: {@code 1,234,567}. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** A count and what is counted: {@code 1 channel}, {@code 1,200 channels}. */
  public static String counted(long count, String singular) {
    return count(count) + " " + singular + (count == 1 ? "" : "s");
  }

  /** Three digits and a unit of thousands: {@code 999}, {@code 1.23 k}, {@code 45.6 M}. */
  public static String shortCount(double count) {
    return scaled(count, 1000, COUNT_UNITS, "");
  }

  /** Three digits and a unit of 1,024s: {@code 17 B}, {@code 1.50 MiB}. */
  public static String bytes(long bytes) {
    return scaled((double) bytes, 1024, BYTE_UNITS, " ");
  }

  /** The nearest number with three digits after the point, for JSON. */
  public static double thousandths(double value) {
    return Math.round(value * 1e3) / 1e3;
  }

  private static String scaled(double value, int step, String[] units, String space) {
    double rest = Math.abs(value);
    int unit = 0;
    // What would be printed as 1000 belongs to the next unit.
    while (rest >= (unit == 0 ? step : 999.5) && unit < units.length - 1) {
      rest /= step;
      unit++;
    }
    int decimals = unit == 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
    String sign = value < 0 ? "-" : "";
    return sign + String.format(Locale.ROOT, "%." + decimals + "f", rest) + space + units[unit];
  }

  /** The largest unit and the one below: {@code 350 ms}, {@code 1.2 s}, {@code 3 min 05 s}. */
  public static String duration(long ms) {
    if (ms < 0) {
      return "-" + duration(ms == Long.MIN_VALUE ? Long.MAX_VALUE : -ms);
    }
    if (ms < 1_000) {
      return ms + " ms";
    }
    if (ms < 59_950) {
      return String.format(Locale.ROOT, "%.1f s", ms / 1e3);
    }
    long seconds = ms / 1_000 + (ms % 1_000 >= 500 ? 1 : 0);
    if (seconds < 3_600) {
      return pair(seconds, 60, "min", "s");
    }
    return seconds < 86_400
        ? pair(seconds / 60, 60, "h", "min")
        : pair(seconds / 3_600, 24, "d", "h");
  }

  private static String pair(long value, int step, String unit, String lowerUnit) {
    return String.format(Locale.ROOT, "%d %s %02d %s", value / step, unit, value % step, lowerUnit);
  }
}
