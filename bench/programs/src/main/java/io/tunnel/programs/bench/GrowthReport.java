package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Figure;
import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.programs.bench.report.PowerFit;
import io.tunnel.programs.bench.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What {@code bench growth} tells of its points. */
final class GrowthReport {

  private static final List<Grid.Column> CURVES =
      List.of(
          new Grid.Column("writeRowsPerSecond", "written rows/s"),
          new Grid.Column("writeServerCpuSecondsPerMillionRows", "server us/row written"),
          new Grid.Column("readRowsPerSecond", "read rows/s"),
          new Grid.Column("readServerCpuSecondsPerMillionRows", "server us/row read"),
          new Grid.Column("readClientCpuSecondsPerMillionRows", "worker us/row read"));

  private static final String REMARK =
      "An exponent is that of the power law that fits a curve best: 1 grows as its cause, 0 stays,"
          + " -1 halves when the cause doubles. A knee is where another exponent begins.";

  private GrowthReport() {}

  static Report of(long rows, Map<Variable, List<GrowthPoint>> points) {
    List<Figure> figures = new ArrayList<>();
    List<Grid> grids = new ArrayList<>();
    List<Plot> plots = new ArrayList<>();
    points.forEach(
        (variable, curve) -> {
          Grid grid = grid(variable, curve);
          grids.add(grid);
          CURVES.forEach(column -> addFits(figures, variable, grid, column));
          plots.add(plot(variable, grid, "rates", "rows/s", "RowsPerSecond"));
          plots.add(plot(variable, grid, "costs", "us of CPU per row", "PerMillionRows"));
        });
    return new Report(
        "growth",
        "bench growth: one thing changes at a time, durability OS",
        Map.of("rows", String.valueOf(rows)),
        figures,
        grids,
        plots,
        List.of(REMARK));
  }

  private static Grid grid(Variable variable, List<GrowthPoint> curve) {
    List<Grid.Column> columns = new ArrayList<>();
    columns.add(new Grid.Column(variable.member(), variable.label()));
    columns.addAll(CURVES);
    List<List<Double>> rows =
        curve.stream()
            .map(
                point ->
                    List.of(
                        (double) point.value(),
                        point.writeRowsPerSecond(),
                        point.writeServerCpu(),
                        point.readRowsPerSecond(),
                        point.readServerCpu(),
                        point.readClientCpu()))
            .toList();
    return new Grid(variable.member() + "Growth", "against " + variable.label(), columns, rows);
  }

  private static void addFits(
      List<Figure> figures, Variable variable, Grid grid, Grid.Column column) {
    List<Plot.Point> points =
        grid.curve(column.label(), variable.member(), column.name(), false).points();
    String subject = column.label() + " against " + variable.label();
    String member = upper(column.name()) + "By" + upper(variable.member());
    PowerFit.exponent(points)
        .ifPresent(
            exponent ->
                figures.add(new Figure("exponent" + member, "exponent of " + subject, exponent)));
    PowerFit.knee(points)
        .ifPresent(knee -> figures.add(new Figure("knee" + member, "knee of " + subject, knee)));
  }

  private static String upper(String name) {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  private static Plot plot(Variable variable, Grid grid, String name, String unit, String suffix) {
    List<Plot.Curve> curves =
        CURVES.stream()
            .filter(column -> column.name().endsWith(suffix))
            .map(column -> grid.curve(column.label(), variable.member(), column.name(), false))
            .filter(curve -> !curve.points().isEmpty())
            .toList();
    return Plot.of(
        variable.optionName() + "-" + name,
        upper(unit) + " against " + variable.label(),
        Axis.logarithmic(variable.label()),
        Axis.logarithmic(unit),
        curves);
  }
}
