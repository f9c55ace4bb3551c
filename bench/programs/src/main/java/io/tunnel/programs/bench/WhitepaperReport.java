package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.programs.bench.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code bench whitepaper} tells, with the published figures beside. */
final class WhitepaperReport {

  private static final double MIB = 1 << 20;
  private static final double MB = 1e6;
  private static final String CHANNELS = "channels";

  private static final List<Grid.Column> PUBLISHED_COLUMNS =
      List.of(
          new Grid.Column(CHANNELS, "channels"),
          new Grid.Column("processes", "processes"),
          new Grid.Column("steadyRowsPerSecond", "steady rows/s"),
          new Grid.Column("peakRowsPerSecond", "peak rows/s"),
          new Grid.Column("perThousandRowsMs", "ms/1,000 rows"),
          new Grid.Column("coresUsed", "CPU cores"),
          new Grid.Column("memoryBytes", "memory bytes"),
          new Grid.Column("bytesPerSecond", "bytes/s"));

  private WhitepaperReport() {}

  static Report of(int seconds, List<WhitepaperFigures> measured) {
    List<Grid.Column> columns = new ArrayList<>(PUBLISHED_COLUMNS);
    columns.add(new Grid.Column("latencyP50Ms", "p50 ms"));
    columns.add(new Grid.Column("latencyP99Ms", "p99 ms"));
    Grid ours =
        new Grid(
            "cases",
            "measured here; latency is from commit to callback",
            columns,
            measured.stream().map(each -> row(each, columns.size())).toList());
    Grid published =
        new Grid(
            "publishedCases",
            "published in 2019: hosts of 16 cores and 64 GB, 1 Gbit/s",
            PUBLISHED_COLUMNS,
            WhitepaperFigures.PUBLISHED.stream()
                .map(each -> row(each, PUBLISHED_COLUMNS.size()))
                .toList());
    return new Report(
        "whitepaper",
        "bench whitepaper: incremental synchronisation against channels",
        Map.of("seconds", String.valueOf(seconds)),
        List.of(),
        List.of(ours, published),
        plots(ours, published),
        List.of(
            "Here the writer, the server and the worker processes share one machine; there only the"
                + " workers were on the hosts that were measured.",
            "CPU, memory and bandwidth are those of the worker processes. The whitepaper's latency is"
                + " the rate the other way round."));
  }

  private static List<Double> row(WhitepaperFigures figures, int columns) {
    return List.of(
            (double) figures.of().channels(),
            (double) figures.of().processes(),
            figures.steadyRowsPerSecond(),
            figures.peakRowsPerSecond(),
            figures.msPerThousandRows(),
            figures.cores(),
            figures.memoryBytes(),
            figures.bytesPerSecond(),
            figures.latencyP50Ms(),
            figures.latencyP99Ms())
        .subList(0, columns);
  }

  private static List<Plot> plots(Grid ours, Grid published) {
    return List.of(
        new Plot(
            "rate",
            "Rate and latency against channels",
            Axis.logarithmic(CHANNELS),
            Axis.linear("rows/s"),
            Optional.of(Axis.linear("ms")),
            List.of(
                curve(ours, "rows/s", 2, false, 1),
                curve(published, "rows/s, published", 2, false, 1),
                curve(ours, "ms per 1,000 rows", 4, true, 1),
                curve(published, "ms per 1,000 rows, published", 4, true, 1),
                curve(ours, "commit to callback p50, ms", 8, true, 1))),
        new Plot(
            "resources",
            "CPU and memory of the workers against channels",
            Axis.logarithmic(CHANNELS),
            Axis.linear("cores"),
            Optional.of(Axis.linear("MiB")),
            List.of(
                curve(ours, "cores", 5, false, 1),
                curve(published, "cores, published", 5, false, 1),
                curve(ours, "MiB", 6, true, MIB),
                curve(published, "MiB, published", 6, true, MIB))),
        Plot.of(
            "bandwidth",
            "Bandwidth against channels",
            Axis.logarithmic(CHANNELS),
            Axis.linear("MB/s"),
            List.of(
                curve(ours, "MB/s", 7, false, MB),
                curve(published, "MB/s, published", 7, false, MB))));
  }

  private static Plot.Curve curve(
      Grid grid, String name, int column, boolean isRight, double divisor) {
    return grid.curve(name, CHANNELS, grid.columns().get(column).name(), isRight)
        .dividedBy(divisor);
  }
}
