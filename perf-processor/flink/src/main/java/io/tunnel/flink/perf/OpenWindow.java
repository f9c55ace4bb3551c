package io.tunnel.flink.perf;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A window that a reader counts into: made for a few operations per row. */
final class OpenWindow {

  private final long startMs;
  private final Map<Integer, Cell> cells = new HashMap<>();
  private final Histogram latencies = WindowCounts.noLatencies();
  private final long firstReadMs;
  private long bytes;
  private long aheadOfClock;

  /** Rows come in runs of one partition. */
  private int lastPartition = -1;

  private Cell lastCell = new Cell();

  private static final class Cell {
    private long rows;
  }

  OpenWindow(long startMs, long nowMicros) {
    this.startMs = startMs;
    this.firstReadMs = nowMicros / 1_000;
  }

  long startMs() {
    return startMs;
  }

  void count(Seen seen, long nowMicros) {
    if (seen.partition != lastPartition) {
      lastPartition = seen.partition;
      lastCell = cells.computeIfAbsent(seen.partition, id -> new Cell());
    }
    lastCell.rows++;
    bytes += seen.bytes;
    long micros = nowMicros - seen.commitMicros;
    if (micros < 0) {
      aheadOfClock++;
    }
    latencies.recordValue(WindowCounts.latencyMicros(micros));
  }

  WindowCounts counts() {
    WindowCounts counts = new WindowCounts();
    counts.startMs = startMs;
    cells.forEach((partition, cell) -> counts.rowsByPartition.put(partition, cell.rows));
    counts.bytes = bytes;
    counts.aheadOfClock = aheadOfClock;
    counts.firstReadMs = firstReadMs;
    counts.histogram(latencies);
    return counts;
  }
}
