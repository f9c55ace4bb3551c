package io.tunnel.it.contract;

import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node of a cluster keeps the contract of a single server. */
@Tag("proof-nodes")
class ClusterContractTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static NodeProcess node;

  @BeforeAll
  static void start() {
    node = new Cluster(STAGE, 1).start(1).node(0);
  }

  @Nested
  class Tables extends TablesContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Returns extends ReturningContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
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
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Increments extends IncrementsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Writers extends EndedWritersContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Sessions extends SessionsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Tunnels extends TunnelsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Moments extends MomentsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Operators extends OperatorsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Failures extends FailuresContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Greetings extends GreetingsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Readings extends ReadingsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class AutoKeys extends AutoKeysContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class AtomicBatches extends AtomicBatchesContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class BoundRows extends BoundRowsContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }

  @Nested
  class Deliveries extends DeliveriesContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
  }
}
