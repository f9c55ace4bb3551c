package io.tunnel.programs.bench.report;

import java.util.List;
import java.util.OptionalDouble;

/**
 * How a curve grows: the exponent e of {@code y = c * x^e}, by least squares over the logarithms. 1
 * is linear growth, 0 is none, -1 is halving with each doubling.
 *
 * <p>The knee is the point where two such laws, one on each side, describe the curve best. There is
 * one only when the two differ by {@value #BEND_MIN} or more.
 */
public final class PowerFit {

  private static final double BEND_MIN = 0.25;

  /** Points that each side of a knee needs, the knee included. */
  private static final int SIDE_POINTS_MIN = 2;

  private PowerFit() {}

  /** The exponent; empty when there are not two different positive points. */
  public static OptionalDouble exponent(List<Plot.Point> points) {
    return law(points).exponent();
  }

  /** Where the exponent changes; empty when it does not. */
  public static OptionalDouble knee(List<Plot.Point> points) {
    double least = law(points).error();
    OptionalDouble knee = OptionalDouble.empty();
    for (int i = SIDE_POINTS_MIN - 1; i <= points.size() - SIDE_POINTS_MIN; i++) {
      Law before = law(points.subList(0, i + 1));
      Law after = law(points.subList(i, points.size()));
      double error = before.error() + after.error();
      if (before.exponent().isPresent()
          && after.exponent().isPresent()
          && error < least
          && Math.abs(before.slope() - after.slope()) >= BEND_MIN) {
        least = error;
        knee = OptionalDouble.of(points.get(i).x());
      }
    }
    return knee;
  }

  private record Law(OptionalDouble exponent, double error) {
    double slope() {
      return exponent.orElse(0);
    }
  }

  private static Law law(List<Plot.Point> points) {
    List<double[]> logs =
        points.stream()
            .filter(point -> point.x() > 0 && point.y() > 0)
            .map(point -> new double[] {Math.log(point.x()), Math.log(point.y())})
            .toList();
    double meanX = logs.stream().mapToDouble(log -> log[0]).average().orElse(0);
    double meanY = logs.stream().mapToDouble(log -> log[1]).average().orElse(0);
    double spread = logs.stream().mapToDouble(log -> square(log[0] - meanX)).sum();
    if (spread == 0) {
      return new Law(OptionalDouble.empty(), Double.MAX_VALUE);
    }
    double slope =
        logs.stream().mapToDouble(log -> (log[0] - meanX) * (log[1] - meanY)).sum() / spread;
    double error =
        logs.stream().mapToDouble(log -> square(log[1] - meanY - slope * (log[0] - meanX))).sum();
    return new Law(OptionalDouble.of(slope), error);
  }

  private static double square(double value) {
    return value * value;
  }
}
