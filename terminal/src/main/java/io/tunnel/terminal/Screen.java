package io.tunnel.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Where progress is shown. */
public final class Screen {

  private static final int COLUMNS_DEFAULT = 80;
  private static final int COLUMNS_MIN = 20;
  private static final int COLUMNS_MAX = 400;
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

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
    boolean isTerminal =
        switch (environment.getOrDefault("TUNNEL_PROGRESS", "")) {
          case "bar" -> true;
          case "plain" -> false;
          default ->
              !environment.getOrDefault("TERM", "").equals("dumb") && standardErrorIsTerminal();
        };
    return new Screen(writer, isTerminal, columns(environment.get("COLUMNS")));
  }

  private static boolean standardErrorIsTerminal() {
    try {
      return isTerminalDevice(Files.readSymbolicLink(STANDARD_ERROR).toString());
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

  void println(String line) {
    writer.println(line);
    writer.flush();
  }
}
