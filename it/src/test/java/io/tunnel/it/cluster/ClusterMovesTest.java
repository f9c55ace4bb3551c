package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that come and go as operators want it, under load: nobody who uses them notices. */
@Tag("proof-nodes")
class ClusterMovesTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 12;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES + 1).start(NODES);
  }

  private Traffic traffic;

  @AfterEach
  void endTraffic() {
    if (traffic != null) {
      traffic.close();
    }
  }

  @BeforeEach
  void mend() {
    cluster.mend(NODES);
  }

  @Test
  void all_nodes_are_restarted_in_turn_and_no_writer_notices() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    for (int i = 0; i < NODES; i++) {
      NodeProcess node = cluster.node(i);
      node.stop();
      traffic.awaitFlow();
      node.begin();
      node.awaitReady();
      cluster.awaitWhole();
    }
    traffic.awaitFlow();
    var unused = traffic.end().requireNoErrors();
  }

  @Test
  void a_node_that_comes_takes_its_share_and_one_that_is_drained_leaves_without_a_trace() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    NodeProcess fourth = cluster.node(NODES);
    fourth.begin();
    fourth.awaitReady();
    cluster.awaitWhole();
    assertThat(Cluster.ledBy(fourth, fourth)).hasSizeGreaterThanOrEqualTo(PARTITIONS / 4);
    traffic.awaitFlow();
    Cluster.drain(fourth, true);
    Poll.until("a drained node that leads nothing", () -> Cluster.ledBy(fourth, fourth).isEmpty());
    cluster.awaitWhole();
    traffic.awaitFlow();
    fourth.stop();
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end().requireNoErrors().requireNoRepetition();
  }
}
