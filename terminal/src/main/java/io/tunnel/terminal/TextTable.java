package io.tunnel.terminal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * A table for people: aligned columns with two spaces between, one line a row. Cells are made
 * {@linkplain Printable printable}; a character counts as one column wide.
 */
public final class TextTable {

  private static final String GAP = "  ";

  private final List<Heading> headings;
  private final List<List<String>> rows = new ArrayList<>();
  private final int[] widths;

  private record Heading(String text, boolean isRightAligned) {}

  /**
   * A table without rows.
   *
   * @param headings one a column; one that starts with {@code >} is for numbers and is aligned to
   *     the right
   */
  public TextTable(String... headings) {
    this(List.of(headings));
  }

  /** A table with these headings, as the other constructor makes it. */
  public TextTable(List<String> headings) {
    this.headings =
        headings.stream()
            .map(
                text ->
                    text.startsWith(">")
                        ? new Heading(text.substring(1), true)
                        : new Heading(text, false))
            .toList();
    this.widths = new int[headings.size()];
    widen(this.headings.stream().map(Heading::text).toList());
  }

  /** Adds a row of as many cells as there are headings. */
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  /** Adds a row of these cells. */
  public TextTable row(List<String> cells) {
    if (cells.size() != headings.size()) {
      throw new IllegalArgumentException(
          "a row of " + cells.size() + " cells in a table of " + headings.size() + " columns");
    }
    List<String> printable = cells.stream().map(Printable::of).toList();
    rows.add(printable);
    widen(printable);
    return this;
  }

  private void widen(List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(cells.get(i)));
    }
  }

  /** The headings and the rows, without line ends. */
  public List<String> lines() {
    return lines(Integer.MAX_VALUE, List.of());
  }

  /**
   * The lines, of at most {@code columnsMax} characters if that can be.
   *
   * @param givingWay headings of columns that are left out one after the other until the rest fits
   */
  public List<String> lines(int columnsMax, List<String> givingWay) {
    Set<String> hidden = new HashSet<>();
    Iterator<String> next = givingWay.iterator();
    while (width(hidden) > columnsMax && next.hasNext()) {
      hidden.add(next.next());
    }
    List<String> lines = new ArrayList<>(rows.size() + 1);
    lines.add(line(headings.stream().map(Heading::text).toList(), hidden));
    rows.forEach(row -> lines.add(line(row, hidden)));
    return lines;
  }

  /** Characters of the longest line, padded. */
  private long width(Set<String> hidden) {
    long width = -GAP.length();
    for (int i = 0; i < widths.length; i++) {
      width += hidden.contains(headings.get(i).text()) ? 0 : widths[i] + GAP.length();
    }
    return width;
  }

  private String line(List<String> cells, Set<String> hidden) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (hidden.contains(headings.get(i).text())) {
        continue;
      }
      String cell = cells.get(i);
      String padding = " ".repeat(widths[i] - width(cell));
      line.append(line.isEmpty() ? "" : GAP);
      line.append(headings.get(i).isRightAligned() ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
