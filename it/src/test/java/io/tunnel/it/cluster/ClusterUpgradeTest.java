package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Build;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A newer build replaces the former one, under load, node by node; a worker of the former build
 * consumes from the start to the end. A feature of the next level is refused by name until the last
 * node is new and the level is raised, and applied from then on. Nobody who writes or consumes
 * loses anything.
 */
@Tag("proof-upgrade")
class ClusterUpgradeTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 3;
  private static final int ROWS_PER_SECOND = 200;
  private static final int FORMER = Build.FORMER.level();
  private static final int NEXT = Build.NEXT.level();

  /** Exit code of a server that cannot go on. */
  private static final int CANNOT_GO_ON = 74;

  private static final String BELOW =
      "has level " + NEXT + ", and this build serves level " + FORMER + " at most";

  private static final String RAISED = "the level is " + NEXT + ", and was " + FORMER;

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void a_feature_is_refused_by_name_until_the_level_is_raised_behind_the_last_node()
      throws InterruptedException {
    Cluster cluster = new Cluster(stage, NODES + 1).of(Build.FORMER).start(NODES);
    try (Traffic traffic = new Traffic(stage, cluster, PARTITIONS, ROWS_PER_SECOND);
        Trials trials = trials(cluster)) {
      List<String> former = names(cluster);
      for (int i = 0; i < NODES; i++) {
        NodeProcess node = cluster.node(i);
        trials.requireRefused(former);
        if (i == 1) {
          String lacking = String.join(", ", former);
          assertThat(upgrade(cluster, 1))
              .contains("level " + NEXT + " is not served by " + lacking);
        }
        restart(cluster, node, Build.NEXT);
        if (i == 0) {
          // Within the level the way back is open.
          restart(cluster, node, Build.FORMER);
          trials.requireRefused(former);
          restart(cluster, node, Build.NEXT);
        }
        former.remove(node.name());
        traffic.awaitFlow();
      }
      trials.requireRefused(List.of());
      trials.mayApply();
      assertThat(upgrade(cluster, 0)).contains(RAISED);
      awaitLevel(cluster);
      trials.mustApply();
      requireFormerBuildRefused(cluster);
      traffic.awaitFlow();
      trials.awaitApplied();
      var unused = traffic.end().requireNoErrors();
      trials.end();
    }
  }

  @Test
  void nodes_that_are_killed_at_every_step_lose_nothing_and_enable_nothing_too_early()
      throws InterruptedException {
    Cluster cluster = new Cluster(stage, NODES + 1).of(Build.FORMER).start(NODES);
    try (Traffic traffic = new Traffic(stage, cluster, PARTITIONS, ROWS_PER_SECOND);
        Trials trials = trials(cluster)) {
      for (int i = 0; i < NODES; i++) {
        NodeProcess node = cluster.node(i);
        node.kill();
        node.of(Build.NEXT);
        node.begin();
        killAtTheStart(cluster, node, i);
        begin(cluster, node);
        traffic.awaitFlow();
      }
      trials.requireRefused(List.of());
      trials.mayApply();
      killDuringTheRaise(cluster);
      awaitRaised(cluster);
      awaitLevel(cluster);
      trials.mustApply();
      NodeProcess leader = cluster.catalogLeader();
      leader.kill();
      traffic.awaitWritten();
      trials.awaitApplied();
      begin(cluster, leader);
      awaitLevel(cluster);
      requireFormerBuildRefused(cluster);
      traffic.awaitFlow();
      trials.awaitApplied();
      var unused = traffic.end();
      trials.end();
    }
  }

  /** At once, when the others know of the node, or when the node serves. */
  private static void killAtTheStart(Cluster cluster, NodeProcess node, int step) {
    if (step == 1) {
      NodeProcess other = cluster.others(node).get(0);
      Poll.until(
          node.name() + " has joined at level " + NEXT,
          () ->
              Cluster.seenBy(other).nodes().stream()
                  .anyMatch(each -> each.name().equals(node.name()) && each.levelMax() == NEXT));
    } else if (step == 2) {
      node.awaitReady();
    }
    node.kill();
  }

  private static void killDuringTheRaise(Cluster cluster) {
    NodeProcess leader = cluster.catalogLeader();
    CompletableFuture<Void> asked =
        CompletableFuture.runAsync(
            () -> {
              try {
                var unused = Cluster.raise(leader, NEXT);
              } catch (UncheckedIOException | AssertionError e) {
                // The leader ends before the answer, as it may.
              }
            });
    leader.kill();
    asked.join();
    begin(cluster, leader);
  }

  private void awaitRaised(Cluster cluster) {
    Poll.until("the level is raised", () -> upgradeExit(cluster).awaitExit() == 0);
  }

  private static void restart(Cluster cluster, NodeProcess node, Build build) {
    node.stop();
    node.of(build);
    begin(cluster, node);
  }

  private static void begin(Cluster cluster, NodeProcess node) {
    node.begin();
    node.awaitReady();
    cluster.awaitWhole();
  }

  private Trials trials(Cluster cluster) {
    return new Trials(
        stage,
        cluster,
        cluster::running,
        () -> cluster.running().stream().map(NodeProcess::directPort).toList());
  }

  private static List<String> names(Cluster cluster) {
    return new ArrayList<>(cluster.running().stream().map(NodeProcess::name).toList());
  }

  private ChildProcess upgradeExit(Service service) {
    return stage.child(
        "upgrade",
        ServerProcess.MAIN,
        List.of("cluster", "upgrade", "--yes", "--server", service.endpoint()));
  }

  /** What the command says that raises the level. */
  private String upgrade(Service service, int exit) {
    ChildProcess command = upgradeExit(service);
    assertThat(command.awaitExit()).as("exit code of 'cluster upgrade'").isEqualTo(exit);
    return command.transcript();
  }

  private static void awaitLevel(Cluster cluster) {
    Poll.until(
        "every node knows the level",
        () -> cluster.running().stream().allMatch(node -> Cluster.seenBy(node).level() == NEXT));
  }

  /** A node of the former build does not join, and says what to do. */
  private void requireFormerBuildRefused(Cluster cluster) {
    NodeProcess late = cluster.node(NODES);
    late.of(Build.FORMER);
    late.begin();
    assertThat(late.child().awaitExit()).isEqualTo(CANNOT_GO_ON);
    assertThat(late.child().transcript()).contains(BELOW);
    assertThat(Cluster.seenBy(cluster.node(0)).nodes()).hasSize(NODES);
  }

  @Test
  void a_single_server_goes_up_and_down_within_its_level_and_only_up_beyond()
      throws InterruptedException {
    ServerProcess server = new ServerProcess(stage, stage.path("data"), List.of());
    server.of(Build.FORMER).start();
    try (Trials trials =
        new Trials(stage, server, () -> List.of(server), () -> List.of(server.port()))) {
      trials.requireRefused(List.of("server"));
      server.stop();
      server.of(Build.NEXT).start();
      trials.requireRefused(List.of());
      server.kill();
      server.of(Build.FORMER).start();
      trials.requireRefused(List.of("server"));
      server.stop();
      server.of(Build.NEXT).start();
      trials.mayApply();
      assertThat(upgrade(server, 0)).contains(RAISED);
      trials.mustApply();
      server.kill();
      server.of(Build.FORMER).begin();
      assertThat(server.child().awaitExit()).isEqualTo(CANNOT_GO_ON);
      assertThat(server.child().transcript()).contains(BELOW);
      server.of(Build.NEXT).start();
      trials.awaitApplied();
      trials.end();
    }
  }
}
