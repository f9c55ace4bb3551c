package io.tunnel.cli.service;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Showing something again and again. */
public final class WatchOptions {

  private static final long PATIENCE_MS = 5_000;

  @Option(
      names = "--watch",
      paramLabel = "TIME",
      arity = "0..1",
      fallbackValue = "2s",
      converter = DurationConverter.class,
      description =
          "Show it again after every such time (2s), until Ctrl-C: in the same place on a terminal,"
              + " one after the other elsewhere, with --json one object a line.")
  private Duration watch;

  @Option(names = "--count", paramLabel = "N", description = "Show it only N times.")
  private Long count;

  /** For picocli. */
  WatchOptions() {}

  /**
   * Makes the lines to show, if possible no longer than {@code columnsMax}; called for every page.
   */
  @FunctionalInterface
  public interface Page {
    List<String> lines(int columnsMax);
  }

  public void check() {
    if (count != null && watch == null) {
      throw CommandFailure.usage("--count is how often --watch shows it: give both");
    }
    if (count != null && count < 1) {
      throw CommandFailure.usage("--count is at least 1, not " + count);
    }
  }

  /**
   * Shows it, as often as was asked for.
   *
   * @param isJson whether pages are objects for programs, which are not drawn over
   */
  public void show(PrintWriter out, boolean isJson, Page page) throws InterruptedException {
    if (watch == null) {
      page.lines(Integer.MAX_VALUE).forEach(out::println);
      return;
    }
    Screen screen = Screen.standardOutput(out, System.getenv());
    try (StopSignal stop = new StopSignal(PATIENCE_MS)) {
      long left = count == null ? Long.MAX_VALUE : count;
      int lines = 0;
      while (true) {
        List<String> shown = page.lines(screen.columns());
        if (isJson) {
          shown.forEach(out::println);
        } else {
          lines = screen.page(shown, lines);
        }
        left--;
        // A reader that has gone, such as head, needs no further page.
        if (left == 0 || out.checkError() || stop.await(watch.toMillis())) {
          return;
        }
      }
    }
  }
}
