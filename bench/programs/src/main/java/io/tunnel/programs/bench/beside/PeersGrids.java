package io.tunnel.programs.bench.beside;

import io.tunnel.model.Durability;
import io.tunnel.programs.bench.beside.PeersSetup.Side;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.TableRound;
import io.tunnel.programs.bench.peer.WriteRound;
import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The tables of {@code bench peers}, one row for each number of partitions. A table has one unit
 * and therefore one chart; in JSON the tables are one array.
 */
final class PeersGrids {

  /** The array. */
  static final String MEMBER = "byPartitions";

  private static final String PARTITIONS = "partitions";
  private static final String RATE = WriteRound.RATE;
  private static final String STEADY = "steady rows/s";
  private static final Side OURS = Side.of(Durability.OS);
  private static final List<Side> READERS = List.of(Side.KAFKA, OURS);

  private final PeersSetup setup;

  PeersGrids(PeersSetup setup) {
    this.setup = setup;
  }

  /** A grid, and the name and the unit of its chart. */
  record Sheet(String name, String unit, Grid grid) {

    Plot plot() {
      List<Plot.Curve> curves =
          grid.columns().stream()
              .skip(1)
              .map(column -> grid.curve(column.label(), PARTITIONS, column.name(), false))
              .filter(curve -> !curve.points().isEmpty())
              .toList();
      return Plot.of(name, grid.title(), Axis.logarithmic(PARTITIONS), Axis.linear(unit), curves);
    }
  }

  private record Column(Grid.Column shown, ToDoubleFunction<Measured> value) {
    Column(String name, String label, ToDoubleFunction<Measured> value) {
      this(new Grid.Column(name, label, true), value);
    }
  }

  /** What is shown of a side's reads. */
  @FunctionalInterface
  private interface ReadFigure {
    double of(Measured measured, String test, Side side);
  }

  private static ReadFigure median(String figure) {
    return (measured, test, side) -> measured.median(test, side, figure);
  }

  /** A way in which a row reached its callback, and its figure. */
  private record Way(String test, String path, String label, String figure) {}

  private static final List<Way> WAYS =
      List.of(
          new Way(
              Rounds.LATENCY_LOADED,
              "loaded.acknowledgedToCallback",
              "loaded, acked",
              "acked-seen p99 ms"),
          new Way(Rounds.LATENCY_LOADED, "loaded.dueToCallback", "loaded, due", "due-seen p99 ms"),
          new Way(
              Rounds.LATENCY_IDLE,
              "idle.acknowledgedToCallback",
              "idle, acked",
              "acked-seen p99 ms"),
          new Way(Rounds.LATENCY_IDLE, "idle.dueToCallback", "idle, due", "due-seen p99 ms"));

  /** Those of the parts that were measured. */
  List<Sheet> sheets(List<Measured> measured) {
    Set<Part> parts = setup.plan().parts();
    List<Sheet> sheets = new ArrayList<>();
    if (parts.contains(Part.WRITE) || parts.contains(Part.TABLE) || parts.contains(Part.READ)) {
      sheets.add(
          sheet(
              "ratios",
              "rows/s, ours over Kafka's: above 1 is better",
              "ours / Kafka's",
              ratios(),
              measured));
    }
    if (parts.contains(Part.LATENCY)) {
      sheets.add(
          sheet(
              "latency-ratios",
              "p99 to the callback, ours over Kafka's: below 1 is better",
              "ours / Kafka's",
              latencyRatios(),
              measured));
    }
    if (parts.contains(Part.WRITE)) {
      sheets.add(
          sheet(
              "write",
              "written rows/s",
              "rows/s",
              writes("writeRowsPerSecond.", Rounds.WRITE, RATE, writers(Side.KAFKA)),
              measured));
    }
    if (parts.contains(Part.TABLE)) {
      sheets.addAll(tables(measured));
    }
    if (parts.contains(Part.READ)) {
      sheets.addAll(reads(measured));
    }
    if (parts.contains(Part.LATENCY)) {
      sheets.add(sheet("latency", "p99 to the callback, ms", "ms", latencies(), measured));
    }
    sheets.addAll(costs(measured));
    return List.copyOf(sheets);
  }

  private List<Sheet> tables(List<Measured> measured) {
    List<Side> sides = writers(Side.KAFKA_TABLE);
    return List.of(
        sheet(
            "table",
            "rows/s written into a table, until the last one can be looked up",
            "rows/s",
            writes("tableWriteRowsPerSecond.", Rounds.TABLE, RATE, sides),
            measured),
        sheet(
            "table-acknowledged",
            "of these rows/s, those until the last one is acknowledged",
            "rows/s",
            writes(
                "tableWriteAcknowledgedRowsPerSecond.",
                Rounds.TABLE,
                TableRound.ACKNOWLEDGED,
                sides),
            measured));
  }

  private List<Sheet> reads(List<Measured> measured) {
    List<Column> steady = reads("readSteadyRowsPerSecond.", median(STEADY));
    steady.add(
        new Column("rawCeilingRowsPerSecond", "raw ceiling", Measured::ceilingRowsPerSecond));
    return List.of(
        sheet(
            "read",
            "read rows/s, from the reader's start to the last row",
            "rows/s",
            reads("readRowsPerSecond.", median(RATE)),
            measured),
        sheet("read-steady", "read rows/s, the steady part", "rows/s", steady, measured),
        sheet(
            "ceiling",
            "share of the raw ceiling that steady reads reach",
            "share",
            reads(
                "readShareOfCeiling.",
                (each, test, side) -> each.shareOfCeiling(test, side, STEADY)),
            measured),
        sheet(
            "start-up",
            "start-up of reads, ms until the first row",
            "ms",
            reads("readStartUpMs.", median("start-up ms")),
            measured));
  }

  private static Sheet sheet(
      String name, String title, String unit, List<Column> columns, List<Measured> measured) {
    List<Column> all = new ArrayList<>();
    all.add(new Column(PARTITIONS, PARTITIONS, Measured::partitions));
    all.addAll(columns);
    List<List<Double>> rows =
        measured.stream()
            .map(each -> all.stream().map(column -> column.value().applyAsDouble(each)).toList())
            .toList();
    return new Sheet(
        name, unit, new Grid(MEMBER, title, all.stream().map(Column::shown).toList(), rows));
  }

  private List<Column> ratios() {
    List<Column> columns = new ArrayList<>();
    if (setup.plan().parts().contains(Part.WRITE)) {
      for (Side side : setup.written()) {
        columns.add(
            new Column(
                side.equals(OURS) ? "writeRatio" : "writeRatioFsync",
                side.equals(OURS) ? "write OS" : "write FSYNC",
                each -> each.ratio(Rounds.WRITE, side, RATE)));
      }
    }
    if (setup.plan().parts().contains(Part.TABLE)) {
      for (Side side : setup.written()) {
        columns.add(
            new Column(
                side.equals(OURS) ? "tableWriteRatio" : "tableWriteRatioFsync",
                side.equals(OURS) ? "table OS" : "table FSYNC",
                each -> each.tableRatio(side, RATE)));
      }
    }
    for (Look look : setup.looks()) {
      columns.add(
          new Column(
              "readRatio." + text(look),
              "read " + text(look),
              each -> each.ratio(Rounds.read(look), OURS, RATE)));
    }
    for (Look look : setup.looks()) {
      columns.add(
          new Column(
              "readSteadyRatio." + text(look),
              "steady " + text(look),
              each -> each.ratio(Rounds.read(look), OURS, STEADY)));
    }
    return columns;
  }

  private static List<Column> latencyRatios() {
    return WAYS.stream()
        .map(
            way ->
                new Column(
                    "latencyP99Ratio." + way.path(),
                    way.label(),
                    each -> each.ratio(way.test(), OURS, way.figure())))
        .toList();
  }

  private static List<Column> writes(String member, String test, String figure, List<Side> sides) {
    List<Column> columns = new ArrayList<>();
    for (Side side : sides) {
      columns.add(
          new Column(member + side.member(), side.peer(), each -> each.median(test, side, figure)));
    }
    return columns;
  }

  private List<Side> writers(Side theirs) {
    List<Side> writers = new ArrayList<>();
    writers.add(theirs);
    writers.addAll(setup.written());
    return writers;
  }

  private List<Column> reads(String member, ReadFigure figure) {
    List<Column> columns = new ArrayList<>();
    for (Look look : setup.looks()) {
      for (Side side : READERS) {
        columns.add(
            new Column(
                member + text(look) + "." + side.member(),
                side.member() + " " + text(look),
                each -> figure.of(each, Rounds.read(look), side)));
      }
    }
    return columns;
  }

  private static List<Column> latencies() {
    List<Column> columns = new ArrayList<>();
    for (Way way : WAYS) {
      for (Side side : READERS) {
        columns.add(
            new Column(
                "latencyP99Ms." + way.path() + "." + side.member(),
                side.member() + " " + way.label(),
                each -> each.median(way.test(), side, way.figure())));
      }
    }
    return columns;
  }

  private List<Sheet> costs(List<Measured> measured) {
    List<Sheet> sheets = new ArrayList<>();
    if (setup.plan().parts().contains(Part.WRITE)) {
      sheets.add(
          sheet(
              "cpu-write",
              "CPU seconds per million rows written",
              "s",
              costs("write", Rounds.WRITE, writers(Side.KAFKA)),
              measured));
    }
    if (setup.plan().parts().contains(Part.TABLE)) {
      sheets.add(
          sheet(
              "cpu-table",
              "CPU seconds per million rows written into a table",
              "s",
              costs("tableWrite", Rounds.TABLE, writers(Side.KAFKA_TABLE)),
              measured));
    }
    for (Look look : setup.looks()) {
      String text = text(look);
      String member = "read" + text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
      sheets.add(
          sheet(
              "cpu-read-" + text,
              "CPU seconds per million rows read, " + text,
              "s",
              costs(member, Rounds.read(look), READERS),
              measured));
    }
    return sheets;
  }

  /** Microseconds a row are seconds a million rows. */
  private static List<Column> costs(String work, String test, List<Side> sides) {
    List<Column> columns = new ArrayList<>();
    for (Side side : sides) {
      for (String process : List.of("client", "server")) {
        columns.add(
            new Column(
                "cpuPerMillionRows." + work + "." + side.member() + "." + process,
                side.peer() + " " + process,
                each -> each.median(test, side, process + " CPU us/row")));
      }
    }
    return columns;
  }

  private static String text(Look look) {
    return look.name().toLowerCase(Locale.ROOT);
  }
}
