package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.history.Call;
import io.tunnel.it.history.HistoryClients;
import io.tunnel.it.history.HistoryClients.Shape;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several clients read, write, add, and write atomic batches, with and without conditions, while
 * leaders of a cluster are killed, stand still until others lead, and are drained. No client is
 * told what a single row, touched by one call after the other, would not have told.
 */
@Tag("proof-cluster")
class ClusterClientHistoryTest {

  private static final int NODES = 3;
  private static final Shape SHAPE = new Shape(5, 3, 4);
  private static final int CALLS = 250;

  /** Each fault comes so often; more often in a run that is meant for it. */
  private static final int ROUNDS = Integer.getInteger("history.rounds", 1);

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void each_row_behaves_as_one_row_while_leaders_are_killed_stopped_and_drained(
      @TempDir Path directory) throws Exception {
    Cluster cluster = new Cluster(stage, NODES).start(NODES);
    HistoryClients clients = new HistoryClients(cluster.client(), SHAPE);
    cluster.awaitWhole();
    clients.start();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < NODES; i++) {
        NodeProcess node = cluster.node(i);
        clients.awaitCalls(CALLS);
        switch ((round + i) % NODES) {
          case 0 -> killed(cluster, clients, node);
          case 1 -> stopped(cluster, clients, node);
          default -> drained(cluster, clients, node);
        }
        clients.turn();
      }
    }
    clients.awaitCalls(CALLS);
    clients.end();
    List<Call> calls = clients.requireLinearizable(directory.resolve("history.jsonl"));
    assertThat(calls).extracting(Call::batch).anyMatch(batch -> batch.isPresent());
  }

  private static void killed(Cluster cluster, HistoryClients clients, NodeProcess node) {
    node.kill();
    cluster.awaitReplaced(node);
    clients.awaitCalls(CALLS);
    node.begin();
    node.awaitReady();
    cluster.awaitWhole();
  }

  /** The node does not know that others lead when it goes on. */
  private static void stopped(Cluster cluster, HistoryClients clients, NodeProcess node) {
    node.suspend();
    try {
      cluster.awaitReplaced(node);
      clients.awaitCalls(CALLS);
    } finally {
      node.resume();
    }
    cluster.awaitWhole();
  }

  private static void drained(Cluster cluster, HistoryClients clients, NodeProcess node) {
    Cluster.drain(node, true);
    Poll.until("a node that leads nothing", () -> Cluster.ledBy(node, node).isEmpty());
    clients.awaitCalls(CALLS);
    Cluster.drain(node, false);
    cluster.awaitWhole();
  }
}
