package io.tunnel.perf;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this process has used. */
public final class ProcessUsage {

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private ProcessUsage() {}

  /** CPU time so far, in nanoseconds. */
  public static long cpuNanos() {
    return SYSTEM.getProcessCpuTime();
  }

  /** Bytes of the heap in use, garbage included. */
  public static long heapUsedBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
