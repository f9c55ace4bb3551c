package io.tunnel.terminal.options;

import io.tunnel.terminal.Screen;
import picocli.CommandLine.Option;

/**
 * How a program prints the lines of its report: for people on a terminal, as JSON for the program
 * that reads them otherwise.
 */
public final class ReportOption {

  private final boolean isTerminal;

  @Option(
      names = "--json",
      description = "Print JSON lines also on a terminal; elsewhere they always are.")
  private boolean json;

  /** For picocli: standard output is what it is. */
  public ReportOption() {
    this(Screen.isStandardOutputTerminal());
  }

  /** Lines that go to a terminal or not. */
  public ReportOption(boolean isTerminal) {
    this.isTerminal = isTerminal;
  }

  /** Whether lines are JSON. */
  public boolean isJson() {
    return json || !isTerminal;
  }
}
