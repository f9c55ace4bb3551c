package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.Workload.Times;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MixLoadsTest {

  private static final String MIX =
      "{\"seed\": \"m\", \"kind\": \"mix\", \"title\": \"t\", \"publishedOn\": \"p\","
          + " \"operations\": [\"flow\"], \"steps\": {\"flow\": [\"get\", \"put\", \"delete\"]},"
          + " \"warmUpSeconds\": 0, \"seconds\": 1, \"columns\": [\"perSecond\"],"
          + " \"loads\": [{\"clients\": 4, \"bytes\": 9, \"rowsBefore\": 30}]}";

  @Test
  void a_mix_has_the_requests_of_each_operation_and_the_rows_from_before() {
    Workload mix = WorkloadFile.parse("m.json", MIX);
    assertThat(mix.steps())
        .isEqualTo(Map.of("flow", List.of(MixStep.GET, MixStep.PUT, MixStep.DELETE)));
    assertThat(mix.loads())
        .containsExactly(new Load(4, 9, 0, 0, Optional.of(30), Optional.empty()));
    assertThat(mix.loads().get(0).scaled(0.1))
        .isEqualTo(new Load(1, 9, 0, 0, Optional.of(3), Optional.empty()));
    assertThat(mix.times()).isEqualTo(new Times(0, 1));
    assertThat(MixLoads.words(mix)).isEqualTo("flow get put delete");
  }

  @Test
  void published_figures_of_forms_tell_an_empty_history_from_a_long_one() throws IOException {
    Workload form = WorkloadFile.own("004form");
    Load empty = form.loads().get(0);
    Load full = form.loads().get(3);
    assertThat(empty.clients()).isEqualTo(full.clients());
    assertThat(form.published("form", empty, Optional.empty()))
        .containsEntry(Figure.PER_SECOND, 9.9);
    assertThat(form.published("form", full, Optional.empty()))
        .containsEntry(Figure.PER_SECOND, 10.9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[\"get\", \"put\", \"delete\"] | [\"delete\"] | m.json: $.steps.flow is no operation: step 0",
        "[\"get\", \"put\", \"delete\"] | [\"put\", \"delete\", \"delete\"] | m.json: $.steps.flow is no operation: step 2",
        "[\"get\", \"put\", \"delete\"] | [] | m.json: $.steps.flow has 0 elements, not 1 to 32",
        "\"get\", | \"scan\", | m.json: $.steps.flow[0] is one of [delete, get, put, query, update], not 'scan'",
        "{\"flow\": | {\"tiers\": | m.json: $.steps has a member 'tiers'; known are [flow]",
        "[\"flow\"] | [\"Flow\"] | m.json: $.operations[0] is 1 to 32 letters, the first a small one",
        "\"rowsBefore\": 30 | \"rowsBefore\": 0 | m.json: $.loads[0].rowsBefore is 1 to 10000000, not 0",
        "\"bytes\": 9 | \"bytes\": 0 | m.json: $.loads[0].bytes is 1 to 65536, not 0",
        "\"kind\": \"mix\" | \"kind\": \"echo\" | m.json: $.operations[0] is one of",
      })
  void a_mix_that_cannot_be_is_refused_with_the_place(String part, String instead, String message) {
    assertThat(MIX).contains(part);
    String text = MIX.replaceFirst(Pattern.quote(part), Matcher.quoteReplacement(instead));
    assertThatThrownBy(() -> WorkloadFile.parse("m.json", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }
}
