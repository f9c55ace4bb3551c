package io.tunnel.zookeeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnsembleTest {

  @TempDir Path directory;

  @Test
  void a_server_that_ends_is_an_error_with_the_end_of_its_log() {
    List<String> server = List.of("sh", "-c", "echo hello; echo no room >&2; exit 1");
    assertThatThrownBy(() -> Ensemble.start(directory, 3, server, List.of("load")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ZooKeeper did not start")
        .hasMessageContaining("no room");
  }
}
