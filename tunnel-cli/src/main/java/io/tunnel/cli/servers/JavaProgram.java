package io.tunnel.cli.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A program of ours in a process of its own, with the java and the class path of this one. */
public final class JavaProgram {

  private JavaProgram() {}

  /**
   * What starts it.
   *
   * @param jvmOptions behind those of this process, over which they win
   */
  public static List<String> command(
      List<String> jvmOptions, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(
        ProcessHandle.current()
            .info()
            .command()
            .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
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

  /** Sizes and permissions, not agents and recordings: those are meant for one process. */
  private static boolean isInherited(String option) {
    return (option.startsWith("-X") && !option.startsWith("-XX:StartFlightRecording"))
        || option.startsWith("--enable-native-access")
        || option.startsWith("--sun-misc-unsafe-memory-access");
  }

  /** Memory that a process holds, in bytes; 0 where the system does not say as Linux does. */
  public static long residentBytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException notLinux) {
      return 0;
    }
  }
}
