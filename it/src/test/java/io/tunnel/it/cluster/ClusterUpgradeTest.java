package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes are replaced one after the other by builds of the next level, under load. The level is
 * raised behind the last of them and not before; nobody who writes or consumes loses anything.
 */
@Tag("proof-cluster")
class ClusterUpgradeTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 6;
  private static final int FORMER = 1;
  private static final int NEXT = 2;

  /** Exit code of a server that cannot go on. */
  private static final int CANNOT_GO_ON = 74;

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void the_level_is_raised_behind_the_last_node_and_not_before() {
    upgrade(NodeProcess::stop, false);
  }

  @Test
  void nodes_that_are_killed_at_every_step_lose_nothing_and_raise_nothing_too_early() {
    upgrade(NodeProcess::kill, true);
  }

  private void upgrade(Consumer<NodeProcess> stop, boolean areKilledAgain) {
    Cluster cluster = new Cluster(stage, NODES + 1).start(NODES);
    try (Traffic traffic = new Traffic(stage, cluster, PARTITIONS)) {
      for (int i = 0; i < NODES; i++) {
        NodeProcess node = cluster.node(i);
        requireRefused(cluster, node.name());
        replace(cluster, node, stop);
        if (areKilledAgain) {
          replace(cluster, node, NodeProcess::kill);
        }
        traffic.awaitFlow();
        for (NodeProcess each : cluster.running()) {
          assertThat(Cluster.seenBy(each).level()).isEqualTo(FORMER);
        }
      }
      Poll.until("the level is raised", () -> raised(cluster));
      awaitLevel(cluster);
      if (areKilledAgain) {
        NodeProcess leader = leaderOfCatalog(cluster);
        replace(cluster, leader, NodeProcess::kill);
        awaitLevel(cluster);
      }
      requireFormerBuildRefused(cluster);
      traffic.awaitFlow();
      var unused = traffic.end();
    }
  }

  private static void replace(Cluster cluster, NodeProcess node, Consumer<NodeProcess> stop) {
    stop.accept(node);
    node.ofLevel(NEXT);
    node.begin();
    node.awaitReady();
    cluster.awaitWhole();
  }

  /** A raise is refused by the name of each node that runs the former build. */
  private static void requireRefused(Cluster cluster, String former) {
    Optional<ErrorPayload> refused = raise(cluster);
    assertThat(refused).as("a raise while %s runs the former build", former).isPresent();
    assertThat(refused.get().code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(refused.get().message()).contains("level " + NEXT, former + " (1 at most)");
  }

  /** The answer of the leader of the catalog, whoever leads. */
  private static Optional<ErrorPayload> raise(Cluster cluster) {
    AtomicReference<Optional<ErrorPayload>> answer = new AtomicReference<>();
    Poll.until(
        "an answer to a raise",
        () -> {
          answerToRaise(cluster).ifPresent(answer::set);
          return answer.get() != null;
        });
    return answer.get();
  }

  private static Optional<Optional<ErrorPayload>> answerToRaise(Cluster cluster) {
    for (NodeProcess node : cluster.running()) {
      Optional<ErrorPayload> refused = Cluster.raise(node, NEXT);
      if (refused.isEmpty() || !refused.get().code().retriable()) {
        return Optional.of(refused);
      }
    }
    return Optional.empty();
  }

  private static boolean raised(Cluster cluster) {
    return raise(cluster).isEmpty();
  }

  private static void awaitLevel(Cluster cluster) {
    Poll.until(
        "every node knows the level",
        () -> cluster.running().stream().allMatch(node -> Cluster.seenBy(node).level() == NEXT));
  }

  private static NodeProcess leaderOfCatalog(Cluster cluster) {
    String name =
        Cluster.seenBy(cluster.running().get(0)).nodes().stream()
            .filter(node -> node.isCatalogLeader())
            .findFirst()
            .orElseThrow()
            .name();
    return cluster.running().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** A node of the former build does not join, and says what to do. */
  private void requireFormerBuildRefused(Cluster cluster) {
    NodeProcess late = cluster.node(NODES);
    late.ofLevel(FORMER);
    late.begin();
    assertThat(late.child().awaitExit()).isEqualTo(CANNOT_GO_ON);
    assertThat(late.child().transcript())
        .contains("has level 2, and this build serves level 1 at most");
    assertThat(Cluster.seenBy(cluster.node(0)).nodes()).hasSize(NODES);
  }
}
