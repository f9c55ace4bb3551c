package io.tunnel.programs.bench.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;

/** Draws charts as PNG, which needs nothing but the JDK's own graphics and no display. */
final class Charts {

  private static final int WIDTH = 960;
  private static final int HEIGHT = 480;
  private static final float STROKE = 2f;

  /** Pixels of a legend, about: of the mark of a curve, of a letter, of the height of a line. */
  private static final int LEGEND_MARK = 48;

  private static final int LEGEND_LETTER = 6;
  private static final int LEGEND_LINE = 20;

  private Charts() {}

  static String fileName(Plot plot) {
    return plot.name() + ".png";
  }

  static void draw(Plot plot, Path to) throws IOException {
    try (OutputStream file = Files.newOutputStream(to)) {
      ChartEncoder.saveChart(chart(plot), file, "png");
    }
  }

  private static XYChart chart(Plot plot) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT + (isLegendWide(plot) ? LEGEND_LINE * plot.curves().size() : 0))
            .title(plot.title())
            .xAxisTitle(plot.x().label())
            .yAxisTitle(plot.left().label())
            .build();
    XYStyler style = chart.getStyler();
    style.setChartBackgroundColor(Color.WHITE);
    style.setLegendPosition(Styler.LegendPosition.OutsideS);
    style.setLegendLayout(
        isLegendWide(plot) ? Styler.LegendLayout.Vertical : Styler.LegendLayout.Horizontal);
    style.setXAxisLogarithmic(plot.x().isLogarithmic() && isWide(xs(plot.curves())));
    style.setYAxisLogarithmic(isLogarithmic(plot));
    style.setXAxisDecimalPattern("#,###.##");
    style.setYAxisDecimalPattern("#,###.###");
    plot.right().ifPresent(right -> chart.setYAxisGroupTitle(1, right.label()));
    if (plot.right().isPresent()) {
      style.setYAxisGroupPosition(1, Styler.YAxisPosition.Right);
    }
    plot.curves().forEach(curve -> add(chart, curve));
    if (!style.isYAxisLogarithmic()) {
      style.setYAxisMin(0, 0.0);
      plot.right().ifPresent(right -> style.setYAxisMin(1, 0.0));
    }
    return chart;
  }

  /** The library cuts a legend off that is wider than the chart. */
  private static boolean isLegendWide(Plot plot) {
    return plot.curves().stream()
            .mapToInt(curve -> LEGEND_MARK + LEGEND_LETTER * curve.name().length())
            .sum()
        > WIDTH;
  }

  /** The library has one kind of scale for both sides. */
  private static boolean isLogarithmic(Plot plot) {
    return plot.left().isLogarithmic()
        && plot.right().isEmpty()
        && isWide(
            plot.curves().stream()
                .flatMap(curve -> curve.points().stream())
                .map(Plot.Point::y)
                .toList());
  }

  private static List<Double> xs(List<Plot.Curve> curves) {
    return curves.stream().flatMap(curve -> curve.points().stream()).map(Plot.Point::x).toList();
  }

  /** A logarithmic scale is drawn over at least two different numbers, none of which is 0. */
  private static boolean isWide(List<Double> values) {
    return values.stream().allMatch(value -> value > 0) && values.stream().distinct().count() > 1;
  }

  private static void add(XYChart chart, Plot.Curve curve) {
    if (curve.points().isEmpty()) {
      return;
    }
    XYSeries series =
        chart.addSeries(
            curve.name(),
            curve.points().stream().mapToDouble(Plot.Point::x).toArray(),
            curve.points().stream().mapToDouble(Plot.Point::y).toArray());
    series.setLineStyle(
        curve.isRight()
            ? new BasicStroke(
                STROKE, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, new float[] {8f, 6f}, 0f)
            : new BasicStroke(STROKE));
    series.setYAxisGroup(curve.isRight() ? 1 : 0);
  }
}
