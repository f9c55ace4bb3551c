package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.programs.bench.peer.Figures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsReportTest {

  private final Rounds rounds = new Rounds();
  private final StringWriter printed = new StringWriter();
  private final RoundsReport report = new RoundsReport("kafka", new PrintWriter(printed));

  private void add(String subject, double rows, double cpu) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rows/s", rows);
    figures.put("CPU", cpu);
    rounds.add("read", subject, Figures.of(figures));
  }

  @Test
  void a_table_has_all_rounds_their_medians_and_their_ratio_to_the_baseline() {
    add("ours", 300, 2);
    add("kafka", 100, 8);
    add("ours", 1_000, 4);
    add("kafka", 200, Double.NaN);
    report.print("read", rounds);
    assertThat(printed.toString().lines())
        .containsExactly(
            "",
            "read",
            "peer   round     rows/s    CPU",
            "ours   1        300.000  2.000",
            "ours   2          1,000  4.000",
            "kafka  1        100.000  8.000",
            "kafka  2        200.000      -",
            "ours   median   650.000  3.000",
            "kafka  median   150.000  8.000",
            "ours   / kafka    4.33x  0.38x");
  }

  @Test
  void without_the_baseline_there_are_no_ratios() {
    add("ours", 300, 2);
    report.print("read", rounds);
    assertThat(printed.toString()).contains("median").doesNotContain("/ kafka");
  }

  @Test
  void json_has_every_round_and_the_medians_and_leaves_out_what_is_no_number() {
    add("ours", 300, 2);
    add("ours", 500, Double.NaN);
    report.printJson(Map.of("rows", 7), rounds);
    assertThat(printed.toString().strip()).doesNotContain("\n");
    JsonObject all = JsonParser.parseString(printed.toString()).getAsJsonObject();
    assertThat(all.getAsJsonObject("settings").get("rows").getAsInt()).isEqualTo(7);
    JsonObject ours = all.getAsJsonObject("tests").getAsJsonObject("read").getAsJsonObject("ours");
    assertThat(ours.getAsJsonArray("rounds")).hasSize(2);
    assertThat(ours.getAsJsonArray("rounds").get(1).getAsJsonObject().has("CPU")).isFalse();
    assertThat(ours.getAsJsonObject("median").get("rows/s").getAsDouble()).isEqualTo(400);
  }
}
