package io.tunnel.flink.perf;

/** What one reader tells of one window, and of the process that it runs in. A POJO of Flink's. */
public final class LocalCounts {

  /** What it counted since it told the last time. */
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
