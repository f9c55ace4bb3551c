package io.tunnel.programs.bench.report;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A chart before it is drawn.
 *
 * @param name of its file, without what stands behind the point
 * @param title what people read above it
 * @param x the scale below
 * @param left the scale at the left
 * @param right the scale at the right, when curves of another unit are in it
 * @param curves what is drawn
 */
public record Plot(
    String name, String title, Axis x, Axis left, Optional<Axis> right, List<Curve> curves) {

  /**
   * A scale.
   *
   * @param label what it measures, unit included
   * @param isLogarithmic whether equal ratios are equally far apart
   */
  public record Axis(String label, boolean isLogarithmic) {

    /** A scale on which equal differences are equally far apart. */
    public static Axis linear(String label) {
      return new Axis(label, false);
    }

    /** A scale on which equal ratios are equally far apart. */
    public static Axis logarithmic(String label) {
      return new Axis(label, true);
    }
  }

  /** Where a curve passes. */
  public record Point(double x, double y) {}

  /**
   * A curve.
   *
   * @param name as the legend has it
   * @param isRight whether its scale is the right one
   * @param points in the order in which they are joined
   */
  public record Curve(String name, boolean isRight, List<Point> points) {

    /** Takes a copy. */
    public Curve {
      Objects.requireNonNull(name, "name");
      points = List.copyOf(points);
    }

    /** This curve in a unit that is {@code divisor} times as large. */
    public Curve dividedBy(double divisor) {
      return new Curve(
          name,
          isRight,
          points.stream().map(point -> new Point(point.x(), point.y() / divisor)).toList());
    }
  }

  /** Refuses a curve whose scale is not there. */
  public Plot {
    Objects.requireNonNull(x, "x");
    Objects.requireNonNull(left, "left");
    curves = List.copyOf(curves);
    if (right.isEmpty() && curves.stream().anyMatch(Curve::isRight)) {
      throw new IllegalArgumentException("a curve of " + name + " has no scale");
    }
  }

  /** A chart with one scale of rows or costs. */
  public static Plot of(String name, String title, Axis x, Axis left, List<Curve> curves) {
    return new Plot(name, title, x, left, Optional.empty(), curves);
  }
}
