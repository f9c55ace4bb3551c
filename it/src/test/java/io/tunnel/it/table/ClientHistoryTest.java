package io.tunnel.it.table;

import io.tunnel.it.history.HistoryClients;
import io.tunnel.it.history.HistoryClients.Shape;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several clients read and write few rows of a server that is killed, and are told nothing that a
 * single row, touched by one call after the other, would not have told them.
 */
@Tag("proof-service")
class ClientHistoryTest {

  private static final Shape SHAPE = new Shape(4, 2, 6);
  private static final int CALLS_BETWEEN_KILLS = 400;
  private static final int KILLS = 2;

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void each_row_behaves_as_one_row_while_the_server_is_killed(@TempDir Path directory)
      throws Exception {
    ServerProcess server = stage.guardedServer();
    ClientConfig config =
        ClientConfig.of(server.endpoint())
            .withRetryDeadline(Duration.ofSeconds(20))
            .withWriteRetryDeadline(Duration.ofSeconds(20));
    HistoryClients clients = new HistoryClients(config, SHAPE);
    clients.start();
    for (int kill = 0; kill < KILLS; kill++) {
      clients.awaitCalls(CALLS_BETWEEN_KILLS);
      server.kill();
      server.start();
    }
    clients.awaitCalls(CALLS_BETWEEN_KILLS);
    clients.end();
    var unused = clients.requireLinearizable(directory.resolve("history.jsonl"));
  }
}
