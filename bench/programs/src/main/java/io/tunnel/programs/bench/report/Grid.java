package io.tunnel.programs.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Numbers in rows and columns, such as one row for each number of partitions.
 *
 * @param name of the JSON member, an array with one object a row; grids of one name are parts of
 *     one array, whose objects have the members of all of them
 * @param title what people read above it
 * @param columns the columns, from left to right
 * @param rows each with one number a column; NaN where there is none
 */
public record Grid(String name, String title, List<Column> columns, List<List<Double>> rows) {

  /** Rows that people are shown. */
  static final int ROWS_SHOWN_MAX = 24;

  /**
   * A column.
   *
   * @param name of the JSON member; says the unit. Points make objects: {@code a.b} is the member
   *     {@code b} of the member {@code a}
   * @param label what people read, unit included
   * @param isNullable whether a number that is not there is null in JSON, instead of being left out
   */
  public record Column(String name, String label, boolean isNullable) {

    /** A column whose missing numbers are left out. */
    public Column(String name, String label) {
      this(name, label, false);
    }
  }

  /** Refuses rows that are wider or narrower than the columns. */
  public Grid {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
    for (List<Double> row : rows) {
      if (row.size() != columns.size()) {
        throw new IllegalArgumentException(
            "a row of " + row.size() + " numbers under " + columns.size() + " columns");
      }
    }
  }

  /** The rows of a page: all rows, or evenly spread rows when there are too many. */
  List<List<Double>> shownRows() {
    int step = (rows.size() + ROWS_SHOWN_MAX - 1) / ROWS_SHOWN_MAX;
    return step <= 1
        ? rows
        : IntStream.range(0, rows.size()).filter(i -> i % step == 0).mapToObj(rows::get).toList();
  }

  /** The title, which says when not all rows are shown. */
  String shownTitle() {
    return rows.size() <= ROWS_SHOWN_MAX
        ? title
        : title + " (" + shownRows().size() + " of " + rows.size() + " rows)";
  }

  /**
   * Two columns as points of a chart; rows without one of the two numbers are left out.
   *
   * @param name of the curve in the chart
   * @param isRight whether its scale is the right one
   */
  public Plot.Curve curve(String name, String x, String y, boolean isRight) {
    int column = index(x);
    int other = index(y);
    List<Plot.Point> points = new ArrayList<>();
    for (List<Double> row : rows) {
      if (!row.get(column).isNaN() && !row.get(other).isNaN()) {
        points.add(new Plot.Point(row.get(column), row.get(other)));
      }
    }
    return new Plot.Curve(name, isRight, points);
  }

  private int index(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no column " + name + " in " + columns);
  }
}
