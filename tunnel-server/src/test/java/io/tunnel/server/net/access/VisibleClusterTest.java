package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The description of a cluster for a principal who does not see all of its tables. */
final class VisibleClusterTest {

  private static final int DROPPED = 999;

  private final TestGate at;
  private final int shown;
  private final int hidden;

  VisibleClusterTest() throws IOException {
    at = new TestGate();
    shown = partition("orders");
    hidden = partition("salaries");
  }

  private int partition(String table) throws IOException {
    TableRecord made = at.catalog.createTable(new TableMeta(table, TestRows.SCHEMA), List.of(), 0);
    return made.partitions().get(0).id();
  }

  private ClusterDescription described(Caller caller) {
    return new VisibleCluster(at.catalog, caller)
        .of(
            new ClusterDescription(
                "c",
                7,
                "n1",
                List.of(
                    node("n1", List.of(shown, hidden, DROPPED), List.of()),
                    node("n2", List.of(), List.of(hidden, shown))),
                List.of(),
                1));
  }

  private static NodeDescription node(String name, List<Integer> leads, List<Integer> standbys) {
    return new NodeDescription(name, "i", name + ":1", false, leads, standbys, 3, true, 1);
  }

  private NodeStatus status(Caller caller) {
    return new VisibleCluster(at.catalog, caller)
        .of(
            new NodeStatus(
                "n1",
                List.of(
                    new ReplicaStatus(shown, "LEADING", 1, 2, 3),
                    new ReplicaStatus(hidden, "LEADING", 1, 2, 3),
                    new ReplicaStatus(DROPPED, "LEADING", 1, 2, 3))));
  }

  @Test
  void figures_need_the_right_to_read_on_the_cluster() throws IOException {
    Optional<NodeFigures> figures = Optional.of(new NodeFigures(1, List.of(), List.of()));
    at.allow("bob", "tunnel:orders/t", "consume");
    for (String name : List.of("bob", "eve")) {
      VisibleCluster seen = new VisibleCluster(at.catalog, at.caller(name));
      assertThatThrownBy(() -> seen.figures("n1", () -> figures))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
    }
    assertThat(new VisibleCluster(at.catalog, at.caller("admin")).figures("n1", () -> figures))
        .isEqualTo(new NodeStatus("n1", List.of(), figures));
  }

  @Test
  void partitions_of_hidden_tables_are_left_out() throws IOException {
    at.allow("bob", "tunnel:orders/t", "consume");
    assertThat(described(at.caller("bob")).nodes())
        .containsExactly(
            node("n1", List.of(shown), List.of()), node("n2", List.of(), List.of(shown)));
    assertThat(status(at.caller("bob")).replicas())
        .containsExactly(new ReplicaStatus(shown, "LEADING", 1, 2, 3));
    assertThat(described(at.caller("eve")).nodes())
        .containsExactly(node("n1", List.of(), List.of()), node("n2", List.of(), List.of()));
    assertThat(status(at.caller("eve")).replicas()).isEmpty();
  }

  @Test
  void who_reads_on_the_cluster_and_who_is_asked_nothing_sees_all() throws IOException {
    at.allow("ops", "cluster", "read");
    for (Caller caller : List.of(at.caller("ops"), at.caller("admin"), Caller.anybody())) {
      assertThat(described(caller).nodes().get(0).leads()).hasSize(3);
      assertThat(status(caller).replicas()).hasSize(3);
    }
  }
}
