package io.tunnel.programs.bench.report;

import java.util.Locale;

/** Numbers for people: with at least four digits, and without meaningless digits. */
final class NumberText {

  private static final double WHOLE_MIN = 1_000;
  private static final double TENTHS_MIN = 100;

  private NumberText() {}

  static String of(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    double size = Math.abs(value);
    if (size >= WHOLE_MIN || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size >= TENTHS_MIN ? "%.1f" : "%.3f", value);
  }
}
