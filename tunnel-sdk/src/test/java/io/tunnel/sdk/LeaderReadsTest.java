package io.tunnel.sdk;

import static io.tunnel.sdk.ThreeNodes.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows are read where their partitions are led. */
class LeaderReadsTest {

  private final ThreeNodes nodes = new ThreeNodes();
  private final FakeCluster cluster = nodes.cluster;
  private final List<String> asked = nodes.asked;

  @AfterEach
  void close() {
    nodes.close();
  }

  private static byte[] batch(List<Long> ids) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 100);
    for (long id : ids) {
      builder.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", id).build(),
              List.of(new Column("v", ColumnValue.fromLong(id)))));
    }
    return builder.build(1);
  }

  private static byte[] page(Optional<Bytes> next, List<Long> ids) {
    return RowPage.encode(next, new RowPage.Looked(ids.size(), 1), batch(ids), Optional.empty());
  }

  /** Partition 0 has the rows 1 to 5 and 1 has 101 to 105; a page is of one partition. */
  private void serveRows() {
    for (int i = 0; i < 3; i++) {
      int index = i;
      cluster
          .node(i)
          .on(
              Operation.GET_ROW,
              (c, frame) -> {
                long id = FakeTable.id(GetRowRequest.decode(frame.payload()).key());
                if (leads(c, frame, index, id < 100 ? 0 : 1)) {
                  c.answer(frame, page(Optional.empty(), List.of(id)));
                }
              });
      cluster.node(i).on(Operation.GET_RANGE, (c, frame) -> page(c, frame, index));
    }
  }

  private boolean leads(FakeConnection connection, Frame frame, int node, int partition) {
    asked.add(node + " " + frame.operation() + " " + partition);
    boolean leads = cluster.leader(partition).equals(Optional.of(cluster.node(node).address()));
    if (!leads) {
      connection.sendOn(frame, cluster.leader(partition));
    }
    return leads;
  }

  private void page(FakeConnection connection, Frame frame, int node) {
    RangeRequest request = RangeRequest.decode(frame.payload());
    Bytes split = KeyCodec.encode(PrimaryKeyValue.fromLong(100));
    boolean isForward = request.direction() == Direction.FORWARD;
    boolean isFirst =
        isForward
            ? request.from().compareTo(split) < 0
            : request.to().length() > 0 && request.to().compareTo(split) <= 0;
    if (leads(connection, frame, node, isFirst ? 0 : 1)) {
      List<Long> ids = new ArrayList<>(List.of(1L, 2L, 3L, 4L, 5L));
      ids.replaceAll(id -> isFirst ? id : id + 100);
      if (!isForward) {
        Collections.reverse(ids);
      }
      boolean isLast = isForward != isFirst;
      connection.answer(frame, page(isLast ? Optional.empty() : Optional.of(split), ids));
    }
  }

  private static List<Long> ids(Iterable<Row> rows) {
    List<Long> ids = new ArrayList<>();
    rows.forEach(row -> ids.add(row.value("v").orElseThrow().asLong()));
    return ids;
  }

  @Test
  void rows_are_read_at_the_leader_of_their_partition_and_ranges_page_by_page() {
    serveRows();
    try (TableClient client = nodes.tables(2)) {
      assertThat(client.getRow("t", PrimaryKey.builder().add("id", 5).build())).isPresent();
      assertThat(client.getRow("t", PrimaryKey.builder().add("id", 100).build())).isPresent();
      assertThat(ids(client.getRange("t", RangeQuery.ALL)))
          .containsExactly(1L, 2L, 3L, 4L, 5L, 101L, 102L, 103L, 104L, 105L);
      assertThat(ids(client.getRange("t", RangeQuery.ALL.backward())))
          .containsExactly(105L, 104L, 103L, 102L, 101L, 5L, 4L, 3L, 2L, 1L);
    }
    assertThat(asked)
        .containsExactly(
            "0 GET_ROW 0",
            "1 GET_ROW 1",
            "0 GET_RANGE 0",
            "1 GET_RANGE 1",
            "1 GET_RANGE 1",
            "0 GET_RANGE 0");
  }

  @Test
  void a_read_follows_a_leader_that_has_moved() {
    serveRows();
    PrimaryKey key = PrimaryKey.builder().add("id", 5).build();
    try (TableClient client = nodes.tables(2)) {
      assertThat(client.getRow("t", key)).isPresent();
      cluster.lead(0, 1);
      assertThat(client.getRow("t", key)).isPresent();
      assertThat(client.getRow("t", key)).isPresent();
      cluster.node(1).goAway();
      cluster.lead(0, 2);
      assertThat(client.getRow("t", key)).isPresent();
    }
    cluster.node(1).comeBack();
    assertThat(asked)
        .containsExactly("0 GET_ROW 0", "0 GET_ROW 0", "1 GET_ROW 0", "1 GET_ROW 0", "2 GET_ROW 0");
  }

  @Test
  void nodes_learned_from_a_partition_map_are_used_when_the_first_one_dies() {
    for (int i = 0; i < 3; i++) {
      cluster
          .node(i)
          .on(
              Operation.LIST_TABLES,
              (c, frame) -> answer(c, frame, new Control.TableList(List.of("t"))));
    }
    serveRows();
    try (TableClient client = nodes.tables(2)) {
      assertThat(client.getRow("t", PrimaryKey.builder().add("id", 5).build())).isPresent();
      cluster.node(2).goAway();
      assertThat(client.listTables()).containsExactly("t");
    }
    cluster.node(2).comeBack();
  }
}
