package io.tunnel.it.contract;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The real server keeps the contract. */
class ServerContractTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = STAGE.server();
  }

  @Nested
  class Tables extends TablesContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Sessions extends SessionsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Tunnels extends TunnelsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Operators extends OperatorsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Failures extends FailuresContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Deliveries extends DeliveriesContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Moments extends MomentsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Readings extends ReadingsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Returns extends ReturningContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Watches extends WatchesContract {
    @Test
    void a_position_of_another_incarnation_is_refused() throws Exception {
      requireForeignRefused();
    }

    @Test
    void one_watch_more_than_a_connection_may_have_is_refused() throws Exception {
      requireFullRefused();
    }

    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Increments extends IncrementsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Writers extends EndedWritersContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class AutoKeys extends AutoKeysContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class AtomicBatches extends AtomicBatchesContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class BoundRows extends BoundRowsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }

  @Nested
  class Greetings extends GreetingsContract {
    @Override
    Subject begin() {
      return new RealSubject(server.port());
    }
  }
}
