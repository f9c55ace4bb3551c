package io.tunnel.cli;

import io.tunnel.sdk.DescribeTunnelResponse;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.DurationConverter;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows a tunnel, once or again and again. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show the channels of a tunnel, who holds them, and how far they are behind.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels describe --table orders --tunnel audit",
      "  tunnel tunnels describe --table orders --tunnel audit --watch 1s"
    })
final class DescribeTunnelCommand extends OneTunnelCommand {

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
  DescribeTunnelCommand() {}

  @Override
  void check() {
    super.check();
    if (count != null && watch == null) {
      throw CommandFailure.usage("--count is how often --watch shows it: give both");
    }
    if (count != null && count < 1) {
      throw CommandFailure.usage("--count is at least 1, not " + count);
    }
  }

  @Override
  void run(Tunnels tunnels) throws InterruptedException {
    if (watch == null) {
      DescribeTunnelResponse described = tunnels.describe(table(), tunnel());
      print(() -> TunnelJson.json(described), () -> TunnelReport.lines(described));
      return;
    }
    Screen screen = Screen.standardOutput(out(), System.getenv());
    try (StopSignal stop = new StopSignal(PATIENCE_MS)) {
      watch(tunnels, screen, stop);
    }
  }

  private void watch(Tunnels tunnels, Screen screen, StopSignal stop) throws InterruptedException {
    long left = count == null ? Long.MAX_VALUE : count;
    int lines = 0;
    while (true) {
      DescribeTunnelResponse described = tunnels.describe(table(), tunnel());
      if (isJson()) {
        out().println(TunnelJson.json(described));
      } else {
        lines = screen.page(TunnelReport.lines(described), lines);
      }
      left--;
      // A reader that has gone, such as head, needs no further page.
      if (left == 0 || out().checkError() || stop.await(watch.toMillis())) {
        return;
      }
    }
  }
}
