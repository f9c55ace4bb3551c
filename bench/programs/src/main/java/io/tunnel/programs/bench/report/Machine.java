package io.tunnel.programs.bench.report;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a benchmark ran on.
 *
 * @param cores that this process may use
 * @param memoryBytes of the machine
 * @param java its version
 * @param system name, version and architecture
 */
public record Machine(int cores, long memoryBytes, String java, String system) {

  /** This one. */
  public static Machine here() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize(),
        System.getProperty("java.runtime.version"),
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
  }
}
