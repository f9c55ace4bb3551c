package io.tunnel.flink.perf;

import io.tunnel.perf.ProcessUsage;
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
    return ProcessUsage.cpuNanos();
  }

  @Override
  public long heapUsedBytes() {
    return ProcessUsage.heapUsedBytes();
  }

  @Override
  public String process() {
    return ManagementFactory.getRuntimeMXBean().getName();
  }
}
