package io.tunnel.programs.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {

  @TempDir private Path directory;

  private ServerProcess start(Path data) throws IOException, InterruptedException {
    return ServerProcess.start(
        FakeServerMain.class.getName(), data, directory.resolve("log"), LoopbackSecurity.none());
  }

  @Test
  void a_server_is_started_on_free_ports_and_stopped_gracefully()
      throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    try (ServerProcess server = start(data)) {
      assertThat(server.endpoint()).isEqualTo("127.0.0.1:1234");
      awaitFile(data.resolve("talked"));
      assertThat(server.cpuNanos()).isNotNegative();
      assertThat(server.residentBytes()).isNotNegative();
    }
    assertThat(Files.readString(data.resolve("stopped")))
        .isEqualTo("server --data " + data + " --port 0 --http-port 0 --end-with-parent");
  }

  private static void awaitFile(Path file) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!Files.exists(file) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(file).exists();
  }

  @Test
  void a_server_that_does_not_start_is_explained_by_the_end_of_its_log() {
    assertThatThrownBy(() -> start(directory.resolve("bad")))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("ended instead of starting")
        .hasMessageContaining("the data directory is bad")
        .extracting(failure -> ((CommandFailure) failure).exitCode())
        .isEqualTo(ExitCode.UNAVAILABLE);
  }
}
