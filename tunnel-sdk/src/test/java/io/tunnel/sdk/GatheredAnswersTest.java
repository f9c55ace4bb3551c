package io.tunnel.sdk;

import static io.tunnel.sdk.ThreeNodes.answer;
import static io.tunnel.sdk.ThreeNodes.tunnel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.answer.ClusterAnswers;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What several nodes know together, and what is said of the nodes themselves. */
class GatheredAnswersTest {

  private final ThreeNodes nodes = new ThreeNodes();
  private final FakeCluster cluster = nodes.cluster;
  private final List<String> asked = nodes.asked;

  @AfterEach
  void close() {
    nodes.close();
  }

  private static List<Long> rowCounts(TableClient client) {
    return client.describeTable("t").partitions().stream()
        .map(partition -> partition.figures().orElseThrow().rowCount())
        .toList();
  }

  @Test
  void a_tables_figures_are_gathered_from_the_leaders() {
    try (TableClient client = nodes.tables(2)) {
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
    try (TableClient client = nodes.tables(0)) {
      assertThat(rowCounts(client)).containsExactly(10L, 20L);
    }
  }

  /** As nodes answer from the start of a cluster until it has its first leader. */
  @Test
  void figures_are_asked_for_again_while_no_node_leads_any_partition() {
    AtomicInteger questions = new AtomicInteger();
    cluster
        .node(2)
        .on(
            Operation.DESCRIBE_TABLE,
            (c, frame) -> {
              if (questions.getAndIncrement() == 0) {
                c.answer(frame, cluster.table().withoutFigures());
              } else {
                c.answer(frame, cluster.table().description(List.of(address(0), address(1))));
              }
            });
    try (TableClient client = nodes.tables(2)) {
      assertThat(rowCounts(client)).containsExactly(10L, 20L);
    }
  }

  @Test
  void figures_that_no_leader_tells_are_an_error_that_names_the_partitions() {
    cluster.lead(1, -1);
    try (TableClient client = nodes.tables(2)) {
      assertThatThrownBy(() -> client.describeTable("t"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("[1]");
    }
  }

  private Optional<String> address(int node) {
    return Optional.of(cluster.node(node).address());
  }

  private ClusterDescription describe() {
    List<NodeDescription> described = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      described.add(
          new NodeDescription(
              "n" + i,
              "i",
              cluster.node(i).address(),
              false,
              List.of(i),
              List.of(),
              i < 2 ? 8 : 0,
              i == 0,
              1));
    }
    return new ClusterDescription("c", 4, "n0", described, List.of(), 1);
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
    NodeStatus status = new NodeStatus("n1", List.of(new ReplicaStatus(3, "LEADING", 5, 7, 9)));
    cluster
        .node(1)
        .on(
            Operation.DESCRIBE_NODE,
            (c, frame) -> {
              asked.add("part " + Json.decode(frame.payload(), DescribeNode.class).part());
              answer(c, frame, status);
            });
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
    assertThat(asked).containsExactly("part REPLICAS", "drain true", "drain false");
  }
}
