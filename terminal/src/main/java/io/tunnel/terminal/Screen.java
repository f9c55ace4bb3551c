package io.tunnel.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Where something is shown that changes. */
public final class Screen {

  private static final int COLUMNS_DEFAULT = 80;
  private static final int COLUMNS_MIN = 20;
  private static final int COLUMNS_MAX = 400;
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private final PrintWriter writer;
  private final boolean isTerminal;
  private final int columns;

  /**
   * A screen.
   *
   * @param isTerminal whether a line can be drawn over
   * @param columns characters of a line
   */
  public Screen(PrintWriter writer, boolean isTerminal, int columns) {
    this.writer = Objects.requireNonNull(writer, "writer");
    this.isTerminal = isTerminal;
    this.columns = columns;
  }

  /**
   * Standard error, which {@code writer} must write to. Lines are drawn over when {@code
   * TUNNEL_PROGRESS} is {@code bar}, and never when it is {@code plain}; without it when /proc says
   * that standard error is a terminal and {@code TERM} is not {@code dumb}.
   *
   * @param environment as {@link System#getenv()}; {@code COLUMNS} sets the width
   */
  public static Screen standardError(PrintWriter writer, Map<String, String> environment) {
    return of(2, writer, environment);
  }

  /** Standard output in the same way. */
  public static Screen standardOutput(PrintWriter writer, Map<String, String> environment) {
    return of(1, writer, environment);
  }

  private static Screen of(int descriptor, PrintWriter writer, Map<String, String> environment) {
    boolean isTerminal =
        switch (environment.getOrDefault("TUNNEL_PROGRESS", "")) {
          case "bar" -> true;
          case "plain" -> false;
          default -> !environment.getOrDefault("TERM", "").equals("dumb") && isTerminal(descriptor);
        };
    return new Screen(writer, isTerminal, columns(environment.get("COLUMNS")));
  }

  static boolean isTerminal(int descriptor) {
    try {
      Path link = DESCRIPTORS.resolve(Integer.toString(descriptor));
      return isTerminalDevice(Files.readSymbolicLink(link).toString());
    } catch (IOException | UnsupportedOperationException noProc) {
      return false;
    }
  }

  static boolean isTerminalDevice(String device) {
    return device.startsWith("/dev/pts/")
        || device.startsWith("/dev/tty")
        || device.equals("/dev/console");
  }

  static int columns(String text) {
    if (text == null || !text.matches("[0-9]{1,4}")) {
      return COLUMNS_DEFAULT;
    }
    return Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, Integer.parseInt(text)));
  }

  boolean isRedrawable() {
    return isTerminal;
  }

  int columns() {
    return columns;
  }

  /** Draws over the current line; {@code lastWidth} characters of it are to disappear. */
  void redraw(String line, int lastWidth) {
    writer.print("\r" + line + " ".repeat(Math.max(0, lastWidth - line.length())));
    writer.flush();
  }

  /** Empties the current line, which was {@code lastWidth} wide. */
  void clear(int lastWidth) {
    writer.print("\r" + " ".repeat(lastWidth) + "\r");
    writer.flush();
  }

  /**
   * Shows a page in the place of the last one, which had {@code lastLines} lines; without a
   * terminal behind it, with an empty line between.
   *
   * @return how many lines the page has
   */
  public int page(List<String> lines, int lastLines) {
    StringBuilder page = new StringBuilder();
    if (isTerminal) {
      // Cursor up, then erase each line's rest, and at the end what is left of a longer page.
      page.append(lastLines > 0 ? "\u001b[" + lastLines + "A" : "");
      lines.forEach(line -> page.append(cut(line)).append("\u001b[K\n"));
      page.append("\u001b[J");
    } else {
      page.append(lastLines > 0 ? "\n" : "");
      lines.forEach(line -> page.append(line).append('\n'));
    }
    writer.print(page);
    writer.flush();
    return lines.size();
  }

  /** A line that the terminal would break in two would be redrawn at the wrong place. */
  private String cut(String line) {
    int points = line.codePointCount(0, line.length());
    return points <= columns ? line : line.substring(0, line.offsetByCodePoints(0, columns));
  }

  void println(String line) {
    writer.println(line);
    writer.flush();
  }
}
