package io.tunnel.it.cluster;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that are drained one after the other, while clients read rows and change the catalog. */
@Tag("proof-nodes")
class ClusterDrainsTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 24;
  private static final int DRAINS = 6;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES).start(NODES);
  }

  @Test
  void rows_are_found_and_changes_of_the_catalog_done_while_nodes_are_drained_again_and_again() {
    try (RowWatch watch = new RowWatch(STAGE, cluster, PARTITIONS);
        CatalogWatch catalog = new CatalogWatch(STAGE, cluster)) {
      for (int drains = 0; drains < DRAINS; drains++) {
        NodeProcess node = cluster.node(drains % NODES);
        watch.awaitLooks();
        catalog.awaitRound();
        Cluster.drain(node, true);
        Poll.until("a node that leads nothing", () -> Cluster.ledBy(node, node).isEmpty());
        Cluster.drain(node, false);
        Poll.until("a node that leads again", () -> !Cluster.ledBy(node, node).isEmpty());
      }
      watch.end();
      catalog.end();
    }
  }
}
