package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.seeds.Workload.Audience;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.publish.PublishCase;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublishLoadsTest {

  private static final String PUBLISH =
      "{\"seed\": \"p\", \"kind\": \"publish\", \"title\": \"t\", \"publishedOn\": \"p\","
          + " \"operations\": [\"createDelete\", \"notifyRead\"], \"warmUpSeconds\": 2,"
          + " \"seconds\": 5, \"loads\": [{\"publishers\": 10, \"subscribersOfPath\": 3,"
          + " \"pathsOfPublisher\": 20, \"bytes\": 64, \"servers\": 3}],"
          + " \"columns\": [\"perSecond\"], \"published\": [{\"operation\": \"notifyRead\","
          + " \"publishers\": 10, \"bytes\": 64, \"recentPerSecond\": 7}]}";

  @Test
  void a_load_says_who_publishes_and_who_follows() {
    Workload workload = WorkloadFile.parse("p.json", PUBLISH);
    Load load = workload.loads().get(0);
    assertThat(load.audience())
        .contains(new Audience(3, 20, List.of("createDelete", "notifyRead")));
    assertThat(load.servers()).isEqualTo(3);
    assertThat(load.connections()).as("10 publishers, 30 subscribers").isEqualTo(40);
    assertThat(load.rows()).isEqualTo(200);
    assertThat(workload.published("notifyRead", load, Optional.empty()))
        .isEqualTo(Map.of(Figure.RECENT_PER_SECOND, 7.0));
    assertThat(PublishLoads.publishCase(workload, load, "notifyRead"))
        .isEqualTo(new PublishCase(Action.NOTIFY_READ, 10, 3, 20, 64, 2, 5));
    Load smaller = load.scaled(0.1);
    assertThat(smaller.clients()).isEqualTo(1);
    assertThat(smaller.audience()).as("each path as before").isEqualTo(load.audience());
  }

  @Test
  void an_operation_without_subscribers_needs_no_connection_for_them() {
    Workload workload =
        WorkloadFile.parse(
            "p.json",
            PUBLISH
                .replace("\"createDelete\", \"notifyRead\"", "\"set\"")
                .replace("\"operation\": \"notifyRead\"", "\"operation\": \"set\""));
    assertThat(workload.loads().get(0).connections()).isEqualTo(10);
  }

  @Test
  void the_document_has_200_000_paths_of_1_000_publishers_and_3_000_subscribers()
      throws IOException {
    Workload zooKeeper = WorkloadFile.own("000");
    List<Load> notified =
        zooKeeper.loads().stream()
            .filter(load -> zooKeeper.operations(load).contains("notify"))
            .toList();
    assertThat(notified).hasSize(8).allMatch(load -> load.connections() == 4_000);
    assertThat(notified).allMatch(load -> load.rows() == 200_000);
    assertThat(notified).allMatch(load -> PublishLoads.partitions(load) == 4);
    for (Load load : zooKeeper.loads()) {
      for (String operation : zooKeeper.operations(load)) {
        assertThat(zooKeeper.published(operation, load, Optional.empty()))
            .as("%s of %s", operation, load)
            .containsKeys(Figure.RECENT_PER_SECOND, Figure.RECENT_MS);
      }
    }
  }

  @Test
  void the_needs_of_the_document_are_said_before_anything_starts() throws IOException {
    List<Workload> seed = List.of(WorkloadFile.own("000"));
    Needs needs = Needs.of(seed, 1);
    assertThat(needs.descriptors()).isEqualTo(512 + 4 * 4_000);
    assertThat(needs.memoryBytes()).isGreaterThan(7L << 30);
    assertThatExceptionOfType(CommandFailure.class)
        .isThrownBy(() -> needs.require(new Needs(1_024, 28_000, 40L << 30, 40L << 30), "go"))
        .withMessageContaining("needs 16512 descriptors a process, and the limit is 1024")
        .withMessageContaining("ulimit -n 16512");
    assertThat(Needs.of(seed, 0.01).descriptors()).isLessThan(1_024);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"publishers\": 10, \"subs | \"publishers\": 0, \"subs | $.loads[0].publishers is 1 to 1000",
        "\"servers\": 3 | \"servers\": 6 | $.loads[0].servers is 1 to 5, not 6",
        "\"bytes\": 64, \"servers | \"bytes\": 7, \"servers | $.loads[0].bytes is 8 to 65536, not 7",
        "\"pathsOfPublisher\": 20 | \"pathsOfPublisher\": 1001 | $.loads[0].pathsOfPublisher is 1 to",
        "\"subscribersOfPath\": 3 | \"subscribers\": 3 | $.loads[0] has a member 'subscribers'",
        "\"createDelete\" | \"create\" | $.operations[0] is one of [createDelete, notify, notifyRead,",
        "\"warmUpSeconds\": 2 | \"threads\": [1], \"warmUpSeconds\": 2 | $.threads is for echo, registry,",
      })
  void a_load_that_cannot_be_is_refused_with_the_place(
      String part, String instead, String message) {
    assertThat(PUBLISH).contains(part);
    String text = PUBLISH.replaceFirst(Pattern.quote(part), Matcher.quoteReplacement(instead));
    assertThatThrownBy(() -> WorkloadFile.parse("m.json", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("m.json: " + message);
  }
}
