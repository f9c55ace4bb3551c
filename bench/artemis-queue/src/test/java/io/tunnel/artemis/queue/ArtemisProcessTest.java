package io.tunnel.artemis.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArtemisProcessTest {

  @TempDir Path directory;

  private ArtemisProcess start(String script) throws IOException {
    return ArtemisProcess.start(
        List.of("sh", "-c", script),
        List.of("load"),
        directory.resolve("log"),
        directory.resolve("gc.log"));
  }

  @Test
  void a_broker_that_ends_is_an_error_with_the_end_of_its_log() {
    assertThatThrownBy(() -> start("echo hello; echo no room >&2; exit 1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Artemis did not start")
        .hasMessageContaining("no room");
  }

  @Test
  void a_broker_that_is_ready_tells_its_journal_and_its_address() throws IOException {
    try (ArtemisProcess broker =
        start("echo hello; echo ready port=1234 journal=NIO bufferNanos=2500000; read end")) {
      assertThat(broker.settings()).contains("its journal is NIO, ");
      assertThat(broker.loadCommand()).containsExactly("load", "tcp://127.0.0.1:1234");
      assertThat(ProcessHandle.of(broker.pids().get(0))).isPresent();
    }
  }
}
