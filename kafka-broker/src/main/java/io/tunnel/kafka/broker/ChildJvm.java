package io.tunnel.kafka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of Kafka's in a JVM of its own, whose class path is its own too. Collector and its
 * settings are those of Kafka's start scripts.
 */
public final class ChildJvm {

  private static final long STOP_SECONDS_MAX = 30;

  private ChildJvm() {}

  /**
   * What starts it; its arguments are still to be added.
   *
   * @param program its main class
   * @param libraries the directory with its libraries, which the build laid beside that class
   * @param directory where they are copied to when they are inside of a jar
   * @param heapMib heap, in MiB
   */
  public static List<String> command(
      Class<?> program, String libraries, Path directory, int heapMib) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + heapMib + "m");
    command.add("-Xmx" + heapMib + "m");
    command.add("-XX:+UseG1GC");
    command.add("-XX:MaxGCPauseMillis=20");
    command.add("-XX:InitiatingHeapOccupancyPercent=35");
    command.add("-Djava.awt.headless=true");
    command.add("-Dorg.slf4j.simpleLogger.showDateTime=true");
    command.add("-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");
    command.add("-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn");
    command.add("-cp");
    command.add(new ChildLibraries(program, libraries).classPath(directory));
    command.add(program.getName());
    return command;
  }

  /** The last lines of what it logged, so many at most, for a message about its failure. */
  public static String endOf(Path log, int linesMax) throws IOException {
    List<String> lines = Files.readAllLines(log);
    int from = Math.max(0, lines.size() - linesMax);
    return String.join("\n", lines.subList(from, lines.size()));
  }

  /** Returns when it has ended, which it was asked to; by force when it takes too long. */
  public static void awaitEnd(Process process) {
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The processor time that it has taken since it was started. */
  public static long cpuNanos(Process process) {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }
}
