package io.tunnel.perf;

import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts the changes that processors receive. A channel has its own cell, so that channels never
 * contend. Totals are sums of cells that only grow; reading them resets nothing.
 */
final class PerfMeter {

  private static final int LATENCY_STEPS = 16;
  private static final long LATENCY_MICROS_MAX = TimeUnit.HOURS.toMicros(1);

  private final Map<String, Cell> cells = new ConcurrentHashMap<>();
  private final Recorder latencies = new Recorder(LATENCY_MICROS_MAX, 3);
  private final LongAdder aheadOfClock = new LongAdder();

  /** Rows and bytes of one channel; its callbacks run one after the other. */
  private static final class Cell {
    final AtomicLong rows = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
  }

  /** Records were given to a processor; {@code nowMicros} is this machine's clock. */
  void count(ProcessRecordsInput input, long nowMicros) {
    Cell cell = cells.computeIfAbsent(input.getChannelId(), id -> new Cell());
    int rows = input.getRecords().size();
    cell.rows.addAndGet(rows);
    cell.bytes.addAndGet(input.byteCount());
    countLatencies(input, rows, nowMicros);
  }

  /**
   * Only the first and the last commit time are known without looking at every record; rows between
   * are taken to have been committed evenly between them.
   */
  private void countLatencies(ProcessRecordsInput input, int rows, long nowMicros) {
    long first = input.firstCommitMicros();
    long span = input.lastCommitMicros() - first;
    int steps = span == 0 ? 1 : Math.min(rows, LATENCY_STEPS);
    int counted = 0;
    for (int step = 0; step < steps; step++) {
      long micros = nowMicros - first - (steps == 1 ? 0 : span * step / (steps - 1));
      int upTo = (int) ((long) rows * (step + 1) / steps);
      countLatency(micros, upTo - counted);
      counted = upTo;
    }
  }

  private void countLatency(long micros, int rows) {
    if (micros < 0) {
      aheadOfClock.add(rows);
    }
    latencies.recordValueWithCount(Math.max(0, Math.min(micros, LATENCY_MICROS_MAX)), rows);
  }

  /** Rows so far. */
  long rows() {
    long rows = 0;
    for (Cell cell : cells.values()) {
      rows += cell.rows.get();
    }
    return rows;
  }

  /** What was counted so far. */
  RateCore.Totals totals() {
    Map<String, Long> byChannel = new TreeMap<>();
    long rows = 0;
    long bytes = 0;
    for (Map.Entry<String, Cell> entry : cells.entrySet()) {
      long channelRows = entry.getValue().rows.get();
      byChannel.put(entry.getKey(), channelRows);
      rows += channelRows;
      bytes += entry.getValue().bytes.get();
    }
    return new RateCore.Totals(rows, bytes, byChannel);
  }

  /** Rows that seem to have come before they were committed: the clocks of two machines differ. */
  long aheadOfClock() {
    return aheadOfClock.sum();
  }

  /** Latencies in microseconds since the last call; one caller. */
  Histogram intervalLatencies() {
    return latencies.getIntervalHistogram();
  }
}
