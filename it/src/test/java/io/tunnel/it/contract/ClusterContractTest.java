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
class ClusterContractTest extends WholeContract {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static NodeProcess node;

  @BeforeAll
  static void start() {
    node = new Cluster(STAGE, 1).start(1).node(0);
  }

  @Override
  Subject begin() {
    return new RealSubject(node.directPort());
  }

  @Nested
  class Watches extends WatchesContract {
    @Test
    void one_watch_more_than_a_connection_may_have_is_refused() throws Exception {
      requireFullRefused();
    }

    @Override
    Subject begin() {
      return ClusterContractTest.this.begin();
    }
  }

  @Nested
  class Writers extends EndedWritersContract {
    @Override
    Subject begin() {
      return ClusterContractTest.this.begin();
    }
  }
}
