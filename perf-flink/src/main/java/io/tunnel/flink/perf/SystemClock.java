package io.tunnel.flink.perf;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** This process. */
final class SystemClock implements JobClock {

  private static final long serialVersionUID = 1L;

  @Override
  public long epochMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Override
  public long heapUsedBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Override
  public String process() {
    return ManagementFactory.getRuntimeMXBean().getName();
  }
}
