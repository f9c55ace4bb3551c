package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import io.tunnel.wire.control.ClusterControl.Levels;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeLevel;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlacementViewTest {

  private final Set<Integer> led = new HashSet<>();
  private Placement placement =
      new Placement(
          4,
          List.of(
              new Placement.Member("a", "1", "here:1", false, 1),
              new Placement.Member("b", "2", "there:2", true, 2)),
          Map.of(Unit.CATALOG, "b", -1, "b", -2, "a", 1, "a", 2, "b", 3, "gone"),
          Map.of(1, Set.of("b"), 2, Set.of("a")));
  private final PlacementView view =
      new PlacementView("tunnel", "here:1", () -> placement, new Part());

  private final List<LevelCore> raises = new ArrayList<>();
  private final PartitionLooks looks = new FakeLooks();

  private final class Part implements PlacementView.Part {
    @Override
    public String name() {
      return "a";
    }

    @Override
    public boolean leads(int unit) {
      return led.contains(unit);
    }

    @Override
    public List<GoneNode> gone() {
      return List.of(new GoneNode("gone", "away:3", 7));
    }

    @Override
    public NodeStatus status() {
      return new NodeStatus("a", List.of());
    }

    @Override
    public void drain(boolean isDraining) {
      led.clear();
    }

    @Override
    public int level() {
      return 1;
    }

    @Override
    public void raise(int to, LevelCore levels) {
      raises.add(levels);
    }

    @Override
    public PartitionLooks looks() {
      return looks;
    }
  }

  @Test
  void every_node_answers_looks_under_its_name() {
    assertThat(view.lookedAt()).contains(new ClusterView.LookedAt("a", looks));
  }

  @Test
  void the_level_is_raised_by_the_levels_of_the_members() throws IOException {
    assertThat(view.levels().answer())
        .isEqualTo(new Levels(1, List.of(new NodeLevel("a", 1), new NodeLevel("b", 2))));
    view.raise(2);
    assertThat(raises).containsExactly(view.levels());
    assertThat(view.describe().level()).isEqualTo(1);
  }

  @Test
  void it_describes_what_was_decided() {
    assertThat(view.describe().name()).isEqualTo("tunnel");
    assertThat(view.describe().generation()).isEqualTo(4);
    assertThat(view.describe().node()).isEqualTo("a");
    assertThat(view.describe().nodes())
        .containsExactly(
            new NodeDescription("a", "1", "here:1", false, List.of(1), List.of(2), 1, false, 1),
            new NodeDescription("b", "2", "there:2", true, List.of(2), List.of(1), 1, true, 2));
    assertThat(view.describe().gone()).containsExactly(new GoneNode("gone", "away:3", 7));
  }

  @Test
  void what_this_node_leads_it_knows_best_and_otherwise_the_decision_says() {
    assertThat(view.leader(2)).contains("there:2");
    assertThat(view.leader(3)).as("its node is gone").isEmpty();
    assertThat(view.leader(4)).isEmpty();
    assertThat(view.leadsCatalog()).isFalse();
    led.addAll(Set.of(2, Unit.CATALOG));
    assertThat(view.leader(2)).contains("here:1");
    assertThat(view.leadsCatalog()).isTrue();
    placement = Placement.NONE;
    assertThat(view.leader(2)).contains("here:1");
    assertThat(view.leader(1)).isEmpty();
  }

  @Test
  void nobody_is_sent_to_a_node_that_is_not_there_yet() {
    assertThat(view.notLeader(2, "partition 2").leader()).contains("there:2");
    assertThat(view.notLeader(2, "partition 2"))
        .hasMessage("partition 2 is served by the node at there:2");
    RefusedException claiming = view.notLeader(1, "partition 1");
    assertThat(claiming.leader()).isEmpty();
    assertThat(claiming.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(claiming).hasMessageContaining("no leader now");
  }

  @Test
  void a_server_that_is_alone_leads_everything_and_describes_no_cluster() {
    ClusterView alone = ClusterView.none();
    assertThat(alone.leadsCatalog()).isTrue();
    assertThat(alone.leader(1)).isEmpty();
    assertThatThrownBy(alone::describe).hasMessage("this server is not a node of a cluster");
    assertThatThrownBy(alone::status)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    assertThatThrownBy(() -> alone.drain(true)).isInstanceOf(RefusedException.class);
  }
}
