package io.tunnel.programs.bench;

import io.tunnel.programs.bench.report.Report;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel bench whitepaper}. */
@Command(
    name = "whitepaper",
    mixinStandardHelpOptions = true,
    description =
        "The cases of the original service's whitepaper on incremental synchronisation, with its"
            + " columns and its published figures beside: tables of 1 to 128 channels, one or two"
            + " worker processes that follow while rows are written. Adds the latency from commit to"
            + " callback, which the whitepaper does not have.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench whitepaper",
      "  tunnel bench whitepaper --seconds 60 --out whitepaper",
      "  tunnel bench whitepaper --cases 8x1,16x1,16x2 --rate 200000"
    })
final class WhitepaperCommand extends MeasuredCommand {

  static final int CASES_MAX = 32;
  static final int SECONDS_MIN = 4;
  static final int SECONDS_MAX = 3_600;

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "CHANNELSxPROCESSES",
      defaultValue = "1x1,4x1,8x1,32x1,64x1,64x2,128x2",
      description = "Channels, and worker processes (default: ${DEFAULT-VALUE}).")
  private List<String> cases;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "How long rows are written in a case; the first quarter does not count"
              + " (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--rate",
      paramLabel = "R",
      description = "Rows written a second (default: as many as this machine takes).")
  private Long rate;

  WhitepaperCommand() {}

  @Override
  void require() {
    BenchOptions.require("--seconds", seconds, SECONDS_MIN, SECONDS_MAX);
    if (rate != null) {
      BenchOptions.require("--rate", rate, 1, SoakCommand.RATE_MAX);
    }
    if (cases.size() > CASES_MAX) {
      throw CommandFailure.usage(
          "--cases takes " + CASES_MAX + " cases at most, not " + cases.size());
    }
    var unused = parsed();
  }

  private List<WhitepaperCase> parsed() {
    List<WhitepaperCase> parsed = new ArrayList<>();
    for (String text : cases) {
      parsed.add(CommandFailure.checkUsage(() -> WhitepaperCase.parse(text)));
    }
    return parsed;
  }

  @Override
  Report measure(Ground ground) throws Exception {
    WhitepaperBench bench = new WhitepaperBench(ground, seconds, rate == null ? 0 : rate);
    List<WhitepaperFigures> figures = new ArrayList<>();
    for (WhitepaperCase each : parsed()) {
      figures.add(bench.run(each));
    }
    return WhitepaperReport.of(seconds, figures);
  }
}
