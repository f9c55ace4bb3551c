package io.tunnel.perf;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What was counted of the changes that were committed in one window of time.
 *
 * @param endMs the window's end, in milliseconds since 1970
 * @param ms how long it is
 * @param latencies from commit to reading, in microseconds
 */
public record PerfWindow(long endMs, long ms, Rows rows, Histogram latencies, Cost cost) {

  /** Refuses a window without length. */
  public PerfWindow {
    if (ms <= 0) {
      throw new IllegalArgumentException("a window of " + ms + " ms");
    }
  }

  /**
   * What was counted.
   *
   * @param byChannel of channels that had any
   * @param bytes of all rows
   * @param late rows that were committed before the window, and were read when theirs was complete
   * @param aheadOfClock rows that were read before they were committed, by the clocks
   */
  public record Rows(Map<String, Long> byChannel, long bytes, long late, long aheadOfClock) {
    /** Takes a copy. */
    public Rows {
      byChannel = Map.copyOf(byChannel);
    }

    /** Of all channels. */
    long count() {
      return byChannel.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /**
   * What reading took.
   *
   * @param cpuNanos CPU time of all processes that read
   * @param heapUsedBytes of all these processes
   * @param firstReadMs when the first row of the window was read, in milliseconds since 1970;
   *     {@link Long#MAX_VALUE} when it has none
   */
  public record Cost(long cpuNanos, long heapUsedBytes, long firstReadMs) {}
}
