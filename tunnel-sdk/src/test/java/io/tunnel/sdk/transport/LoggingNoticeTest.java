package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ClusterClient;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program without a logging backend is told once what that costs; run as a program of its own.
 */
class LoggingNoticeTest {

  @TempDir Path directory;

  /** Opens two clients and ends. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      new ClusterClient("127.0.0.1:1").close();
      new ClusterClient("127.0.0.1:1").close();
    }
  }

  @Test
  void a_missing_backend_is_said_once() throws Exception {
    List<String> errors = run(List.of());
    assertThat(errors).filteredOn(LoggingNotice.TEXT::equals).hasSize(1);
  }

  @Test
  void a_backend_that_is_there_or_is_silent_on_purpose_is_no_trouble() throws Exception {
    assertThat(run(List.of("-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider")))
        .doesNotContain(LoggingNotice.TEXT);
    Path provider = directory.resolve("META-INF/services/org.slf4j.spi.SLF4JServiceProvider");
    Files.createDirectories(provider.getParent());
    Files.writeString(provider, "org.slf4j.helpers.NOP_FallbackServiceProvider");
    assertThat(run(List.of())).doesNotContain(LoggingNotice.TEXT);
  }

  private List<String> run(List<String> options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", withoutBackends(), Program.class.getName()));
    Path errors = directory.resolve("errors");
    Process program = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    try {
      assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(program.exitValue()).as("%s", Files.readString(errors)).isZero();
    } finally {
      program.destroyForcibly();
    }
    return Files.readAllLines(errors, StandardCharsets.UTF_8);
  }

  private String withoutBackends() {
    String known = System.getProperty("java.class.path");
    return Stream.concat(
            Stream.of(directory.toString()),
            Stream.of(known.split(File.pathSeparator))
                .filter(at -> !at.matches(".*(slf4j-(simple|nop|jdk14)|logback|log4j).*")))
        .reduce((left, right) -> left + File.pathSeparator + right)
        .orElseThrow();
  }
}
