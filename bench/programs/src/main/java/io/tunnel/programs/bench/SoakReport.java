package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Figure;
import io.tunnel.programs.bench.report.Grid;
import io.tunnel.programs.bench.report.Plot;
import io.tunnel.programs.bench.report.Plot.Axis;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.bench.report.Trend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What {@code bench soak} tells of its looks. */
final class SoakReport {

  private static final double MIB = 1 << 20;
  private static final String TIME = "seconds";

  /** A slower rise would not be told from noise in the time that a soak has. */
  private static final double RISE_PERCENT_AN_HOUR_MIN = 1;

  /** What is judged, by its label: what may leak, and what a rate costs. */
  private static final Map<String, ToDoubleFunction<SoakSample>> HELD = held();

  private static final List<Grid.Column> COLUMNS =
      List.of(
          new Grid.Column(TIME, "s"),
          new Grid.Column("writeRowsPerSecond", "written rows/s"),
          new Grid.Column("readRowsPerSecond", "read rows/s"),
          new Grid.Column("backlogRowsPerSecond", "backlog rows/s"),
          new Grid.Column("writeP99Ms", "write p99 ms"),
          new Grid.Column("latencyP99Ms", "latency p99 ms"),
          new Grid.Column("heapBytes", "heap bytes"),
          new Grid.Column("residentBytes", "memory bytes"),
          new Grid.Column("openFiles", "files"),
          new Grid.Column("threads", "threads"),
          new Grid.Column("diskBytes", "disk bytes"),
          new Grid.Column("cpuPercent", "CPU %"),
          new Grid.Column("networkBytesPerSecond", "network bytes/s"));

  private SoakReport() {}

  private static Map<String, ToDoubleFunction<SoakSample>> held() {
    Map<String, ToDoubleFunction<SoakSample>> held = new LinkedHashMap<>();
    held.put("heap", each -> each.holding().heapBytes());
    held.put("memory", each -> each.holding().residentBytes());
    held.put("open files", each -> each.holding().openFiles());
    held.put("threads", each -> each.holding().threads());
    held.put("disk", each -> each.holding().diskBytes());
    held.put("CPU", SoakSample::cpuPercent);
    held.put("latency", SoakSample::latencyP99Ms);
    return held;
  }

  static Report of(SoakBench.Plan plan, double peak, double rate, SoakBench.Result result) {
    Grid grid =
        new Grid(
            "samples",
            "what was seen",
            COLUMNS,
            result.samples().stream().map(SoakReport::row).toList());
    return new Report(
        "soak",
        "bench soak: written and read at an even rate, durability OS",
        Map.of(
            "minutes", String.valueOf(plan.nanos() / 60e9),
            "partitions", String.valueOf(plan.partitions()),
            "keys", String.valueOf(plan.keys()),
            "backlogRows", String.valueOf(plan.backlogRows())),
        figures(peak, rate, result),
        List.of(grid),
        plots(grid),
        notes(result));
  }

  private static List<String> notes(SoakBench.Result result) {
    List<String> notes = new ArrayList<>();
    notes.add("Growth is from the second quarter of the time to the last one, without the drain.");
    notes.add("Heap is what was in use after the last garbage collection.");
    HELD.forEach((label, value) -> notes.add(verdict(label, trend(result, value))));
    return notes;
  }

  /** What a line through the looks behind the drain says, in percent of the mean an hour. */
  static String verdict(String label, Optional<Trend> trend) {
    if (trend.isEmpty()) {
      return "Undecided: " + label + ", of which too few looks are independent.";
    }
    double low = percentAnHour(trend.get(), trend.get().low());
    double high = percentAnHour(trend.get(), trend.get().high());
    String range =
        String.format(
            Locale.ROOT, "%.1f to %.1f %% an hour behind the drain (99 %% sure)", low, high);
    if (low > RISE_PERCENT_AN_HOUR_MIN) {
      return "RISES: " + label + ", by " + range + ".";
    }
    return high <= RISE_PERCENT_AN_HOUR_MIN
        ? "Does not rise: " + label + ", by " + range + "."
        : "Undecided: " + label + ", by " + range + "; a longer soak can tell.";
  }

  private static double percentAnHour(Trend trend, double slope) {
    return 100 * 3600 * slope / trend.mean();
  }

  /** Behind the drain alone: the drain takes memory that the server then keeps. */
  static Optional<Trend> trend(SoakBench.Result result, ToDoubleFunction<SoakSample> value) {
    return Trend.of(
        result.samples().stream()
            .filter(sample -> sample.seconds() > result.drain().toSeconds())
            .map(sample -> new Plot.Point(sample.seconds(), value.applyAsDouble(sample)))
            .toList());
  }

  private static List<Double> row(SoakSample sample) {
    return List.of(
        sample.seconds(),
        sample.writeRowsPerSecond(),
        sample.readRowsPerSecond(),
        sample.backlogRowsPerSecond(),
        sample.writeP99Ms(),
        sample.latencyP99Ms(),
        sample.holding().heapBytes(),
        sample.holding().residentBytes(),
        sample.holding().openFiles(),
        sample.holding().threads(),
        sample.holding().diskBytes(),
        sample.cpuPercent(),
        sample.networkBytesPerSecond());
  }

  private static List<Figure> figures(double peak, double rate, SoakBench.Result result) {
    SoakBench.Drain drain = result.drain();
    SoakBench.WriteP99 p99 = result.writeP99();
    double drainSeconds = drain.toSeconds() - drain.fromSeconds();
    List<SoakSample> samples = result.samples();
    List<Figure> figures = new ArrayList<>();
    figures.add(new Figure("peakRowsPerSecond", "rows/s at the peak, written and read", peak));
    figures.add(new Figure("rateRowsPerSecond", "rows/s asked for", rate));
    figures.add(
        new Figure(
            "writeRowsPerSecond",
            "rows/s written, mean",
            mean(samples, SoakSample::writeRowsPerSecond)));
    figures.add(
        new Figure(
            "readRowsPerSecond",
            "rows/s read, mean",
            mean(samples, SoakSample::readRowsPerSecond)));
    figures.add(
        new Figure(
            "latencyP99Ms",
            "acknowledged to callback p99, ms, mean over the time",
            mean(samples, SoakSample::latencyP99Ms)));
    figures.add(new Figure("backlogRows", "rows of the backlog", drain.rows()));
    figures.add(new Figure("backlogSeconds", "seconds in which it was drained", drainSeconds));
    figures.add(
        new Figure("backlogRowsPerSecond", "rows/s of the backlog", drain.rows() / drainSeconds));
    figures.add(
        new Figure("writeP99BeforeMs", "due to acknowledged p99 before, ms", p99.beforeMs()));
    figures.add(
        new Figure("writeP99DuringMs", "due to acknowledged p99 meanwhile, ms", p99.duringMs()));
    figures.add(
        new Figure("writeP99AfterMs", "due to acknowledged p99 afterwards, ms", p99.afterMs()));
    figures.add(new Figure("writeP99Ratio", "meanwhile / before", p99.duringMs() / p99.beforeMs()));
    growth(figures, result, "heap", "heap", each -> each.holding().heapBytes());
    growth(figures, result, "resident", "memory", each -> each.holding().residentBytes());
    growth(figures, result, "openFiles", "open files", each -> each.holding().openFiles());
    growth(figures, result, "threads", "threads", each -> each.holding().threads());
    trend(result, each -> each.holding().residentBytes())
        .ifPresent(
            trend -> {
              figures.add(
                  new Figure(
                      "residentRiseLowPercentPerHour",
                      "rise of memory behind the drain, % an hour, at least",
                      percentAnHour(trend, trend.low())));
              figures.add(
                  new Figure(
                      "residentRiseHighPercentPerHour",
                      "rise of memory behind the drain, % an hour, at most",
                      percentAnHour(trend, trend.high())));
            });
    growth(figures, result, "disk", "disk", each -> each.holding().diskBytes());
    growth(figures, result, "latencyP99", "latency p99", SoakSample::latencyP99Ms);
    return figures;
  }

  private static void growth(
      List<Figure> figures,
      SoakBench.Result result,
      String name,
      String label,
      ToDoubleFunction<SoakSample> value) {
    figures.add(
        new Figure(name + "GrowthPercent", "growth of " + label + ", %", growth(result, value)));
  }

  /**
   * In percent, from the second quarter of the time to the last one. The drain is in neither: it
   * raises what it is compared with.
   */
  static double growth(SoakBench.Result result, ToDoubleFunction<SoakSample> value) {
    List<SoakSample> samples = result.samples();
    SoakBench.Drain drain = result.drain();
    double quarter = samples.get(samples.size() - 1).seconds() / 4;
    double second =
        mean(
            samples,
            each ->
                each.seconds() > quarter
                    && each.seconds() <= 2 * quarter
                    && isOutside(drain, each.seconds()),
            value);
    double last =
        mean(
            samples,
            each -> each.seconds() > 3 * quarter && isOutside(drain, each.seconds()),
            value);
    return 100 * (last / second - 1);
  }

  private static boolean isOutside(SoakBench.Drain drain, double seconds) {
    return seconds <= drain.fromSeconds() || seconds > drain.toSeconds();
  }

  private static double mean(List<SoakSample> samples, ToDoubleFunction<SoakSample> value) {
    return mean(samples, each -> true, value);
  }

  /**
   * Of some looks, each as much as the time since the look before it: there are more of them while
   * the backlog is drained. NaN of nothing; what is not there does not count.
   */
  static double mean(
      List<SoakSample> samples, Predicate<SoakSample> which, ToDoubleFunction<SoakSample> value) {
    double sum = 0;
    double seconds = 0;
    double before = 0;
    for (SoakSample sample : samples) {
      double length = sample.seconds() - before;
      before = sample.seconds();
      double each = value.applyAsDouble(sample);
      if (which.test(sample) && !Double.isNaN(each)) {
        sum += each * length;
        seconds += length;
      }
    }
    return sum / seconds;
  }

  private static List<Plot> plots(Grid grid) {
    return List.of(
        plot(grid, "rates", "Rows a second", Axis.linear("rows/s"), 1, 1, 2, 3),
        plot(grid, "latency", "Latency, p99", Axis.linear("ms"), 1, 4, 5),
        plot(grid, "memory", "Memory of the server", Axis.linear("MiB"), MIB, 6, 7),
        withRight(grid, "files", "Open files and threads of the server", 8, 9),
        plot(grid, "disk", "Disk of the server", Axis.linear("MiB"), MIB, 10),
        plot(grid, "cpu", "CPU of the server", Axis.linear("% of a core"), 1, 11),
        plot(grid, "network", "Loopback of this machine", Axis.linear("MiB/s"), MIB, 12));
  }

  private static Plot plot(
      Grid grid, String name, String title, Axis y, double divisor, int... columns) {
    List<Plot.Curve> curves = new ArrayList<>();
    for (int column : columns) {
      curves.add(curve(grid, column, false).dividedBy(divisor));
    }
    return Plot.of(name, title, Axis.linear(TIME), y, curves);
  }

  private static Plot withRight(Grid grid, String name, String title, int left, int right) {
    return new Plot(
        name,
        title,
        Axis.linear(TIME),
        Axis.linear(COLUMNS.get(left).label()),
        Optional.of(Axis.linear(COLUMNS.get(right).label())),
        List.of(curve(grid, left, false), curve(grid, right, true)));
  }

  private static Plot.Curve curve(Grid grid, int column, boolean isRight) {
    Grid.Column shown = COLUMNS.get(column);
    return grid.curve(shown.label(), TIME, shown.name(), isRight);
  }
}
