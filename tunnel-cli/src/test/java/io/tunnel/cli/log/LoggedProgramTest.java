package io.tunnel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.tunnel.cli.TunnelCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is started by the launcher. */
@Tag("proof-programs")
class LoggedProgramTest {

  private static final long WAIT_SECONDS_MAX = 60;

  @TempDir private Path directory;

  private Process start(String option, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", option));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(TunnelCommand.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectOutput(directory.resolve("out").toFile())
        .redirectError(directory.resolve("err").toFile())
        .start();
  }

  private static void awaitExit(Process process) throws InterruptedException {
    assertThat(process.waitFor(WAIT_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
  }

  private String awaitText(Path file, String text) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX);
    while (!Files.exists(file) || !Files.readString(file).contains(text)) {
      assertThat(System.nanoTime() - deadline)
          .as("no '%s' in %s; %s", text, file, Files.readString(directory.resolve("err")))
          .isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    return Files.readString(file);
  }

  /** Both are asked for often, and neither logs anything. */
  @Test
  void help_and_health_do_not_wait_for_the_backend() throws IOException, InterruptedException {
    Path classes = directory.resolve("classes");
    String option = "-Xlog:class+load:file=" + classes;
    Process help = start(option, "--help");
    awaitExit(help);
    assertThat(help.exitValue()).isZero();
    assertThat(Files.readString(classes)).contains("TunnelCommand").doesNotContain("ch.qos");
    Process health = start(option, "health", "--http", "127.0.0.1:1", "--timeout", "1s");
    awaitExit(health);
    assertThat(health.exitValue()).isEqualTo(69);
    assertThat(Files.readString(classes)).contains("HealthCommand").doesNotContain("ch.qos");
  }

  @Test
  void a_server_logs_json_to_its_file_and_levels_change_while_it_runs()
      throws IOException, InterruptedException {
    Path log = directory.resolve("server.log");
    Path levels = directory.resolve("data").resolve("log-levels");
    Process server =
        start(
            "-ea",
            ("server --port 0 --http-port 0 --log-format json --log-level warn --data "
                    + directory.resolve("data")
                    + " --log-file "
                    + log)
                .split(" "));
    try {
      awaitText(directory.resolve("out"), "http on");
      assertThat(Files.readString(log)).isEmpty();
      Files.writeString(levels, "root=loud");
      awaitText(log, "'loud' is no level");
      Files.writeString(levels, "root=debug");
      awaitText(log, "levels are now");
      Files.writeString(levels, "root=info");
      awaitText(log, "root=INFO");
      server.destroy();
      awaitExit(server);
      assertThat(awaitText(log, "stopping").lines())
          .allSatisfy(line -> assertThat(JsonParser.parseString(line).isJsonObject()).isTrue());
      assertThat(Files.readString(directory.resolve("err"))).isEmpty();
    } finally {
      server.destroyForcibly().waitFor();
    }
  }
}
