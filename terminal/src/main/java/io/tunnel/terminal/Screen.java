package io.tunnel.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** Where something is shown that changes. */
public final class Screen {

  private static final int COLUMNS_DEFAULT = 80;
  private static final int COLUMNS_MIN = 20;
  private static final int COLUMNS_MAX = 1_000;
  private static final int ROWS_MIN = 6;
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private final PrintWriter writer;
  private final boolean isTerminal;
  private final Supplier<TerminalSize> size;

  /** The size that the last page was drawn for; empty before the first. */
  private Optional<TerminalSize> pageSize = Optional.empty();

  /**
   * A screen of one width, and of any height.
   *
   * @param isTerminal whether a line can be drawn over
   * @param columns characters of a line
   */
  public Screen(PrintWriter writer, boolean isTerminal, int columns) {
    this(writer, isTerminal, () -> new TerminalSize(columns, Integer.MAX_VALUE));
  }

  /** A screen whose size is asked for before each drawing. */
  Screen(PrintWriter writer, boolean isTerminal, Supplier<TerminalSize> size) {
    this.writer = Objects.requireNonNull(writer, "writer");
    this.isTerminal = isTerminal;
    this.size = Objects.requireNonNull(size, "size");
  }

  /**
   * Standard error, which {@code writer} must write to. Lines are drawn over when {@code
   * TUNNEL_PROGRESS} is {@code bar}, and never when it is {@code plain}; without it when /proc says
   * that standard error is a terminal and {@code TERM} is not {@code dumb}.
   *
   * @param environment as {@link System#getenv()}; {@code COLUMNS} sets the width, without it the
   *     terminal does
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
    OptionalInt columns = columns(environment.get("COLUMNS"));
    return new Screen(writer, isTerminal, () -> size(TerminalSize.of(descriptor), columns));
  }

  /** Whether standard output is a terminal, whatever {@code TUNNEL_PROGRESS} says of bars. */
  public static boolean isStandardOutputTerminal() {
    return isTerminal(1);
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

  static OptionalInt columns(String text) {
    return text == null || !text.matches("[0-9]{1,4}")
        ? OptionalInt.empty()
        : OptionalInt.of(Integer.parseInt(text));
  }

  /** What is drawn for, of what the terminal says and the user. */
  static TerminalSize size(Optional<TerminalSize> terminal, OptionalInt columns) {
    int wide = columns.orElse(terminal.map(TerminalSize::columns).orElse(COLUMNS_DEFAULT));
    return new TerminalSize(
        Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, wide)),
        terminal.map(found -> Math.max(ROWS_MIN, found.rows())).orElse(Integer.MAX_VALUE));
  }

  boolean isRedrawable() {
    return isTerminal;
  }

  /** Characters of a line now; a pipe takes lines of any length. */
  public int columns() {
    return isTerminal ? size.get().columns() : Integer.MAX_VALUE;
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
   * terminal behind it, with an empty line between. A terminal whose size has changed since the
   * last page shows nothing but this one: where the lines of the last are now, only the terminal
   * knows.
   *
   * @return how many lines the page has
   */
  public int page(List<String> lines, int lastLines) {
    StringBuilder page = new StringBuilder();
    if (!isTerminal) {
      page.append(lastLines > 0 ? "\n" : "");
      lines.forEach(line -> page.append(line).append('\n'));
      print(page);
      return lines.size();
    }
    TerminalSize now = size.get();
    List<String> shown = fit(lines, now.rows());
    if (lastLines > 0) {
      boolean isMoved = !pageSize.equals(Optional.of(now));
      page.append(isMoved ? "\u001b[H\u001b[2J" : "\u001b[" + lastLines + "A");
    }
    pageSize = Optional.of(now);
    // Erase each line's rest, and at the end what is left of a longer page.
    shown.forEach(line -> page.append(cut(line, now.columns())).append("\u001b[K\n"));
    page.append("\u001b[J");
    print(page);
    return shown.size();
  }

  private void print(StringBuilder page) {
    writer.print(page);
    writer.flush();
  }

  /**
   * A page that is longer than the terminal would scroll, and its first line could not be found
   * again. The cursor has a line, too; the last line of a page sums it up.
   */
  private static List<String> fit(List<String> lines, int rows) {
    if (lines.size() < rows) {
      return lines;
    }
    int head = rows - 3;
    List<String> shown = new ArrayList<>(lines.subList(0, head));
    shown.add("… " + (lines.size() - head - 1) + " more lines, for a higher terminal");
    shown.add(lines.get(lines.size() - 1));
    return shown;
  }

  /** A line that the terminal would break in two would be redrawn at the wrong place. */
  private static String cut(String line, int columns) {
    int points = line.codePointCount(0, line.length());
    return points <= columns ? line : line.substring(0, line.offsetByCodePoints(0, columns));
  }

  void println(String line) {
    writer.println(line);
    writer.flush();
  }
}
