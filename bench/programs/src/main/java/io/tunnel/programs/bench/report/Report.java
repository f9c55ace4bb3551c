package io.tunnel.programs.bench.report;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * All that a benchmark found.
 *
 * @param bench the subcommand
 * @param title what people read above it
 * @param settings what it ran with, by the names of JSON members
 * @param figures single numbers
 * @param grids numbers that belong together
 * @param plots charts
 * @param remarks what people have to know to read the numbers
 */
public record Report(
    String bench,
    String title,
    Map<String, String> settings,
    List<Figure> figures,
    List<Grid> grids,
    List<Plot> plots,
    List<String> remarks) {

  /** Takes copies. */
  public Report {
    Objects.requireNonNull(bench, "bench");
    Objects.requireNonNull(title, "title");
    settings = Map.copyOf(settings);
    figures = List.copyOf(figures);
    grids = List.copyOf(grids);
    plots = List.copyOf(plots);
    remarks = List.copyOf(remarks);
  }

  /** The settings in the order of their names, so that two runs look alike. */
  Map<String, String> sortedSettings() {
    return new TreeMap<>(settings);
  }
}
