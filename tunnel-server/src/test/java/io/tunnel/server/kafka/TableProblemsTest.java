package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class TableProblemsTest {

  private final Map<Integer, TableRecord> tableByPartition = new HashMap<>();
  private final List<AppendTopics.Table> asked = new ArrayList<>();
  private final Deque<CompletableFuture<List<String>>> answers = new ArrayDeque<>();
  private long nowNanos = -3;

  private final TableProblems problems =
      new TableProblems(
          partition -> Optional.ofNullable(tableByPartition.get(partition)),
          table -> {
            asked.add(table);
            answers.add(new CompletableFuture<>());
            return answers.getLast();
          },
          () -> nowNanos);

  private void table(int id, int... partitions) {
    List<PartitionRecord> parts = new ArrayList<>();
    for (int partition : partitions) {
      parts.add(new PartitionRecord(partition, Bytes.EMPTY, Bytes.EMPTY, List.of()));
    }
    TableMeta meta = new TableMeta("t" + id, TestRows.SCHEMA, TableOptions.DEFAULT);
    TableRecord table = new TableRecord(id, meta, 0, parts).withOrigin(Optional.of(origin(id)));
    for (int partition : partitions) {
      tableByPartition.put(partition, table);
    }
  }

  private static Bytes origin(int id) {
    return Bytes.fromHex(Integer.toHexString(0x10 + id).repeat(32));
  }

  @Test
  void all_partitions_of_a_table_cost_one_question_also_while_kafka_does_not_answer() {
    table(1, 10, 11);
    table(2, 12);
    CompletableFuture<Optional<String>> first = problems.of(10);
    CompletableFuture<Optional<String>> second = problems.of(11);
    CompletableFuture<Optional<String>> other = problems.of(12);
    assertThat(asked)
        .containsExactly(
            new AppendTopics.Table(1, 2, Optional.of(origin(1))),
            new AppendTopics.Table(2, 1, Optional.of(origin(2))));
    assertThat(first).isNotDone();
    answers.remove().complete(List.of("topic a is lost", "topic b is lost"));
    assertThat(first).isCompletedWithValue(Optional.of("topic a is lost; topic b is lost"));
    assertThat(second).isCompletedWithValue(Optional.of("topic a is lost; topic b is lost"));
    assertThat(other).isNotDone();
    answers.remove().complete(List.of());
    assertThat(other).isCompletedWithValue(Optional.empty());
  }

  @Test
  void an_answer_holds_for_some_seconds_from_the_question_on() {
    table(1, 10);
    var unused = problems.of(10);
    nowNanos += TableProblems.KNOWN_NANOS_MAX - 1;
    answers.remove().complete(List.of());
    assertThat(problems.of(10)).isCompletedWithValue(Optional.empty());
    assertThat(asked).hasSize(1);
    nowNanos++;
    CompletableFuture<Optional<String>> again = problems.of(10);
    assertThat(asked).hasSize(2);
    answers.remove().complete(List.of("wrong by now"));
    assertThat(again).isCompletedWithValue(Optional.of("wrong by now"));
  }

  @Test
  void a_failed_question_is_repeated_at_once() {
    table(1, 10);
    CompletableFuture<Optional<String>> failed = problems.of(10);
    answers.remove().completeExceptionally(new LogUnavailableException("no answer", null));
    assertThat(failed).isCompletedExceptionally();
    CompletableFuture<Optional<String>> again = problems.of(10);
    answers.remove().complete(List.of());
    assertThat(again).isCompletedWithValue(Optional.empty());
  }

  @Test
  void
      a_partition_that_the_catalog_of_this_node_lacks_is_asked_about_again_and_costs_no_question() {
    assertThat(problems.of(7))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("partition 7 is not in the catalog as far as this node has read it");
    assertThat(asked).isEmpty();
    table(1, 7);
    CompletableFuture<Optional<String>> known = problems.of(7);
    answers.remove().complete(List.of());
    assertThat(known).isCompletedWithValue(Optional.empty());
  }
}
