package io.tunnel.it.contract;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The real server keeps the contract. */
class ServerContractTest extends WholeContract {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = STAGE.server();
  }

  @Override
  Subject begin() {
    return new RealSubject(server.port());
  }

  @Nested
  class Watches extends WatchesContract {
    @Test
    void one_watch_more_than_a_connection_may_have_is_refused() throws Exception {
      requireFullRefused();
    }

    @Override
    Subject begin() {
      return ServerContractTest.this.begin();
    }
  }

  @Nested
  class Writers extends EndedWritersContract {
    @Override
    Subject begin() {
      return ServerContractTest.this.begin();
    }
  }
}
