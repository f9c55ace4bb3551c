package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.Build;
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

  private static final int FORMER = Build.FORMER.level();
  private static final int NEXT = Build.NEXT.level();

  @RegisterExtension final Stage stage = new Stage();

  private static Levels level(ServerProcess server, Optional<Integer> to) {
    try (RawClient client = RawClient.greeted(server)) {
      return client.request(Operation.UPGRADE, new Upgrade(to), Levels.class);
    }
  }

  @Test
  void a_server_goes_back_within_the_level_and_is_told_what_to_do_below_it() {
    ServerProcess server = new ServerProcess(stage, stage.path("data"), List.of());
    server.of(Build.FORMER).start();
    assertThat(level(server, Optional.empty()).level()).isEqualTo(FORMER);
    server.stop();

    server.of(Build.NEXT).start();
    assertThat(level(server, Optional.empty()).level())
        .as("a new build raises nothing")
        .isEqualTo(FORMER);
    server.kill();
    server.of(Build.FORMER).start();
    server.stop();

    server.of(Build.NEXT).start();
    assertThat(level(server, Optional.of(NEXT)).level()).isEqualTo(NEXT);
    server.kill();
    server.of(Build.FORMER).begin();
    assertThat(server.child().awaitExit()).isEqualTo(74);
    assertThat(server.child().transcript())
        .contains(
            "has level " + NEXT + ", and this build serves level " + FORMER + " at most. Start the")
        .contains("export the rows");

    server.of(Build.NEXT).start();
    assertThat(level(server, Optional.empty()).level()).isEqualTo(NEXT);
    server.stop();
  }
}
