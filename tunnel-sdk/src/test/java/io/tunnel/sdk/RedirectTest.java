package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Bytes;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.answer.ClusterAnswers;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.ClusterControl.ClusterDescription;
import io.tunnel.wire.ClusterControl.CopyStatus;
import io.tunnel.wire.ClusterControl.DrainNode;
import io.tunnel.wire.ClusterControl.NodeDescription;
import io.tunnel.wire.ClusterControl.NodeStatus;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of every kind to nodes that do not decide about them. */
@Timeout(60)
class RedirectTest {

  private static final Duration RETRY = Duration.ofSeconds(10);

  private final FakeCluster cluster = new FakeCluster(3, 100);
  private final List<String> asked = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }

  /** Node {@code leader} answers that operation, and the others send it on there. */
  private void decides(int leader, Operation operation, FakeServer.Handler handler) {
    for (int i = 0; i < 3; i++) {
      int index = i;
      cluster
          .node(i)
          .on(
              operation,
              (connection, frame) -> {
                asked.add(index + " " + operation);
                if (index == leader) {
                  handler.handle(connection, frame);
                } else {
                  connection.sendOn(frame, Optional.of(cluster.node(leader).address()));
                }
              });
    }
  }

  private static void answer(FakeConnection connection, Frame frame, Control answer) {
    connection.answer(frame, Json.encode(answer));
  }

  private static TableDescription table() {
    PartitionDescription all =
        new PartitionDescription(0, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0, true, 0, 0, 1, 0);
    return new TableDescription(7, FakeTable.meta(), 0, List.of(all));
  }

  /** A client whose first node is that one: it knows no other. */
  private TableClient tables(int first) {
    return TableClient.connect(cluster.node(first).config().withRetryDeadline(RETRY));
  }

  @Test
  void tables_are_made_altered_and_dropped_where_the_catalog_is() {
    decides(2, Operation.CREATE_TABLE, (c, frame) -> answer(c, frame, table()));
    decides(2, Operation.ALTER_TABLE, (c, frame) -> answer(c, frame, table()));
    decides(2, Operation.DROP_TABLE, (c, frame) -> c.answer(frame, new byte[0]));
    try (TableClient client = tables(0)) {
      assertThat(client.createTable(FakeTable.meta(), List.of()).tableId()).isEqualTo(7);
      var unused = client.alterTable("t", TableOptions.DEFAULT);
      client.dropTable("t");
    }
    // Once sent on, the others go there directly.
    assertThat(asked)
        .containsExactly("0 CREATE_TABLE", "2 CREATE_TABLE", "2 ALTER_TABLE", "2 DROP_TABLE");
  }

  private static Control.TunnelInfo tunnel(String table, String name) {
    return new Control.TunnelInfo(
        "id-" + table + "-" + name, name, table, TunnelType.Stream, StreamStart.LATEST, 0);
  }

  @Test
  void tunnels_are_asked_of_the_node_that_has_the_tables_group() {
    decides(1, Operation.CREATE_TUNNEL, (c, frame) -> answer(c, frame, tunnel("t", "a")));
    decides(1, Operation.PAUSE, (c, frame) -> c.answer(frame, new byte[0]));
    decides(
        1,
        Operation.DESCRIBE_TUNNEL,
        (c, frame) -> answer(c, frame, new Control.TunnelDescription(tunnel("t", "a"), List.of())));
    decides(
        1,
        Operation.LIST_TUNNELS,
        (c, frame) -> answer(c, frame, new Control.TunnelList(List.of(tunnel("t", "a")))));
    ClientConfig config = cluster.node(0).config().withRetryDeadline(RETRY);
    try (TunnelClient client = new TunnelClient(config)) {
      var created = client.createTunnel(new CreateTunnelRequest("t", "a", TunnelType.Stream));
      assertThat(created.getTunnelId()).isEqualTo("id-t-a");
      var described = client.describeTunnel(new DescribeTunnelRequest("t", "a"));
      assertThat(described.getChannelInfos()).isEmpty();
      var paused = client.pauseTunnel(new PauseTunnelRequest("t", "a"));
      assertThat(paused).isNotNull();
      assertThat(client.listTunnel(new ListTunnelRequest("t")).getTunnelInfos()).hasSize(1);
    }
    assertThat(asked)
        .containsExactly(
            "0 CREATE_TUNNEL", "1 CREATE_TUNNEL", "1 DESCRIBE_TUNNEL", "1 PAUSE", "1 LIST_TUNNELS");
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

  private static long id(Bytes key) {
    byte[] bytes = key.toByteArray();
    return KeyCodec.decode(bytes, 0, bytes.length, FakeTable.meta().primaryKey())
        .getPrimaryKeyColumns()
        .get(0)
        .getValue()
        .asLong();
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
                long id = id(GetRowRequest.decode(frame.payload()).key());
                if (leads(c, frame, index, id < 100 ? 0 : 1)) {
                  c.answer(frame, batch(List.of(id)));
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
      connection.answer(
          frame, RangePage.encode(isLast ? Optional.empty() : Optional.of(split), batch(ids)));
    }
  }

  private static List<Long> ids(Iterable<Row> rows) {
    List<Long> ids = new ArrayList<>();
    rows.forEach(row -> ids.add(row.value("v").asLong()));
    return ids;
  }

  @Test
  void rows_are_read_at_the_leader_of_their_partition_and_ranges_page_by_page() {
    serveRows();
    try (TableClient client = tables(2)) {
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
    try (TableClient client = tables(2)) {
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
  void nodes_that_point_at_each_other_end_in_an_error_that_says_so() {
    AtomicInteger count = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      int next = (i + 1) % 3;
      cluster
          .node(i)
          .on(
              Operation.CREATE_TABLE,
              (c, frame) -> {
                count.incrementAndGet();
                c.sendOn(frame, Optional.of(cluster.node(next).address()));
              });
    }
    ClientConfig config = cluster.config().withRetryDeadline(Duration.ofMillis(400));
    try (TableClient client = TableClient.connect(config)) {
      assertThatThrownBy(() -> client.createTable(FakeTable.meta(), List.of()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("was sent on")
          .hasMessageContaining("none of the nodes decides about catalog");
    }
    assertThat(count).hasValueBetween(3, 12);
  }

  @Test
  void a_redirect_is_followed_even_when_nothing_is_repeated() {
    decides(2, Operation.CREATE_TABLE, (c, frame) -> answer(c, frame, table()));
    ClientConfig config = cluster.node(0).config().withRetryDeadline(Duration.ZERO);
    try (TableClient client = TableClient.connect(config)) {
      assertThat(client.createTable(FakeTable.meta(), List.of()).tableId()).isEqualTo(7);
    }
  }

  @Test
  void a_node_that_knows_no_leader_or_no_log_is_left_for_another() {
    for (ErrorCode code : List.of(ErrorCode.NOT_LEADER, ErrorCode.LOG_UNAVAILABLE)) {
      for (int i = 0; i < 3; i++) {
        boolean works = i == 2;
        cluster
            .node(i)
            .on(
                Operation.LIST_TABLES,
                (c, frame) -> {
                  if (works) {
                    answer(c, frame, new Control.TableList(List.of("t")));
                  } else {
                    c.refuse(frame, code);
                  }
                });
      }
      try (TableClient client = TableClient.connect(cluster.config().withRetryDeadline(RETRY))) {
        assertThat(client.listTables()).containsExactly("t");
        assertThat(client.listTables()).containsExactly("t");
      }
    }
  }

  @Test
  void a_client_connects_to_whichever_node_is_there_and_goes_on_when_it_dies() {
    for (int i = 0; i < 3; i++) {
      cluster
          .node(i)
          .on(
              Operation.LIST_TABLES,
              (c, frame) -> answer(c, frame, new Control.TableList(List.of("t"))));
    }
    cluster.node(0).goAway();
    cluster.node(1).goAway();
    try (TableClient client = TableClient.connect(cluster.config().withRetryDeadline(RETRY))) {
      assertThat(client.listTables()).containsExactly("t");
      cluster.node(0).comeBack();
      cluster.node(2).goAway();
      assertThat(client.listTables()).containsExactly("t");
    }
    cluster.node(1).comeBack();
    cluster.node(2).comeBack();
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
    try (TableClient client = tables(2)) {
      assertThat(client.getRow("t", PrimaryKey.builder().add("id", 5).build())).isPresent();
      cluster.node(2).goAway();
      assertThat(client.listTables()).containsExactly("t");
    }
    cluster.node(2).comeBack();
  }

  private static List<Long> rowCounts(TableClient client) {
    return client.describeTable("t").partitions().stream()
        .map(partition -> partition.figures().orElseThrow().rowCount())
        .toList();
  }

  @Test
  void a_tables_figures_are_gathered_from_the_leaders() {
    try (TableClient client = tables(2)) {
      assertThat(rowCounts(client)).containsExactly(10L, 20L);
    }
  }

  @Test
  void figures_of_a_partition_that_moves_are_asked_for_again() {
    AtomicInteger rounds = new AtomicInteger();
    FakeServer.Handler none =
        (c, frame) -> {
          // The map is old: node 0 is said to lead, which says at once that it does not.
          rounds.incrementAndGet();
          c.answer(frame, cluster.table().description(List.of(address(1), address(1))));
        };
    cluster
        .node(0)
        .on(
            Operation.DESCRIBE_TABLE,
            (c, frame) -> {
              if (rounds.get() == 0) {
                c.answer(frame, cluster.table().description(List.of(address(0), address(2))));
                rounds.incrementAndGet();
              } else {
                none.handle(c, frame);
              }
            });
    cluster.lead(0, 1);
    try (TableClient client = tables(0)) {
      assertThat(rowCounts(client)).containsExactly(10L, 20L);
    }
  }

  @Test
  void figures_that_no_leader_tells_are_an_error_that_names_the_partitions() {
    cluster.lead(1, -1);
    try (TableClient client = tables(2)) {
      assertThatThrownBy(() -> client.describeTable("t"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("[1]");
    }
  }

  private Optional<String> address(int node) {
    return Optional.of(cluster.node(node).address());
  }

  private ClusterDescription describe() {
    List<NodeDescription> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      nodes.add(
          new NodeDescription(
              "n" + i,
              "i",
              cluster.node(i).address(),
              false,
              List.of(i),
              List.of(),
              i < 2 ? 8 : 0,
              i == 0));
    }
    return new ClusterDescription("c", 4, "n0", nodes);
  }

  @Test
  void the_tunnels_of_all_tables_are_gathered_from_the_nodes_that_have_groups() {
    for (int i = 0; i < 3; i++) {
      String table = "t" + (2 - i);
      cluster.node(i).on(Operation.DESCRIBE_CLUSTER, (c, frame) -> answer(c, frame, describe()));
      cluster
          .node(i)
          .on(
              Operation.LIST_TUNNELS,
              (c, frame) -> answer(c, frame, new Control.TunnelList(List.of(tunnel(table, "a")))));
    }
    try (TunnelClient client = new TunnelClient(cluster.node(2).config())) {
      assertThat(client.listTunnel(new ListTunnelRequest((String) null)).getTunnelInfos())
          .extracting(TunnelInfo::getTableName)
          .containsExactly("t1", "t2");
    }
  }

  @Test
  void a_server_that_is_no_cluster_is_asked_once_whether_it_is_one() {
    AtomicInteger questions = new AtomicInteger();
    FakeServer server = cluster.node(0);
    server.on(
        Operation.DESCRIBE_CLUSTER,
        (c, frame) -> {
          questions.incrementAndGet();
          c.refuse(frame, ErrorCode.INVALID_REQUEST);
        });
    server.on(
        Operation.LIST_TUNNELS,
        (c, frame) -> answer(c, frame, new Control.TunnelList(List.of(tunnel("t", "a")))));
    try (TunnelClient client = new TunnelClient(server.config())) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.listTunnel(new ListTunnelRequest((String) null)).getTunnelInfos())
            .hasSize(1);
      }
    }
    assertThat(questions).hasValue(1);
  }

  @Test
  void operators_see_the_cluster_and_empty_a_node() {
    cluster.node(0).on(Operation.DESCRIBE_CLUSTER, (c, frame) -> answer(c, frame, describe()));
    NodeStatus status = new NodeStatus("n1", List.of(new CopyStatus(3, "LEADING", 5, 7, 9)));
    cluster.node(1).on(Operation.DESCRIBE_NODE, (c, frame) -> answer(c, frame, status));
    cluster
        .node(1)
        .on(
            Operation.DRAIN_NODE,
            (c, frame) -> {
              asked.add("drain " + Json.decode(frame.payload(), DrainNode.class).isDraining());
              c.answer(frame, new byte[0]);
            });
    try (ClusterClient client = new ClusterClient(cluster.node(0).address())) {
      ClusterInfo described = client.describeCluster();
      assertThat(described).isEqualTo(ClusterAnswers.cluster(describe()));
      String address = described.nodes().get(1).address();
      assertThat(client.nodeStatus(address)).isEqualTo(ClusterAnswers.status(status));
      client.drain(address, true);
      client.drain(address, false);
      assertThatThrownBy(() -> client.nodeStatus("no:port"))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(asked).containsExactly("drain true", "drain false");
  }
}
