package io.tunnel.flink.perf;

/** The counts of one reader for one window, and the figures of its process. A POJO for Flink. */
public final class LocalCounts {

  /** The counts since the last report of the reader. */
  public WindowCounts counts = new WindowCounts();

  /** Where it runs. */
  public String process = "";

  /** CPU time of that process since the reader was started. */
  public long cpuNanos;

  /** Of that process. */
  public long heapUsedBytes;

  /** For Flink. */
  public LocalCounts() {}
}
