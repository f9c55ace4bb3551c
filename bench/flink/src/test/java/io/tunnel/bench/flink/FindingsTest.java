package io.tunnel.bench.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindingsTest {

  private final Findings findings = new Findings("kafka");

  private void add(String test, String subject, double rows, double cpu) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rows/s", rows);
    figures.put("CPU", cpu);
    findings.add(test, subject, figures);
  }

  @Test
  void a_table_has_medians_their_spread_and_their_ratio_to_the_baseline() {
    add("read", "ours", 300, 2);
    add("read", "kafka", 100, 8);
    add("read", "ours", 1_000, 4);
    add("read", "kafka", 200, 8);
    add("read", "ours", 200, 3);
    add("read", "kafka", 120, 0);
    assertThat(findings.lines())
        .containsExactly(
            "",
            "read",
            "       n           rows/s    CPU",
            "ours   3  median      300    3.0",
            "          lowest      200    2.0",
            "          highest   1,000    4.0",
            "kafka  3  median      120    8.0",
            "          lowest      100    0.0",
            "          highest     200    8.0",
            "ours      / kafka   2.50x  0.38x");
  }

  @Test
  void without_the_baseline_there_are_no_ratios() {
    add("read", "ours", 300, 2);
    assertThat(findings.lines()).noneMatch(line -> line.contains("/ kafka"));
  }

  @Test
  void json_has_every_round_and_the_medians() {
    add("read", "ours", 300, 2);
    add("read", "ours", 500, 2);
    String json = findings.json(Map.of("rows", 7));
    assertThat(json).doesNotContain("\n");
    JsonObject all = JsonParser.parseString(json).getAsJsonObject();
    assertThat(all.getAsJsonObject("settings").get("rows").getAsInt()).isEqualTo(7);
    JsonObject ours = all.getAsJsonObject("tests").getAsJsonObject("read").getAsJsonObject("ours");
    assertThat(ours.getAsJsonArray("rounds")).hasSize(2);
    assertThat(ours.getAsJsonObject("median").get("rows/s").getAsDouble()).isEqualTo(400);
  }
}
