package io.tunnel.programs.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program of ours in a process of its own, with the java and the class path of this one. */
public final class JavaProgram {

  private static final long STOP_SECONDS_MAX = 30;

  private JavaProgram() {}

  /**
   * What starts it.
   *
   * @param jvmOptions options that override the options of this process
   */
  public static List<String> command(
      List<String> jvmOptions, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(java());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (isInherited(option)) {
        command.add(option);
      }
    }
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    return command;
  }

  /** The java of this process. */
  public static String java() {
    return ProcessHandle.current()
        .info()
        .command()
        .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  /** Sizes and permissions, not agents and recordings: those are meant for one process. */
  private static boolean isInherited(String option) {
    return (option.startsWith("-X") && !option.startsWith("-XX:StartFlightRecording"))
        || option.startsWith("--enable-native-access")
        || option.startsWith("--sun-misc-unsafe-memory-access");
  }

  /** Memory that a process holds, in bytes; 0 where the system does not say as Linux does. */
  public static long residentBytes(long pid) {
    return status(pid, "VmRSS").orElse(0) * 1024;
  }

  /** A number in the status of a process; empty where the system does not say it as Linux does. */
  public static OptionalLong status(long pid, String member) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith(member + ":"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
          .findFirst();
    } catch (IOException | UncheckedIOException notLinux) {
      return OptionalLong.empty();
    }
  }

  /** The end of what a program printed to its log. */
  public static String lastLines(Path log, int linesMax) throws IOException {
    List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - linesMax), lines.size()));
  }

  /** Stops a program gracefully, or at once when that takes longer than half a minute. */
  public static void stop(Process process) {
    try {
      // Process.destroy also closes the pipes: a server ends at once without its standard input.
      boolean unused = process.toHandle().destroy();
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
