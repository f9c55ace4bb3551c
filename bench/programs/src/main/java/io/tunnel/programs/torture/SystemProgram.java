package io.tunnel.programs.torture;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the operating system: mount, cp, kill and the like. */
final class SystemProgram {

  private static final long SECONDS_MAX = 120;
  private static final List<String> PLACES =
      List.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin");

  private SystemProgram() {}

  /** Whether there is a program of that name. */
  static boolean exists(String name) {
    return PLACES.stream().anyMatch(place -> Files.isExecutable(Path.of(place, name)));
  }

  /** Runs it to its end; its output is the message of the exception when it fails. */
  static void run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().merge("PATH", "/usr/sbin:/sbin", (path, more) -> path + ":" + more);
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " does not end");
    }
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said.strip());
    }
  }
}
