package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes while the leaders of partitions move between nodes. */
class ClusterWriteTest {

  /** Keys under 100 are partition 0's, led by node 0 at first; the others 1's, led by node 1. */
  private final FakeCluster cluster = new FakeCluster(3, 100);

  private final List<RowResult> results = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }

  private static RowChange row(long id, long value) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  private void add(TableWriter writer, long id, long value) {
    writer.add(
        row(id, value),
        (row, result) -> {
          results.add(result);
          calls.computeIfAbsent(id + "/" + value, k -> new AtomicInteger()).incrementAndGet();
        });
  }

  private void requireAllOnce(int rows) {
    assertThat(results).hasSize(rows).allMatch(result -> result.outcome() == Outcome.APPLIED);
    assertThat(calls).hasSize(rows);
    assertThat(calls.values()).allMatch(count -> count.get() == 1);
  }

  private TableClient connect(Duration retry) {
    return TableClient.connect(
        cluster.config().withRetryDeadline(retry).withWriteRetryDeadline(retry));
  }

  private TableClient connect() {
    return connect(Duration.ofSeconds(60));
  }

  private static TableWriterConfig writerConfig() {
    return TableWriterConfig.DEFAULTS.withLinger(Duration.ofHours(1));
  }

  @Test
  void each_partition_is_written_at_its_leader() {
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      add(writer, 100, 1);
      writer.flush();
    }
    requireAllOnce(2);
    assertThat(cluster.writes()).containsExactlyInAnyOrder("0: 0", "1: 1");
  }

  @Test
  void a_writer_that_knows_one_node_finds_the_others() {
    ClientConfig one = cluster.node(2).config();
    try (TableClient client = TableClient.connect(one);
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      add(writer, 100, 1);
      writer.flush();
    }
    requireAllOnce(2);
    assertThat(cluster.writes()).containsExactlyInAnyOrder("0: 0", "1: 1");
  }

  @Test
  void a_batch_follows_its_leader_and_the_next_goes_there_directly() {
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      cluster.lead(0, 2);
      add(writer, 1, 1);
      writer.flush();
      add(writer, 1, 2);
      writer.flush();
    }
    requireAllOnce(2);
    assertThat(cluster.writes()).containsExactly("0: 0", "2: 0", "2: 0");
    assertThat(cluster.table().valuesByKey()).containsEntry(1L, List.of(1L, 2L));
  }

  @Test
  void without_a_name_in_the_refusal_the_map_says_who_leads() {
    cluster.sayLeaders(false);
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      cluster.lead(0, 2);
      add(writer, 1, 1);
      writer.flush();
    }
    requireAllOnce(1);
    assertThat(cluster.writes()).containsExactly("0: 0", "2: 0");
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorCode.class,
      names = {"NOT_LEADER", "LOG_UNAVAILABLE"})
  void what_is_left_of_a_batch_goes_before_what_comes_later(ErrorCode code) {
    cluster.sayLeaders(false);
    cluster.cut(3, 2, code);
    int rows = 40;
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig().withBatchBytesMax(200))) {
      for (int i = 0; i < rows; i++) {
        add(writer, 5, i);
      }
      writer.flush();
      assertThat(writer.bufferedBytes()).isZero();
    }
    requireAllOnce(rows);
    assertThat(cluster.table().valuesByKey())
        .containsEntry(5L, LongStream.range(0, rows).boxed().toList());
    assertThat(results.stream().map(RowResult::position).toList())
        .isEqualTo(LongStream.rangeClosed(1, rows).boxed().toList());
  }

  @Test
  void a_flush_waits_for_what_is_left_of_a_batch() {
    cluster.cut(1, -1, ErrorCode.NOT_LEADER);
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      add(writer, 1, 2);
      Thread flush = new Thread(writer::flush);
      flush.start();
      Waits.until("the first row's outcome", () -> results.size() == 1);
      Waits.until("a second attempt", () -> cluster.writes().size() >= 2);
      assertThat(flush.isAlive()).isTrue();
      assertThat(results).hasSize(1);
      cluster.lead(0, 1);
      Waits.until("the end of the flush", () -> !flush.isAlive());
    }
    requireAllOnce(2);
  }

  @Test
  void the_rest_of_a_batch_that_nobody_takes_was_not_sent() {
    cluster.cut(1, -1, ErrorCode.NOT_LEADER);
    try (TableClient client = connect(Duration.ofMillis(200));
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      add(writer, 1, 2);
      writer.flush();
    }
    assertThat(results.stream().map(RowResult::outcome))
        .containsExactly(Outcome.APPLIED, Outcome.NOT_SENT);
    assertThat(results.get(1).error()).contains(ErrorCode.NOT_LEADER);
    assertThat(cluster.table().valuesByKey()).containsEntry(1L, List.of(1L));
  }

  @Test
  void an_answer_with_a_hole_leaves_the_batch_in_doubt() {
    cluster
        .node(0)
        .on(
            Operation.WRITE,
            (connection, frame) ->
                connection.answer(
                    frame,
                    new WriteResult(
                            1, 2, List.of(new WriteResult.Rejection(1, ErrorCode.NOT_LEADER)))
                        .encode()));
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      add(writer, 1, 2);
      add(writer, 1, 3);
      writer.flush();
    }
    assertThat(results).hasSize(3).allMatch(result -> result.outcome() == Outcome.IN_DOUBT);
  }

  @Test
  void a_dead_leader_makes_only_its_own_partition_wait() {
    CountDownLatch applied = new CountDownLatch(1);
    // Before anything is connected: a row that is sent on a connection as it ends is rightly in
    // doubt.
    cluster.node(0).goAway();
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig().withLinger(Duration.ZERO))) {
      add(writer, 1, 1);
      writer.add(row(100, 1), (row, result) -> applied.countDown());
      Waits.await(applied);
      assertThat(results).isEmpty();
      cluster.lead(0, 2);
      writer.flush();
    } finally {
      cluster.node(0).comeBack();
    }
    requireAllOnce(1);
    assertThat(cluster.writes()).contains("1: 1", "2: 0");
  }

  @Test
  void a_leader_that_dies_with_a_batch_leaves_it_in_doubt_and_the_next_goes_to_its_successor() {
    cluster
        .node(0)
        .on(
            Operation.WRITE,
            (connection, frame) -> {
              cluster.lead(0, 1);
              connection.drop();
            });
    try (TableClient client = connect();
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      writer.flush();
      assertThat(results.get(0).outcome()).isEqualTo(Outcome.IN_DOUBT);
      results.clear();
      calls.clear();
      cluster.node(0).goAway();
      add(writer, 1, 2);
      writer.flush();
    } finally {
      cluster.node(0).comeBack();
    }
    requireAllOnce(1);
    assertThat(cluster.table().valuesByKey()).containsEntry(1L, List.of(2L));
  }

  @Test
  void a_client_that_repeats_nothing_follows_a_leader_that_has_moved_and_remembers_it() {
    try (TableClient client = connect(Duration.ZERO);
        TableWriter writer = client.openWriter("t", writerConfig())) {
      cluster.lead(0, 2);
      add(writer, 1, 1);
      writer.flush();
      add(writer, 1, 2);
      writer.flush();
    }
    requireAllOnce(2);
    assertThat(cluster.writes()).containsExactly("0: 0", "2: 0", "2: 0");
  }

  @Test
  void a_client_that_repeats_nothing_remembers_who_leads_also_when_its_batch_is_given_up() {
    cluster.node(2).on(Operation.WRITE, (c, frame) -> c.sendOn(frame, address(1)));
    try (TableClient client = connect(Duration.ZERO);
        TableWriter writer = client.openWriter("t", writerConfig())) {
      cluster.lead(0, 2);
      add(writer, 1, 1);
      writer.flush();
      assertThat(results.get(0).outcome()).isEqualTo(Outcome.NOT_SENT);
      results.clear();
      calls.clear();
      cluster.lead(0, 1);
      add(writer, 1, 2);
      writer.flush();
    }
    requireAllOnce(1);
    assertThat(cluster.writes()).containsExactly("0: 0", "1: 0");
  }

  @Test
  void a_client_that_repeats_nothing_does_not_stay_with_a_leader_that_is_gone() {
    try (TableClient client = connect(Duration.ZERO);
        TableWriter writer = client.openWriter("t", writerConfig())) {
      cluster.node(0).goAway();
      cluster.lead(0, 2);
      add(writer, 1, 1);
      writer.flush();
      assertThat(results.get(0).outcome()).isNotEqualTo(Outcome.APPLIED);
      results.clear();
      calls.clear();
      add(writer, 1, 2);
      writer.flush();
    } finally {
      cluster.node(0).comeBack();
    }
    requireAllOnce(1);
    assertThat(cluster.table().valuesByKey()).containsEntry(1L, List.of(2L));
  }

  @Test
  void nodes_that_point_at_each_other_are_not_asked_in_a_spin() {
    cluster.node(0).on(Operation.WRITE, (c, frame) -> c.sendOn(frame, address(1)));
    AtomicInteger asked = new AtomicInteger();
    cluster
        .node(1)
        .on(
            Operation.WRITE,
            (c, frame) -> {
              asked.incrementAndGet();
              c.sendOn(frame, address(0));
            });
    try (TableClient client = connect(Duration.ofMillis(400));
        TableWriter writer = client.openWriter("t", writerConfig())) {
      add(writer, 1, 1);
      writer.flush();
    }
    assertThat(results.get(0).outcome()).isEqualTo(Outcome.NOT_SENT);
    assertThat(results.get(0).error()).contains(ErrorCode.NOT_LEADER);
    assertThat(asked).hasValueBetween(1, 12);
  }

  private Optional<String> address(int node) {
    return Optional.of(cluster.node(node).address());
  }

  @Test
  void leaders_that_move_all_the_time_keep_the_order_of_every_key() {
    int rows = 3_000;
    try (TableClient client = connect();
        TableWriter writer =
            client.openWriter(
                "t", TableWriterConfig.DEFAULTS.withBatchBytesMax(300).withLinger(Duration.ZERO))) {
      for (int i = 0; i < rows; i++) {
        add(writer, i % 2 == 0 ? 1 : 100, i);
        if (i % 100 == 0) {
          cluster.lead(0, i / 100 % 3);
          cluster.sayLeaders(i % 200 == 0);
          cluster.cut(1 + i % 5, (i / 100 + 1) % 3, ErrorCode.NOT_LEADER);
        }
      }
      writer.flush();
    }
    requireAllOnce(rows);
    assertThat(cluster.table().valuesByKey().get(1L))
        .isEqualTo(LongStream.range(0, rows).filter(i -> i % 2 == 0).boxed().toList());
    assertThat(cluster.table().valuesByKey().get(100L))
        .isEqualTo(LongStream.range(0, rows).filter(i -> i % 2 == 1).boxed().toList());
  }
}
