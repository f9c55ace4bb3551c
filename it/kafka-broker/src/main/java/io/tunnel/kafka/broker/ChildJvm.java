package io.tunnel.kafka.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of Kafka in a JVM with its own class path. The garbage collector has the settings of
 * Kafka's start scripts.
 */
public final class ChildJvm {

  private static final long STOP_SECONDS_MAX = 30;

  private ChildJvm() {}

  /**
   * The command that starts a program, without the program's arguments.
   *
   * @param program the main class
   * @param libraries the directory with the libraries, which the build laid beside the class
   * @param directory where libraries inside a jar are copied to
   * @param heapMib the heap, in MiB
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

  /** The last lines of a log, for a message about a failure. */
  public static String endOf(Path log, int linesMax) throws IOException {
    List<String> lines = Files.readAllLines(log);
    int from = Math.max(0, lines.size() - linesMax);
    return String.join("\n", lines.subList(from, lines.size()));
  }

  /** Waits for the end of a process that was asked to end; kills a process that takes too long. */
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

  /** The processor time of a process since its start. */
  public static long cpuNanos(Process process) {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }
}
