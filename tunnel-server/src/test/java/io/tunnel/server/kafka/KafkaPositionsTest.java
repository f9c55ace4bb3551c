package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.KnownPosition;
import io.tunnel.server.changes.Bounds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KafkaPositionsTest {

  private static KafkaPositions positions(TestTable table) {
    return new KafkaPositions(
        table.offsets(), table.cluster.epochs(id -> Optional.ofNullable(table.places.get(id))));
  }

  @Test
  void a_number_that_is_no_epoch_of_kafka_shares_nothing_and_is_not_asked_for() throws Exception {
    KafkaEpochs unasked =
        new KafkaEpochs(
            TestKafka.config(),
            id -> Optional.empty(),
            () -> {
              throw new AssertionError("Kafka was asked");
            });
    KafkaPositions positions = new KafkaPositions(null, unasked);
    Map<Integer, KnownPosition> known =
        Map.of(
            1, new KnownPosition(7, Integer.MAX_VALUE + 2L),
            2, new KnownPosition(7, 1_764_000_000_000L),
            3, new KnownPosition(7, Long.MAX_VALUE));
    assertThat(get(positions.shared(known))).isEqualTo(Map.of(1, 0L, 2, 0L, 3, 0L));
  }

  @Test
  void what_was_seen_in_an_epoch_is_told_beside_numbers_that_are_none() throws Exception {
    try (TestTable table = new TestTable(2, 0)) {
      get(table.append(FIRST, change(0, "k", "v"), change(1, "k", "w"), change(2, "k", "x")));
      KafkaPositions positions = positions(table);
      long incarnation =
          get(positions.bounds(List.of(FIRST))).get(FIRST).incarnation().orElseThrow();
      Map<Integer, KnownPosition> known =
          Map.of(
              FIRST,
              new KnownPosition(1, incarnation),
              FIRST + 1,
              new KnownPosition(1, Long.MAX_VALUE));
      assertThat(get(positions.shared(known))).isEqualTo(Map.of(FIRST, 1L, FIRST + 1, 0L));
      for (long beyond : new long[] {3, Long.MAX_VALUE}) {
        assertThat(get(positions.shared(Map.of(FIRST, new KnownPosition(beyond, incarnation)))))
            .as("position %d", beyond)
            .containsEntry(FIRST, 2L);
      }
      assertThat(get(positions.shared(Map.of(FIRST, new KnownPosition(1, Integer.MAX_VALUE + 1L)))))
          .as("the last number that an epoch can have")
          .containsEntry(FIRST, 0L);
    }
  }

  @Test
  void bounds_are_told_of_each_partition_for_itself() throws Exception {
    try (TestTable table = new TestTable(2, 60_000)) {
      get(table.append(FIRST, change(0, "k", "v"), change(1, "k", "w")));
      KafkaPositions positions = positions(table);
      List<Integer> both = List.of(FIRST, FIRST + 1);
      Map<Integer, Bounds> together = get(positions.bounds(both));
      List<Integer> withOther = List.of(FIRST, FIRST + 1, 5);
      Map<Integer, CompletableFuture<Bounds>> ofEach = positions.boundsOfEach(withOther);
      assertThat(ofEach).containsOnlyKeys(FIRST, FIRST + 1, 5);
      for (int partition : both) {
        assertThat(get(ofEach.get(partition))).isEqualTo(together.get(partition));
      }
      assertThatThrownBy(() -> get(ofEach.get(5)))
          .hasCauseInstanceOf(LogUnavailableException.class)
          .hasMessageContaining("partition 5");
    }
  }
}
