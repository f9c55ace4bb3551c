package io.tunnel.programs.bench;

import java.util.List;

/**
 * A case with its figures, measured or published; NaN where there is none. CPU, memory and
 * bandwidth are those of all worker processes together.
 *
 * @param steadyRowsPerSecond the median of seconds
 * @param peakRowsPerSecond the best second
 * @param cores CPU time per time
 * @param memoryBytes of the processes
 * @param bytesPerSecond of the rows that were delivered
 * @param latencyP50Ms from commit to callback
 * @param latencyP99Ms from commit to callback
 */
record WhitepaperFigures(
    WhitepaperCase of,
    double steadyRowsPerSecond,
    double peakRowsPerSecond,
    double cores,
    double memoryBytes,
    double bytesPerSecond,
    double latencyP50Ms,
    double latencyP99Ms) {

  private static final double NONE = Double.NaN;
  private static final double GB = 1e9;
  private static final double MB = 1e6;

  /** As published in 2019, of hosts with 16 cores, 64 GB and a network of 1 Gbit/s. */
  static final List<WhitepaperFigures> PUBLISHED =
      List.of(
          published(1, 1, 19_000, 21_800, 0.25, 0.256, 4),
          published(4, 1, 70_000, 72_400, 0.70, 1.1, 13),
          published(8, 1, 130_000, 141_644, 1.20, 2.62, 27),
          published(32, 1, 420_000, 447_600, 4.50, 5.25, 86),
          published(64, 1, 570_000, 581_400, 6.40, 5.376, 125),
          published(64, 2, 780_000, NONE, 8.40, 10.5, 169),
          published(128, 2, 1_000_000, NONE, 10.2, 10.5, 220));

  private static WhitepaperFigures published(
      int channels,
      int hosts,
      double steady,
      double peak,
      double cores,
      double memoryGb,
      double mbPerSecond) {
    return new WhitepaperFigures(
        new WhitepaperCase(channels, hosts),
        steady,
        peak,
        cores,
        memoryGb * GB,
        mbPerSecond * MB,
        NONE,
        NONE);
  }

  /** What the whitepaper calls latency: the rate, the other way round. */
  double msPerThousandRows() {
    return 1e6 / steadyRowsPerSecond;
  }
}
