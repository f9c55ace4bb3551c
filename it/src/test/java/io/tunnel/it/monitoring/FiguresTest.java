package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Dashboards and alerts ask for existing figures, and explain their charts. */
class FiguresTest {

  private static final Pattern SERIES =
      Pattern.compile("(?m)^([a-z][a-z0-9_]*)(?:\\{(.*)})? \\S+$");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?([a-z_]+)");

  /** Labels that Prometheus adds to every series of a target. */
  private static final Set<String> OF_TARGETS = Set.of("job", "instance", "cluster");

  /** Series that Prometheus makes itself, with their labels. */
  private static final Map<String, Set<String>> OF_PROMETHEUS =
      Map.of("up", Set.of(), "ALERTS", Set.of("alertname", "alertstate", "severity"));

  private static final int SCHEMA_MIN = 39;
  private static final int GRID_WIDTH = 24;

  @RegisterExtension final Stage stage = new Stage();

  /** The labels of each series of a server with a table, a worker, and a tunnel without one. */
  private Map<String, Set<String>> ofServer() {
    ServerProcess server = stage.server();
    Scene scene = new Scene(stage, server, 2);
    OptionsChange anHour = new OptionsChange().withRetention(Duration.ofHours(1));
    assertThat(scene.tables().alterTable(scene.table(), anHour)).isNotNull();
    var unused = scene.tunnel("late", TunnelType.Stream);
    Channels audit = scene.tunnel("audit", TunnelType.Stream);
    scene.fill(10, 10);
    var unusedWorker = scene.worker(audit, "w").awaitWorking();
    audit.awaitDrained();
    Poll.until(
        "history left is told",
        () -> server.http("/metrics", 200).contains("tunnel_channel_history_left_seconds{"));
    Map<String, Set<String>> labels = new TreeMap<>();
    for (Matcher series = SERIES.matcher(server.http("/metrics", 200)); series.find(); ) {
      Set<String> names = labels.computeIfAbsent(series.group(1), name -> new TreeSet<>());
      if (series.group(2) != null) {
        for (Matcher label = LABEL.matcher(series.group(2)); label.find(); ) {
          names.add(label.group(1));
        }
      }
    }
    return labels;
  }

  /**
   * Figures that a server alone has not, or not yet: those of a node, which {@code MetricsDocTest}
   * holds against a real node, and those of collections that have not happened.
   */
  private static Map<String, Set<String>> ofPage() {
    Map<String, Set<String>> labels = new TreeMap<>(MeterPage.below("A node of a cluster"));
    MeterPage.below("The JVM")
        .forEach(
            (name, names) -> {
              labels.put(name, names);
              labels.put(name + "_sum", names);
              labels.put(name + "_count", names);
            });
    return labels;
  }

  private static List<String> wrong(String query, Map<String, Set<String>> known) {
    List<String> wrong = new ArrayList<>();
    Promql parsed = Promql.of(query);
    Set<String> all = new HashSet<>(OF_TARGETS);
    for (Promql.Selector selector : parsed.selectors()) {
      Set<String> labels = known.get(selector.metric());
      if (labels == null) {
        wrong.add("no metric " + selector.metric() + " in " + query);
        continue;
      }
      all.addAll(labels);
      for (String label : selector.labels()) {
        if (!labels.contains(label) && !OF_TARGETS.contains(label)) {
          wrong.add(selector.metric() + " has no label " + label + " in " + query);
        }
      }
    }
    for (String label : parsed.grouping()) {
      if (!all.contains(label)) {
        wrong.add("no label " + label + " in " + query);
      }
    }
    return wrong;
  }

  @Test
  void every_query_reads_metrics_and_labels_that_there_are() {
    Map<String, Set<String>> known = ofServer();
    assertThat(known).containsKeys("tunnel_rows_written_total", "tunnel_commit_seconds_bucket");
    ofPage().forEach(known::putIfAbsent);
    known.putAll(OF_PROMETHEUS);
    List<String> queries = new ArrayList<>();
    Dashboard.all().forEach(dashboard -> queries.addAll(dashboard.queries()));
    AlertRules.shipped().rules().forEach(rule -> queries.add(rule.expr()));
    assertThat(queries).hasSizeGreaterThan(100);
    assertThat(queries).flatMap(query -> wrong(query, known)).isEmpty();
    assertThat(wrong("sum by (nobody) (tunnel_sessions{owner=\"x\"}) + tunnel_nothing", known))
        .hasSize(3);
  }

  @Test
  void every_alert_says_how_urgent_it_is_and_where_an_operator_reads_what_to_do() {
    String tests = Deployed.text("deploy/prometheus/rules_test.yml");
    String page = Deployed.text("docs/operate/monitoring.md");
    assertThat(AlertRules.shipped().rules())
        .hasSizeGreaterThan(10)
        .allSatisfy(
            rule -> {
              assertThat(rule.labels().get("severity")).isIn("critical", "warning");
              assertThat(rule.annotations()).containsOnlyKeys("summary", "description", "runbook");
              assertThat(rule.forTime()).matches("[0-9]+[smh]");
              assertThat(tests).contains("alertname: " + rule.alert());
              assertThat(page).contains("| `" + rule.alert() + "`");
              String[] runbook = rule.annotations().get("runbook").split("#", -1);
              assertThat(anchors(Deployed.text(runbook[0]))).contains(runbook[1]);
            });
  }

  private static List<String> anchors(String page) {
    return page.lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
        .map(title -> title.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
        .toList();
  }

  @ParameterizedTest
  @FieldSource("io.tunnel.it.monitoring.Dashboard#NAMES")
  void a_dashboard_can_be_imported_anywhere(String name) {
    JsonObject json = Dashboard.of(name).json();
    assertThat(json.get("schemaVersion").getAsInt()).isGreaterThanOrEqualTo(SCHEMA_MIN);
    assertThat(json.get("id").isJsonNull()).as("an id would replace another dashboard").isTrue();
    assertThat(json.get("uid").getAsString()).startsWith("tunnel-");
    Set<String> declared = new HashSet<>();
    Dashboard dashboard = Dashboard.of(name);
    for (JsonObject variable : dashboard.variables()) {
      declared.add(variable.get("name").getAsString());
    }
    assertThat(declared).contains("datasource", "job");
    Set<String> used = new HashSet<>();
    for (String query : dashboard.queries()) {
      for (Matcher variable = VARIABLE.matcher(query); variable.find(); ) {
        used.add(variable.group(1));
      }
    }
    used.add("datasource");
    assertThat(used).isEqualTo(declared);
  }

  @ParameterizedTest
  @FieldSource("io.tunnel.it.monitoring.Dashboard#NAMES")
  void every_panel_says_what_it_shows_in_which_unit_and_covers_no_other(String name) {
    Dashboard dashboard = Dashboard.of(name);
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();
    for (JsonObject panel : Dashboard.objects(dashboard.json().getAsJsonArray("panels"))) {
      assertThat(ids.add(panel.get("id").getAsInt())).as("one id for %s", panel).isTrue();
      JsonObject at = panel.getAsJsonObject("gridPos");
      int right = at.get("x").getAsInt() + at.get("w").getAsInt();
      assertThat(right).isLessThanOrEqualTo(GRID_WIDTH);
      for (int x = at.get("x").getAsInt(); x < right; x++) {
        int top = at.get("y").getAsInt();
        for (int y = top; y < top + at.get("h").getAsInt(); y++) {
          assertThat(cells.add(x + "," + y)).as("one panel at %s,%s", x, y).isTrue();
        }
      }
    }
    assertThat(dashboard.panels())
        .isNotEmpty()
        .allSatisfy(
            panel -> {
              assertThat(panel.get("title").getAsString()).isNotBlank();
              assertThat(panel.get("description").getAsString()).endsWith(".");
              JsonObject defaults =
                  panel.getAsJsonObject("fieldConfig").getAsJsonObject("defaults");
              assertThat(defaults.get("unit").getAsString()).isNotBlank();
              JsonObject source = panel.getAsJsonObject("datasource");
              assertThat(source.get("uid").getAsString()).isEqualTo("${datasource}");
              JsonArray targets = panel.getAsJsonArray("targets");
              assertThat(targets).isNotEmpty();
            });
  }

  /** A tunnel may have a thousand channels, and a legend of all of them cannot be read. */
  @Test
  void no_chart_draws_a_line_for_each_channel() {
    for (Dashboard dashboard : Dashboard.all()) {
      assertThat(dashboard.queries())
          .filteredOn(query -> query.contains("partition, ") || query.contains(", partition)"))
          .allMatch(query -> query.matches("(topk|bottomk)\\([0-9]+, .*"));
    }
  }
}
