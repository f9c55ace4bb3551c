package io.tunnel.bench.flink;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the passes of one leg add up to. */
final class Passes {

  private static final double NANOS_PER_MS = 1e6;

  private final List<Pass> passes = new ArrayList<>();

  /**
   * One pass over the table.
   *
   * @param begin before the reader was made
   * @param first when its first rows were seen
   * @param last when its last one was
   * @param end when it was closed
   */
  record Pass(RowCount.Mark begin, RowCount.Mark first, RowCount.Mark last, RowCount.Mark end) {
    Pass {
      long[] nanos = {begin.nanos(), first.nanos(), last.nanos(), end.nanos()};
      for (int i = 1; i < nanos.length; i++) {
        if (nanos[i] - nanos[i - 1] < 0) {
          throw new IllegalArgumentException("a pass goes forward in time");
        }
      }
      if (last.rows() <= first.rows()) {
        throw new IllegalArgumentException(
            "all %d rows came at once: too few to measure".formatted(last.rows()));
      }
    }
  }

  int count() {
    return passes.size();
  }

  void add(Pass pass) {
    passes.add(pass);
  }

  long rows() {
    return passes.stream().mapToLong(pass -> pass.last().rows()).sum();
  }

  /** The figures of all passes together, in the order in which they are shown. */
  Map<String, Double> figures() {
    double readRows = 0;
    double readNanos = 0;
    double readCpuNanos = 0;
    double wholeNanos = 0;
    double wholeCpuNanos = 0;
    double startNanos = 0;
    for (Pass pass : passes) {
      readRows += pass.last().rows() - pass.first().rows();
      readNanos += pass.last().nanos() - pass.first().nanos();
      readCpuNanos += pass.last().cpuNanos() - pass.first().cpuNanos();
      wholeNanos += pass.end().nanos() - pass.begin().nanos();
      wholeCpuNanos += pass.end().cpuNanos() - pass.begin().cpuNanos();
      startNanos += pass.first().nanos() - pass.begin().nanos();
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rows/s", readRows * 1e9 / readNanos);
    figures.put("CPU ns/row", readCpuNanos / readRows);
    figures.put("rows/s whole", rows() * 1e9 / wholeNanos);
    figures.put("CPU ns/row whole", wholeCpuNanos / rows());
    figures.put("start ms", startNanos / passes.size() / NANOS_PER_MS);
    return figures;
  }
}
