package io.tunnel.programs.bench.report;

import java.util.List;
import java.util.Optional;

/**
 * The slope of a straight line through points by least squares, with its confidence.
 *
 * <p>Consecutive samples of a process are correlated: memory that is high now is still high a
 * second later. So the number of independent samples is smaller; the error of the slope grows by
 * the correlation of each residual with its predecessor (an AR(1) model). Without this correction
 * any slow wave would pass for a trend.
 *
 * @param low the slope is above, with a confidence of 99 % together with {@code high}
 * @param high the slope is below
 * @param mean of the values
 */
public record Trend(double low, double high, double mean) {

  /** Looks that count as independent, at least; of fewer nothing is said. */
  static final double INDEPENDENT_MIN = 6;

  private static final int POINTS_MIN = 8;

  /** The quantile of a normal distribution for a confidence of 99 %. */
  private static final double NORMAL = 2.5758;

  /** The trend of those points; empty when there are too few that are independent. */
  public static Optional<Trend> of(List<Plot.Point> all) {
    List<Plot.Point> points =
        all.stream().filter(point -> Double.isFinite(point.x() + point.y())).toList();
    double meanX = points.stream().mapToDouble(Plot.Point::x).average().orElse(0);
    double meanY = points.stream().mapToDouble(Plot.Point::y).average().orElse(0);
    double spread = points.stream().mapToDouble(point -> square(point.x() - meanX)).sum();
    if (points.size() < POINTS_MIN || spread == 0) {
      return Optional.empty();
    }
    double slope =
        points.stream().mapToDouble(point -> (point.x() - meanX) * (point.y() - meanY)).sum()
            / spread;
    double[] residuals =
        points.stream()
            .mapToDouble(point -> point.y() - meanY - slope * (point.x() - meanX))
            .toArray();
    double error = 0;
    for (double residual : residuals) {
      error += square(residual);
    }
    double independent = independent(residuals, error);
    if (independent < INDEPENDENT_MIN) {
      return Optional.empty();
    }
    double freedom = independent - 2;
    double slopeError = Math.sqrt(error / residuals.length * independent / freedom / spread);
    double width = student(freedom) * slopeError * Math.sqrt(residuals.length / independent);
    return Optional.of(new Trend(slope - width, slope + width, meanY));
  }

  /** How many of the residuals count, given how much each resembles the one before. */
  private static double independent(double[] residuals, double error) {
    if (error == 0) {
      return residuals.length;
    }
    double products = 0;
    for (int i = 1; i < residuals.length; i++) {
      products += residuals[i] * residuals[i - 1];
    }
    double correlation = Math.max(0, products / error);
    return residuals.length * (1 - correlation) / (1 + correlation);
  }

  /**
   * Student's quantile for 99 %, by the expansion around the normal one; good from 4 degrees on.
   */
  private static double student(double freedom) {
    double cube = NORMAL * NORMAL * NORMAL;
    double fifth = cube * NORMAL * NORMAL;
    return NORMAL
        + (cube + NORMAL) / (4 * freedom)
        + (5 * fifth + 16 * cube + 3 * NORMAL) / (96 * square(freedom));
  }

  private static double square(double value) {
    return value * value;
  }
}
