package io.tunnel.it.contract;

import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node that has Kafka for a log keeps the contract of a server that has its own, but for two
 * things: who has a session attaches to its channels elsewhere, and base data has no moment.
 */
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
}
