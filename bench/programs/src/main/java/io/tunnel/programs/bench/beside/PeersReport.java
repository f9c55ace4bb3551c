package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.report.Figure;
import io.tunnel.programs.bench.report.Report;
import java.util.List;
import java.util.stream.Stream;

/** What {@code bench peers} tells of its rounds. */
public final class PeersReport {

  private PeersReport() {}

  /**
   * Everything that was found.
   *
   * @param makingMicrosPerRow CPU time of making a row, which is in every writer's; NaN when that
   *     was not measured
   * @param ceilingRowsPerSecond what a loopback socket carries; NaN when that was not measured
   * @param measured one for each number of partitions
   */
  public static Report of(
      PeersSetup setup,
      double makingMicrosPerRow,
      double ceilingRowsPerSecond,
      List<Measured> measured) {
    List<PeersGrids.Sheet> sheets = new PeersGrids(setup).sheets(measured);
    return new Report(
        "peers",
        "bench peers: one server beside Apache Kafka, rows of 220 bytes",
        setup.settings(),
        Stream.of(
                new Figure(
                    "rawCeilingRowsPerSecond",
                    "raw ceiling of reads, rows/s",
                    ceilingRowsPerSecond),
                new Figure(
                    "rowMakingCpuPerMillionRows",
                    "of a writer's CPU, for making rows, us per row",
                    makingMicrosPerRow))
            .filter(figure -> !Double.isNaN(figure.value()))
            .toList(),
        sheets.stream().map(PeersGrids.Sheet::grid).toList(),
        sheets.stream().map(PeersGrids.Sheet::plot).toList(),
        setup.remarks());
  }
}
