package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Alerts of clusters, evaluated by a real Prometheus over real nodes and a real Kafka. */
@Tag("proof-monitoring")
class ClusterAlertsTest {

  private static final Map<String, String> PARTITION = Map.of("unit", "partition");
  private static final Map<String, String> TUNNELS = Map.of("unit", "tunnels");
  private static final Map<String, String> CATALOG = Map.of("unit", "catalog");

  /** With two nodes, each leads half of them. */
  private static final int PARTITIONS = 4;

  @RegisterExtension final Stage stage = new Stage();

  /**
   * The node that coordinates a tunnel leads the only partition of a table by chance, has a replica
   * of another, and nothing of a third; and nobody works.
   */
  @Test
  void tunnels_lag_and_run_out_of_history_whichever_node_has_their_partitions() {
    Cluster cluster = new Cluster(stage, 3).start(3);
    PrometheusProcess prometheus =
        PrometheusProcess.start(
            stage,
            AlertRules.shipped()
                .atOnce(Map.of("TunnelLagging", "2", "TunnelHistoryRunsOut", "0.01")),
            Optional.empty());
    List<Scene> scenes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      scenes.add(new Scene(stage, cluster, 1));
    }
    cluster.awaitWhole();
    for (int i = 0; i < 3; i++) {
      scrape(prometheus, cluster.node(i));
    }
    OptionsChange fiveMinutes = new OptionsChange().withRetention(Duration.ofMinutes(5));
    for (Scene scene : scenes) {
      assertThat(scene.tables().alterTable(scene.table(), fiveMinutes)).isNotNull();
      assertThat(scene.tunnel("audit", TunnelType.Stream)).isNotNull();
      scene.fill(10, 10);
    }
    for (Scene scene : scenes) {
      Map<String, String> audit = Map.of("table", scene.table(), "tunnel", "audit");
      prometheus.awaitFiring("TunnelLagging", audit);
      prometheus.awaitFiring("TunnelHistoryRunsOut", audit);
    }
  }

  private static void scrape(PrometheusProcess prometheus, NodeProcess node) {
    prometheus.scrape(node.name(), node.httpPort());
  }

  @Test
  void a_dead_node_is_missing_until_it_is_back_and_has_no_successor_until_another_can_lead() {
    Cluster cluster = new Cluster(stage, 2).start(2);
    assertThat(new Scene(stage, cluster, PARTITIONS).table()).isNotEmpty();
    cluster.awaitWhole();
    NodeProcess second = cluster.catalogLeader();
    NodeProcess first = cluster.node(second == cluster.node(0) ? 1 : 0);
    PrometheusProcess prometheus =
        PrometheusProcess.start(stage, AlertRules.shipped().atOnce(Map.of()), Optional.empty());
    scrape(prometheus, first);
    scrape(prometheus, second);
    prometheus.awaitScraped(first.name());
    prometheus.awaitScraped(second.name());
    prometheus.awaitEnded("TunnelNodeMissing", Map.of());
    prometheus.awaitEnded("TunnelNoLeader", Map.of());

    // The node that lives cannot take over before it reaches Kafka again.
    first.toKafka().hold();
    second.kill();
    prometheus.awaitFiring("TunnelServerDown", Map.of("instance", second.name()));
    prometheus.awaitFiring("TunnelNoLeader", PARTITION);
    prometheus.awaitFiring("TunnelNoLeader", TUNNELS);
    prometheus.awaitFiring("TunnelNoLeader", CATALOG);
    first.toKafka().resume();
    prometheus.awaitFiring("TunnelNodeMissing", Map.of());
    prometheus.awaitEnded("TunnelNoLeader", Map.of());

    second.begin();
    second.awaitReady();
    scrape(prometheus, second);
    prometheus.awaitEnded("TunnelServerDown", Map.of());
    prometheus.awaitEnded("TunnelNodeMissing", Map.of());
    cluster.awaitWhole();
    prometheus.awaitEnded("TunnelNoLeader", Map.of());
  }
}
