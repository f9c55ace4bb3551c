package io.tunnel.flink.perf;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What was counted of the changes that were committed in one window: by a reader since it told the
 * last time, or by all. A POJO of Flink's.
 */
public final class WindowCounts {

  private static final long LATENCY_MICROS_MAX = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final long STARTED = Long.MIN_VALUE;

  /** Where the window begins, in milliseconds since 1970. */
  public long startMs;

  /** By partition. */
  public Map<Integer, Long> rowsByPartition = new HashMap<>();

  /** Of all rows. */
  public long bytes;

  /** Rows that belong to an earlier window, which was complete when they were read. */
  public long late;

  /** Rows that were read before they were committed, by the clocks. */
  public long aheadOfClock;

  /** When the first row was read, in milliseconds since 1970. */
  public long firstReadMs = Long.MAX_VALUE;

  /** Microseconds from commit to reading: an HdrHistogram, compressed; empty for none. */
  public byte[] latencies = {};

  /** CPU time that was spent meanwhile; known when the window is complete. */
  public long cpuNanos;

  /** Of all processes that read; known when the window is complete. */
  public long heapUsedBytes;

  /** For Flink; an empty window. */
  public WindowCounts() {}

  /** No window: the first that a job gives, when its tasks have started. */
  static WindowCounts started() {
    WindowCounts started = new WindowCounts();
    started.startMs = STARTED;
    return started;
  }

  boolean isStart() {
    return startMs == STARTED;
  }

  static Histogram noLatencies() {
    return new Histogram(LATENCY_MICROS_MAX, DIGITS);
  }

  /** As near as the histogram goes. */
  static long latencyMicros(long micros) {
    return Math.max(0, Math.min(micros, LATENCY_MICROS_MAX));
  }

  /** Of all partitions. */
  long rows() {
    return rowsByPartition.values().stream().mapToLong(Long::longValue).sum();
  }

  Histogram histogram() {
    if (latencies.length == 0) {
      return noLatencies();
    }
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(latencies), LATENCY_MICROS_MAX);
    } catch (DataFormatException e) {
      throw new IllegalStateException("latencies of the window at " + startMs, e);
    }
  }

  void histogram(Histogram all) {
    ByteBuffer bytesOut = ByteBuffer.allocate(all.getNeededByteBufferCapacity());
    int length = all.encodeIntoCompressedByteBuffer(bytesOut);
    latencies = new byte[length];
    bytesOut.flip().get(latencies);
  }

  /** Adds the counts of another reader, or later counts of this reader; returns this object. */
  WindowCounts add(WindowCounts other) {
    other.rowsByPartition.forEach(
        (partition, rows) -> rowsByPartition.merge(partition, rows, Long::sum));
    bytes += other.bytes;
    late += other.late;
    aheadOfClock += other.aheadOfClock;
    firstReadMs = Math.min(firstReadMs, other.firstReadMs);
    cpuNanos += other.cpuNanos;
    if (other.latencies.length > 0) {
      Histogram all = histogram();
      all.add(other.histogram());
      histogram(all);
    }
    return this;
  }
}
