package io.tunnel.programs.bench.report;

import java.util.List;
import java.util.Map;

/** A report as one page of HTML, which shows the charts that lie beside it. */
final class ReportPage {

  private static final String STYLE =
      "body{font-family:sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
          + "table{border-collapse:collapse;margin:1em 0}"
          + "th,td{padding:.25em .8em;border-bottom:1px solid #ddd;text-align:right}"
          + "th:first-child,td:first-child{text-align:left}"
          + "img{max-width:100%}";

  private final StringBuilder html = new StringBuilder();

  private ReportPage() {}

  static String of(Report report, Machine machine) {
    ReportPage page = new ReportPage();
    page.write(report, machine);
    return page.html.toString();
  }

  private void write(Report report, Machine machine) {
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>")
        .append(escaped(report.title()))
        .append("</title><style>")
        .append(STYLE)
        .append("</style></head>\n<body>\n<h1>")
        .append(escaped(report.title()))
        .append("</h1>\n");
    paragraph(
        machine.cores()
            + " cores, "
            + (machine.memoryBytes() >> 30)
            + " GiB, Java "
            + machine.java()
            + ", "
            + machine.system());
    settings(report.sortedSettings());
    if (!report.figures().isEmpty()) {
      table(
          List.of("what", "figure"),
          report.figures().stream()
              .map(each -> List.of(each.label(), NumberText.of(each.value())))
              .toList());
    }
    for (Plot plot : report.plots()) {
      html.append("<p><img src=\"")
          .append(escaped(Charts.fileName(plot)))
          .append("\" alt=\"")
          .append(escaped(plot.title()))
          .append("\"></p>\n");
    }
    for (Grid grid : report.grids()) {
      html.append("<h2>").append(escaped(grid.shownTitle())).append("</h2>\n");
      table(
          grid.columns().stream().map(Grid.Column::label).toList(),
          grid.shownRows().stream().map(row -> row.stream().map(NumberText::of).toList()).toList());
    }
    report.remarks().forEach(this::paragraph);
    html.append("<p><a href=\"")
        .append(ReportFiles.JSON)
        .append("\">the numbers as JSON</a></p>\n");
    html.append("</body>\n</html>\n");
  }

  private void settings(Map<String, String> settings) {
    paragraph(
        String.join(
            ", ",
            settings.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .toList()));
  }

  private void paragraph(String text) {
    html.append("<p>").append(escaped(text)).append("</p>\n");
  }

  private void table(List<String> headings, List<List<String>> rows) {
    html.append("<table>\n");
    row("th", headings);
    rows.forEach(cells -> row("td", cells));
    html.append("</table>\n");
  }

  private void row(String tag, List<String> cells) {
    html.append("<tr>");
    for (String cell : cells) {
      html.append('<').append(tag).append('>').append(escaped(cell));
      html.append("</").append(tag).append('>');
    }
    html.append("</tr>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
