package io.tunnel.it.contract;

import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node whose log has a record for each append keeps the contract of rows of a single server. */
@Tag("proof-nodes")
class AppendsContractTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static NodeProcess node;

  @BeforeAll
  static void start() {
    node = new Cluster(STAGE, 1).ofAppends().start(1).node(0);
  }

  @Nested
  class Expiry extends ExpiryContract {
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
  class AutoKeys extends AutoKeysContract {
    @Override
    Subject begin() {
      return new RealSubject(node.directPort());
    }
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
}
