package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.cluster.Cluster;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real Prometheus answers the queries of the dashboards, over a server and a cluster. */
@Tag("proof-monitoring")
class DashboardQueriesTest {

  /** Those with a condition may have nothing to show, and those of collections nothing yet. */
  private static final Pattern MAY_BE_EMPTY = Pattern.compile("[<>=] -?[0-9]|jvm_gc_|ALERTS");

  private static final Pattern VARIABLE = Pattern.compile("\\$[a-z]+");

  @RegisterExtension final Stage stage = new Stage();

  private static List<String> queries() {
    return Dashboard.all().stream()
        .flatMap(dashboard -> dashboard.queries().stream())
        .map(query -> VARIABLE.matcher(query).replaceAll(".*"))
        .distinct()
        .toList();
  }

  private void fill(Scene scene) {
    OptionsChange anHour = new OptionsChange().withRetention(Duration.ofHours(1));
    assertThat(scene.tables().alterTable(scene.table(), anHour)).isNotNull();
    var unused = scene.tunnel("audit", TunnelType.Stream);
    scene.fill(10, 10);
  }

  @Test
  void every_chart_without_a_condition_has_something_to_show() {
    ServerProcess server = stage.server();
    fill(new Scene(stage, server, 2));
    Cluster cluster = new Cluster(stage, 1).start(1);
    fill(new Scene(stage, cluster, 2));
    PrometheusProcess prometheus =
        PrometheusProcess.start(stage, AlertRules.shipped(), Optional.empty());
    prometheus.scrape("alone", server.httpPort());
    prometheus.scrape("node", cluster.node(0).httpPort());
    prometheus.awaitScraped("alone");
    prometheus.awaitScraped("node");
    List<String> empty = new ArrayList<>();
    Poll.until(
        Poll.LONG,
        () -> {
          empty.clear();
          queries().stream().filter(query -> !prometheus.holds(query)).forEach(empty::add);
          return empty.stream().allMatch(query -> MAY_BE_EMPTY.matcher(query).find());
        },
        () -> "results of " + String.join("\n", empty));
    assertThat(queries().size() - empty.size()).isGreaterThan(queries().size() / 2);
  }
}
