package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.Workload.Parties;
import io.tunnel.programs.bench.seeds.Workload.Times;
import io.tunnel.programs.bench.seeds.queue.MessageCase;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueLoadsTest {

  private static final String QUEUE =
      "{\"seed\": \"q\", \"kind\": \"queue\", \"title\": \"t\", \"publishedOn\": \"p\","
          + " \"operations\": [\"P_T\", \"nP_D_nT\"], \"warmUpSeconds\": 0, \"seconds\": 1,"
          + " \"loads\": [{\"senders\": 6, \"receivers\": 4, \"connections\": 2, \"queues\": 3,"
          + " \"bytes\": 100}], \"columns\": [\"sentPerSecond\"], \"published\": [{\"operation\":"
          + " \"P_T\", \"senders\": 6, \"bytes\": 100, \"sentPerSecond\": 7}]}";

  @Test
  void a_load_has_the_operations_of_its_kind_and_the_figures_of_its_size() {
    Workload workload = WorkloadFile.parse("q.json", QUEUE);
    Load load = workload.loads().get(0);
    assertThat(load)
        .isEqualTo(
            new Load(
                6,
                100,
                0,
                0,
                Optional.empty(),
                Optional.of(new Parties(4, 2, 3, false, List.of("P_T")))));
    assertThat(workload.operations(load)).containsExactly("P_T");
    assertThat(load.connections()).as("2 of senders, 2 of receivers, 4 of workers").isEqualTo(8);
    assertThat(workload.published("P_T", load, Optional.empty()))
        .isEqualTo(Map.of(Figure.SENT_PER_SECOND, 7.0));
    Load larger = new Load(6, 200, 0, 0, Optional.empty(), load.parties());
    assertThat(workload.published("P_T", larger, Optional.empty())).isEmpty();
    assertThat(QueueLoads.messageCase(workload, load, "P_T"))
        .isEqualTo(new MessageCase(MessageCase.Way.named("P_T"), 6, 4, 2, 3, 100, 0, 1));
  }

  @Test
  void senders_have_no_more_open_than_the_load_has_room_for() {
    String most = QUEUE.replace("\"senders\": 6", "\"senders\": 1000");
    assertThat(WorkloadFile.parse("q.json", most.replace("\"bytes\": 100}]", "\"bytes\": 53687}]")))
        .isNotNull();
    assertThatThrownBy(
            () ->
                WorkloadFile.parse(
                    "q.json", most.replace("\"bytes\": 100}]", "\"bytes\": 53688}]")))
        .hasMessage(
            "q.json: $.loads[0] has 1,000 senders of 53,688 bytes: five messages of each are"
                + " 268,440,000 bytes, and 268,435,456 are the most");
  }

  @Test
  void a_scaled_load_has_a_sender_and_a_receiver_for_each_destination() {
    Load load =
        new Load(
            500,
            1_000,
            0,
            0,
            Optional.empty(),
            Optional.of(new Parties(500, 50, 20, false, List.of("P_T"))));
    assertThat(load.scaled(0.1).parties()).contains(new Parties(50, 5, 2, false, List.of("P_T")));
    assertThat(load.scaled(0.001))
        .isEqualTo(
            new Load(
                1,
                1_000,
                0,
                0,
                Optional.empty(),
                Optional.of(new Parties(1, 1, 1, false, List.of("P_T")))));
    assertThat(new Times(3, 10).scaled(0.1)).isEqualTo(new Times(1, 3));
    assertThat(new Times(3, 10).scaled(0.5)).isEqualTo(new Times(2, 5));
    assertThat(new Times(0, 1).scaled(0.5)).isEqualTo(new Times(0, 1));
  }

  @Test
  void the_seed_of_jtang_has_both_rates_for_each_case_of_the_document() throws IOException {
    Workload jtang = WorkloadFile.own("004");
    assertThat(jtang.kind()).isEqualTo(Kind.QUEUE);
    int cases = 0;
    for (Load load : jtang.loads()) {
      for (String operation : jtang.operations(load)) {
        Map<Figure, Double> figures = jtang.published(operation, load, Optional.empty());
        boolean isCached = figures.containsKey(Figure.SENT_DISK_CACHE);
        assertThat(figures)
            .as("%s of %s", operation, load)
            .containsKeys(
                isCached ? Figure.SENT_DISK_CACHE : Figure.SENT_PER_SECOND,
                isCached ? Figure.RECEIVED_DISK_CACHE : Figure.RECEIVED_PER_SECOND);
        cases++;
      }
    }
    assertThat(cases).isEqualTo(4 * 8 + 8 * 3 + 4 * 4).isEqualTo(jtang.published().size());
    Load last = jtang.loads().get(jtang.loads().size() - 1);
    assertThat(jtang.published("P_D_T", last, Optional.empty()).get(Figure.RECEIVED_PER_SECOND))
        .isEqualTo(71.8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"senders\": 6, | '' | m.json: $.loads[0] has no member 'senders'",
        "\"senders\": 6, | \"senders\": 1001, | m.json: $.loads[0].senders is 1 to 1000, not 1001",
        "\"receivers\": 4 | \"receivers\": 0 | m.json: $.loads[0].receivers is 1 to 1000, not 0",
        "\"connections\": 2 | \"connections\": 7 | m.json: $.loads[0].connections is 1 to 6, not 7",
        "\"queues\": 3 | \"queues\": 5 | m.json: $.loads[0].queues is 1 to 4, not 5",
        "\"queues\": 3, | '' | m.json: $.loads[0] has either 'queues' or 'topics'",
        "\"queues\": 3 | \"queues\": 3, \"topics\": 3 | m.json: $.loads[0] has either 'queues' or",
        "\"bytes\": 100} | \"bytes\": 19} | m.json: $.loads[0].bytes is 20 to 200000, not 19",
        "\"bytes\": 100} | \"bytes\": 1e6} | m.json: $.loads[0].bytes is 20 to 200000, not 1",
        "\"bytes\": 100} | \"bytes\": 100, \"clients\": 1} | m.json: $.loads[0] has a member 'cl",
        "\"bytes\": 100} | \"bytes\": 100, \"operations\": [\"nP_D_nT\"]} | m.json:"
            + " $.loads[0].operations[0] is one of [P_T], not 'nP_D_nT'",
        "\"P_T\", \"nP_D_nT\"] | \"nP_D_nT\"] | m.json: $.loads[0] has none of the workload's oper",
        "\"P_T\", \"nP | \"PT\", \"nP | m.json: $.operations[0] is one of [P_D_T, P_D_nT, P_T, ",
        "\"warm | \"threads\": [1], \"warm | m.json: $.threads is for echo, registry, mix",
        "\"seconds\": 1 | \"seconds\": 0 | m.json: $.seconds is 1 to 600, not 0",
        "{\"operation\": \"P_T\", \"senders\" | {\"operation\": \"P_T\", \"clients\" | m.json:"
            + " $.published[0] has a member 'clients'; known are",
      })
  void a_file_that_cannot_be_is_refused_with_its_name_and_the_place(
      String part, String instead, String message) {
    assertThat(QUEUE).contains(part);
    String text = QUEUE.replaceFirst(Pattern.quote(part), Matcher.quoteReplacement(instead));
    assertThatThrownBy(() -> WorkloadFile.parse("m.json", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }
}
