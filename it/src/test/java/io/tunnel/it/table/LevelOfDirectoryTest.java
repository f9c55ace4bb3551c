package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Levels;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A single server goes up and down between builds of two levels, on one directory. */
class LevelOfDirectoryTest {

  @RegisterExtension final Stage stage = new Stage();

  private static Levels level(ServerProcess server, Optional<Integer> to) {
    try (RawClient client = RawClient.greeted(server)) {
      return client.request(Operation.UPGRADE, new Upgrade(to), Levels.class);
    }
  }

  @Test
  void a_server_goes_back_within_the_level_and_is_told_what_to_do_below_it() {
    ServerProcess server = new ServerProcess(stage, stage.path("data"), List.of()).start();
    assertThat(level(server, Optional.empty()).level()).isEqualTo(1);
    server.stop();

    server.ofLevel(2).start();
    assertThat(level(server, Optional.empty()).level())
        .as("a new build raises nothing")
        .isEqualTo(1);
    server.kill();
    server.ofLevel(1).start();
    server.stop();

    server.ofLevel(2).start();
    assertThat(level(server, Optional.of(2)).level()).isEqualTo(2);
    server.kill();
    server.ofLevel(1).begin();
    assertThat(server.child().awaitExit()).isEqualTo(74);
    assertThat(server.child().transcript())
        .contains("has level 2, and this build serves level 1 at most. Start the build")
        .contains("export the rows");

    server.ofLevel(2).start();
    assertThat(level(server, Optional.empty()).level()).isEqualTo(2);
    server.stop();
  }
}
