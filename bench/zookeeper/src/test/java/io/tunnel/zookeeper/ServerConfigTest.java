package io.tunnel.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerConfigTest {

  @Test
  void a_server_alone_names_no_other() {
    String text = new ServerConfig(Path.of("/d"), 2181, List.of()).text();
    assertThat(text.lines())
        .contains(
            "dataDir=/d", "clientPort=2181", "clientPortAddress=127.0.0.1", "maxClientCnxns=0")
        .noneMatch(line -> line.startsWith("server."))
        .as("the default syncs each write")
        .noneMatch(line -> line.contains("forceSync"));
  }

  @Test
  void a_server_of_an_ensemble_names_all() {
    String text =
        new ServerConfig(
                Path.of("/d"),
                2181,
                List.of(new ServerConfig.Member(1, 2), new ServerConfig.Member(3, 4)))
            .text();
    assertThat(text.lines()).contains("server.1=127.0.0.1:1:2", "server.2=127.0.0.1:3:4");
  }
}
