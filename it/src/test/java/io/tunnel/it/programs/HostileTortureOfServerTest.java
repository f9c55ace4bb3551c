package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A hostile torture of a server that is there already. */
@Tag("proof-hostile")
class HostileTortureOfServerTest {

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void the_server_gives_nothing_away_and_keeps_nothing_of_it(@TempDir Path directory) {
    ServerProcess server = stage.closedServer();
    String endpoint = server.endpoint();
    String profile = endpoint.substring("profile:".length(), endpoint.lastIndexOf('@'));
    List<String> arguments =
        new ArrayList<>(List.of("torture", "--hostile", "--time", "20s", "--connections", "1000"));
    arguments.add("--equal-turn");
    arguments.addAll(List.of("--server", "127.0.0.1:" + server.port(), "--profile", profile));
    arguments.addAll(List.of("--http-port", "" + server.httpPort()));
    arguments.addAll(List.of("--work", directory.toString()));
    ChildProcess torture = stage.child("torture", ServerProcess.MAIN, arguments);
    assertThat(torture.awaitExit()).as(torture.transcript()).isZero();
    assertThat(torture.transcript()).contains(": nothing was obtained");
    assertThat(stage.tables(server).listTables()).isEmpty();
  }
}
