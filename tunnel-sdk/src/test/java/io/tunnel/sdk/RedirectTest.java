package io.tunnel.sdk;

import static io.tunnel.sdk.ThreeNodes.RETRY;
import static io.tunnel.sdk.ThreeNodes.answer;
import static io.tunnel.sdk.ThreeNodes.tunnel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.fake.FakeCluster;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests to nodes that do not decide about them. */
class RedirectTest {

  private final ThreeNodes nodes = new ThreeNodes();
  private final FakeCluster cluster = nodes.cluster;
  private final List<String> asked = nodes.asked;

  @AfterEach
  void close() {
    nodes.close();
  }

  /** Node {@code leader} answers an operation; all further nodes redirect to this node. */
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

  private static TableDescription table() {
    PartitionDescription all =
        new PartitionDescription(0, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0, true, 0, 0, 1, 0);
    return new TableDescription(7, FakeTable.meta(), 0, List.of(all));
  }

  @Test
  void tables_are_made_altered_and_dropped_where_the_catalog_is() {
    decides(2, Operation.CREATE_TABLE, (c, frame) -> answer(c, frame, table()));
    decides(2, Operation.ALTER_TABLE, (c, frame) -> answer(c, frame, table()));
    decides(2, Operation.DROP_TABLE, (c, frame) -> c.answer(frame, new byte[0]));
    try (TableClient client = nodes.tables(0)) {
      assertThat(client.createTable(FakeTable.meta(), List.of()).tableId()).isEqualTo(7);
      var unused = client.alterTable("t", new OptionsChange().withRetentionBytes(1));
      client.dropTable("t");
    }
    // After one redirect, further requests go to the leader directly.
    assertThat(asked)
        .containsExactly("0 CREATE_TABLE", "2 CREATE_TABLE", "2 ALTER_TABLE", "2 DROP_TABLE");
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
    ClientConfig config =
        cluster.node(0).config().withRetryDeadline(RETRY).withWriteRetryDeadline(RETRY);
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
    ClientConfig config =
        cluster
            .config()
            .withRetryDeadline(Duration.ofMillis(400))
            .withWriteRetryDeadline(Duration.ofMillis(400));
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
    ClientConfig config =
        cluster
            .node(0)
            .config()
            .withRetryDeadline(Duration.ZERO)
            .withWriteRetryDeadline(Duration.ZERO);
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
      try (TableClient client =
          TableClient.connect(
              cluster.config().withRetryDeadline(RETRY).withWriteRetryDeadline(RETRY))) {
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
    try (TableClient client =
        TableClient.connect(
            cluster.config().withRetryDeadline(RETRY).withWriteRetryDeadline(RETRY))) {
      assertThat(client.listTables()).containsExactly("t");
      cluster.node(0).comeBack();
      cluster.node(2).goAway();
      assertThat(client.listTables()).containsExactly("t");
    }
    cluster.node(1).comeBack();
    cluster.node(2).comeBack();
  }
}
