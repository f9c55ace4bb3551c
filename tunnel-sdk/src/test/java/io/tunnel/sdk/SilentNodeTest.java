package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that takes requests and says nothing any more, as a process that was stopped. */
class SilentNodeTest {

  private static final Duration DEADLINE = Duration.ofSeconds(6);
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 5).build();

  /** Partition 0 has all keys under 100; node 0 leads it at first. */
  private final FakeCluster cluster = new FakeCluster(3, 100);

  private final long startedNanos = System.nanoTime();

  @BeforeEach
  void serve() {
    for (int i = 0; i < 3; i++) {
      int node = i;
      cluster.node(i).on(Operation.GET_ROW, (connection, frame) -> row(node, connection, frame));
      cluster
          .node(i)
          .on(
              Operation.LIST_TABLES,
              (connection, frame) ->
                  connection.answer(frame, Json.encode(new Control.TableList(List.of("t")))));
    }
  }

  private void row(int node, FakeConnection connection, Frame frame) {
    if (cluster.leader(0).equals(Optional.of(cluster.node(node).address()))) {
      BatchBuilder row = new BatchBuilder(FakeTable.meta().primaryKey(), 100);
      row.add(new RowPutChange(KEY, List.of(new Column("v", ColumnValue.fromLong(node)))));
      connection.answer(
          frame,
          RowPage.encode(
              Optional.empty(), new RowPage.Looked(1, 1), row.build(0), Optional.empty()));
    } else {
      connection.sendOn(frame, cluster.leader(0));
    }
  }

  @AfterEach
  void close() {
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }

  private void silence(int node) {
    for (Operation operation : Operation.values()) {
      cluster.node(node).on(operation, (connection, frame) -> {});
    }
  }

  private static TableClient connect(ClientConfig config) {
    return connect(config, DEADLINE);
  }

  private static TableClient connect(ClientConfig config, Duration deadline) {
    return TableClient.connect(
        config.withRequestDeadline(deadline).withConnectDeadline(Duration.ofMillis(300)));
  }

  private static CompletableFuture<BatchWriteResult> write(TableClient client) {
    return client.tryWriteAsync(
        "t", List.of(new RowPutChange(KEY, List.of(new Column("v", ColumnValue.fromLong(1))))));
  }

  private static long read(TableClient client) {
    return client.getRow("t", KEY).orElseThrow().value("v").orElseThrow().asLong();
  }

  private void requireLongBeforeTheDeadline() {
    assertThat(System.nanoTime() - startedNanos).isLessThan(DEADLINE.toNanos());
  }

  @Test
  void a_read_leaves_it_for_its_successor() {
    try (TableClient client = connect(cluster.node(1).config())) {
      assertThat(read(client)).isZero();
      silence(0);
      cluster.lead(0, 2);
      assertThat(read(client)).isEqualTo(2);
      assertThat(read(client)).isEqualTo(2);
    }
    requireLongBeforeTheDeadline();
  }

  @Test
  void what_any_node_can_be_asked_is_asked_of_another() {
    try (TableClient client = connect(cluster.config())) {
      assertThat(client.listTables()).containsExactly("t");
      for (int i = 0; i < 3; i++) {
        if (!cluster.node(i).connections().isEmpty()) {
          silence(i);
        }
      }
      assertThat(client.listTables()).containsExactly("t");
    }
    requireLongBeforeTheDeadline();
  }

  @Test
  void a_write_waits_for_it_and_is_in_doubt() {
    try (TableClient client = connect(cluster.config(), Duration.ofSeconds(2))) {
      assertThat(write(client).join().allApplied()).isTrue();
      assertThat(read(client)).isZero();
      silence(0);
      cluster.lead(0, 2);
      CompletableFuture<BatchWriteResult> written = write(client);
      assertThat(read(client)).isEqualTo(2);
      assertThat(written).isNotDone();
      assertThat(written.join().count(RowResult.Outcome.IN_DOUBT)).isEqualTo(1);
      assertThat(cluster.table().valuesByKey()).containsEntry(5L, List.of(1L));
    }
  }

  @Test
  void a_client_that_knows_no_other_says_so_before_the_deadline() {
    ClientConfig config =
        cluster
            .node(0)
            .config()
            .withRetryDeadline(Duration.ofMillis(500))
            .withWriteRetryDeadline(Duration.ofMillis(500));
    try (TableClient client = connect(config)) {
      assertThat(client.listTables()).containsExactly("t");
      silence(0);
      assertThatThrownBy(client::listTables).isInstanceOf(ConnectionException.class);
    }
    requireLongBeforeTheDeadline();
  }
}
