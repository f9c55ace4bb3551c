package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The JSON of the load tools calls one thing by one name, which docs/guides/load-test.md explains.
 */
class JsonVocabularyTest {

  private static final Pattern WORD = Pattern.compile("`([a-z][A-Za-z0-9]*)`");

  private static final Map<String, List<String>> RECORDS =
      Map.of(
          "stress", List.of("io.tunnel.stress.StressLine"),
          "perf", List.of("io.tunnel.perf.PerfLine"),
          "demo",
              List.of(
                  "io.tunnel.programs.demo.DemoSummary$Rows",
                  "io.tunnel.programs.demo.DemoSummary$Rates",
                  "io.tunnel.programs.demo.DemoSummary$Cost"));

  private static Set<String> printedBy(String tool) throws ClassNotFoundException {
    Set<String> names = new TreeSet<>();
    for (String record : RECORDS.get(tool)) {
      Arrays.stream(Class.forName(record).getRecordComponents())
          .map(RecordComponent::getName)
          .forEach(names::add);
    }
    return names;
  }

  /** The members that the table of the document gives to each tool. */
  private static Map<String, Set<String>> documented() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../../docs/guides/load-test.md"));
    int start = lines.indexOf("| member | of | means |");
    assertThat(start).as("the table of members").isPositive();
    Map<String, Set<String>> byTool = new TreeMap<>();
    for (String line : lines.subList(start + 2, lines.size())) {
      if (!line.startsWith("| `")) {
        break;
      }
      String[] cells = line.split("\\|", -1);
      Set<String> members =
          WORD.matcher(cells[1]).results().map(hit -> hit.group(1)).collect(Collectors.toSet());
      String tools = cells[2].strip().replace("all", "stress, perf, demo");
      for (String tool : tools.split(", ", -1)) {
        byTool.computeIfAbsent(tool, t -> new TreeSet<>()).addAll(members);
      }
    }
    return byTool;
  }

  @Test
  void every_member_is_documented_for_the_tool_that_prints_it_and_no_other() throws Exception {
    Map<String, Set<String>> documented = documented();
    assertThat(documented.keySet()).isEqualTo(RECORDS.keySet());
    for (String tool : RECORDS.keySet()) {
      assertThat(printedBy(tool)).as(tool).isEqualTo(documented.get(tool));
    }
  }

  @Test
  void what_stress_and_perf_both_measure_has_one_name() throws Exception {
    Set<String> both = printedBy("stress");
    both.retainAll(printedBy("perf"));
    assertThat(both)
        .containsExactlyInAnyOrder(
            "kind",
            "timestampMs",
            "elapsedMs",
            "rows",
            "rowsPerSecond",
            "bytes",
            "bytesPerSecond",
            "latencyP50Ms",
            "latencyP99Ms",
            "latencyP999Ms",
            "latencyMaxMs");
  }

  @Test
  void a_name_says_its_unit() throws Exception {
    Set<String> all = new TreeSet<>();
    for (String tool : RECORDS.keySet()) {
      all.addAll(printedBy(tool));
    }
    Matcher otherUnits =
        Pattern.compile("(?i)\\b\\w*(megabytes|Mb|seconds|micros|nanos|timestamp|total\\w*)\\b")
            .matcher(String.join(" ", all));
    assertThat(otherUnits.results().map(hit -> hit.group()).toList()).isEmpty();
  }
}
