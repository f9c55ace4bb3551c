package io.tunnel.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Prometheus itself says of the alerts, their tests and the queries of the dashboards. */
@Tag("proof-monitoring")
class PromtoolTest {

  private static final String DIRECTORY = "deploy/prometheus/";

  @RegisterExtension final Stage stage = new Stage();

  private static void promtool(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        Stream.concat(
                Stream.of(PrometheusProcess.program("promtool").toString()),
                Arrays.stream(arguments))
            .toList();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
  }

  private static String file(String name) {
    return Deployed.path(DIRECTORY + name).toString();
  }

  @Test
  void the_rules_and_the_configuration_are_valid() throws Exception {
    promtool("check", "rules", "--lint=all", "--lint-fatal", file("rules.yml"));
    promtool("check", "config", "--syntax-only", file("prometheus.yml"));
  }

  @Test
  void each_alert_fires_behind_its_limit_and_ends() throws Exception {
    promtool("test", "rules", file("rules_test.yml"));
  }

  @Test
  void every_query_of_a_dashboard_is_valid() throws Exception {
    List<Map<String, String>> queries = new ArrayList<>();
    for (Dashboard dashboard : Dashboard.all()) {
      for (String query : dashboard.queries()) {
        queries.add(Map.of("record", "query:" + queries.size(), "expr", query));
      }
    }
    Path rules = Files.createDirectories(stage.path("queries")).resolve("rules.yml");
    // JSON is YAML.
    Files.writeString(
        rules,
        new Gson().toJson(Map.of("groups", List.of(Map.of("name", "queries", "rules", queries)))));
    promtool("check", "rules", rules.toString());
  }

  @Test
  void the_rules_that_tests_evaluate_are_the_rules_that_are_shipped() throws Exception {
    AlertRules shipped = AlertRules.shipped();
    assertThat(shipped.rules()).hasSize(count(Deployed.text(AlertRules.FILE), "- alert:"));
    Path rules = Files.createDirectories(stage.path("rules")).resolve("rules.yml");
    Files.writeString(rules, shipped.toFile());
    promtool("check", "rules", rules.toString());
    Path tests = rules.resolveSibling("rules_test.yml");
    Files.writeString(tests, Deployed.text(DIRECTORY + "rules_test.yml"));
    promtool("test", "rules", tests.toString());
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
