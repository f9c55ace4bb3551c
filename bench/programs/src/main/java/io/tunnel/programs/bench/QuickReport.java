package io.tunnel.programs.bench;

import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.report.Figure;
import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.programs.bench.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What {@code bench quick} tells of its rounds. */
final class QuickReport {

  private static final String RATE = "rows/s";
  private static final String SERVER_CPU = "server CPU us/row";
  private static final String CLIENT_CPU = "client CPU us/row";
  private static final List<String> LOOKS = List.of("Count", "Touch", "Decode");
  private static final List<String> WAYS = List.of("acked", "due");

  /** Percentiles by the number of rows of which one is slower. */
  private static final Map<String, Double> ROWS_BY_PERCENTILE =
      Map.of("p50", 2.0, "p90", 10.0, "p99", 100.0, "p99.9", 1_000.0);

  private QuickReport() {}

  static Report of(QuickBench.Plan plan, QuickBench.Measured rounds, double pace) {
    Grid byRound = byRound(rounds);
    return new Report(
        "quick",
        "bench quick: one server, " + plan.partitions() + " partitions, rows of 220 bytes",
        Map.of(
            "rows", String.valueOf(plan.rows()),
            "partitions", String.valueOf(plan.partitions()),
            "rounds", String.valueOf(plan.rounds()),
            "latencySeconds", String.valueOf(plan.latencySeconds())),
        figures(rounds, pace),
        List.of(byRound),
        List.of(rates(byRound), latencies(rounds.latency())),
        List.of());
  }

  private static List<Figure> figures(QuickBench.Measured rounds, double pace) {
    List<Figure> figures = new ArrayList<>();
    Figures os = Figures.medians(rounds.writesOs());
    Figures fsync = Figures.medians(rounds.writesFsync());
    figures.add(new Figure("writeRowsPerSecondOs", "written rows/s, OS", os.get(RATE)));
    figures.add(new Figure("writeRowsPerSecondFsync", "written rows/s, FSYNC", fsync.get(RATE)));
    figures.add(
        new Figure(
            "writeServerCpuSecondsPerMillionRowsOs",
            "server CPU us per row written, OS, settled",
            os.get(SERVER_CPU)));
    figures.add(
        new Figure(
            "writeServerCpuSecondsPerMillionRowsFsync",
            "server CPU us per row written, FSYNC, settled",
            fsync.get(SERVER_CPU)));
    figures.add(
        new Figure(
            "writeClientCpuSecondsPerMillionRows",
            "writer CPU us per row written, OS",
            os.get(CLIENT_CPU)));
    for (int i = 0; i < LOOKS.size(); i++) {
      Figures reads = Figures.medians(rounds.readsByLook().get(i));
      String look = LOOKS.get(i);
      figures.add(
          new Figure("readRowsPerSecond" + look, label("read rows/s", look), reads.get(RATE)));
      figures.add(
          new Figure(
              "readClientCpuSecondsPerMillionRows" + look,
              label("reader CPU us per row", look),
              reads.get(CLIENT_CPU)));
    }
    figures.add(new Figure("latencyRowsPerSecond", "rows/s of the latencies below", pace));
    for (String way : WAYS) {
      for (String percentile : List.of("p50", "p99", "p99.9", "max")) {
        figures.add(
            new Figure(
                "latency" + (way.equals("due") ? "Due" : "") + member(percentile) + "Ms",
                (way.equals("due") ? "due" : "acknowledged")
                    + " to callback, "
                    + percentile
                    + ", ms",
                rounds.latency().get(way + "-seen " + percentile + " ms")));
      }
    }
    return figures;
  }

  private static String label(String what, String look) {
    return what + ", " + look.toLowerCase(Locale.ROOT);
  }

  private static String member(String percentile) {
    String digits = percentile.replace(".", "");
    return digits.substring(0, 1).toUpperCase(Locale.ROOT) + digits.substring(1);
  }

  private static Grid byRound(QuickBench.Measured rounds) {
    List<Grid.Column> columns =
        List.of(
            new Grid.Column("round", "round"),
            new Grid.Column("writeRowsPerSecondOs", "write OS"),
            new Grid.Column("writeRowsPerSecondFsync", "write FSYNC"),
            new Grid.Column("readRowsPerSecondCount", "read count"),
            new Grid.Column("readRowsPerSecondTouch", "read touch"),
            new Grid.Column("readRowsPerSecondDecode", "read decode"));
    List<List<Double>> rows = new ArrayList<>();
    for (int round = 0; round < rounds.writesOs().size(); round++) {
      List<Double> row = new ArrayList<>();
      row.add(round + 1.0);
      row.add(rounds.writesOs().get(round).get(RATE));
      row.add(rounds.writesFsync().get(round).get(RATE));
      for (List<Figures> look : rounds.readsByLook()) {
        row.add(look.get(round).get(RATE));
      }
      rows.add(row);
    }
    return new Grid("roundFigures", "rows/s of each round", columns, rows);
  }

  private static Plot rates(Grid grid) {
    List<Plot.Curve> curves =
        grid.columns().stream()
            .skip(1)
            .map(column -> grid.curve(column.label(), "round", column.name(), false))
            .toList();
    return Plot.of("rates", "Rows a second", Axis.linear("round"), Axis.linear("rows/s"), curves);
  }

  private static Plot latencies(Figures latency) {
    List<Plot.Curve> curves = new ArrayList<>();
    for (String way : WAYS) {
      List<Plot.Point> points =
          ROWS_BY_PERCENTILE.entrySet().stream()
              .sorted(Map.Entry.comparingByValue())
              .map(
                  each ->
                      new Plot.Point(
                          each.getValue(), latency.get(way + "-seen " + each.getKey() + " ms")))
              .toList();
      String name = way.equals("due") ? "due to callback" : "acknowledged to callback";
      curves.add(new Plot.Curve(name, false, points));
    }
    return Plot.of(
        "latency",
        "Latency at half of the speed",
        Axis.logarithmic("one row in so many takes longer"),
        Axis.linear("ms"),
        curves);
  }
}
