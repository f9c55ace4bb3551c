package io.tunnel.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The real server keeps the contract. */
class ServerContractTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = STAGE.server();
  }

  private static Subject real() {
    return new Subject() {
      @Override
      public int port() {
        return server.port();
      }

      @Override
      public void letLeaseEnd() {
        // Its clock is real.
      }

      @Override
      public long nowMs() {
        return System.currentTimeMillis();
      }

      @Override
      public void awaitTime(long ms) {
        // Its clock is real.
      }

      @Override
      public void expectMisconduct() {
        // It only refuses.
      }

      @Override
      public void close() {
        // It serves all tests of the class.
      }
    };
  }

  @Nested
  class Tables extends TablesContract {
    @Override
    Subject begin() {
      return real();
    }
  }

  @Nested
  class Sessions extends SessionsContract {
    @Override
    Subject begin() {
      return real();
    }
  }

  @Nested
  class Tunnels extends TunnelsContract {
    @Override
    Subject begin() {
      return real();
    }
  }
}
