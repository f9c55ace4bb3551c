package io.tunnel.programs.bench.report;

import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;

/** A report as a table for people. */
public final class ReportText {

  private ReportText() {}

  /** Its lines, without line ends. */
  public static List<String> lines(Report report) {
    List<String> lines = new ArrayList<>();
    lines.add(report.title());
    if (!report.figures().isEmpty()) {
      lines.add("");
      TextTable table = new TextTable("what", ">figure");
      report.figures().forEach(each -> table.row(each.label(), NumberText.of(each.value())));
      lines.addAll(table.lines());
    }
    for (Grid grid : report.grids()) {
      lines.add("");
      lines.add(grid.shownTitle());
      lines.addAll(table(grid).lines());
    }
    if (!report.remarks().isEmpty()) {
      lines.add("");
      lines.addAll(report.remarks());
    }
    return lines;
  }

  private static TextTable table(Grid grid) {
    TextTable table =
        new TextTable(grid.columns().stream().map(column -> ">" + column.label()).toList());
    grid.shownRows().forEach(row -> table.row(row.stream().map(NumberText::of).toList()));
    return table;
  }
}
