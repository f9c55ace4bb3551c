package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GoneNodesCoreTest {

  private final GoneNodesCore core = new GoneNodesCore();

  private static List<Placement.Member> members(String... names) {
    return Arrays.stream(names)
        .map(name -> new Placement.Member(name, "1", name + ":1", false, 1))
        .toList();
  }

  @Test
  void a_node_that_died_is_shown_with_when_it_was_seen_last_until_it_comes_back() {
    assertThat(core.see(members("a", "b", "c"), 100)).isEmpty();
    assertThat(core.see(members("a", "b", "c"), 200)).isEmpty();
    List<GoneNode> gone = List.of(new GoneNode("b", "b:1", 200));
    assertThat(core.see(members("a", "c"), 300)).isEqualTo(gone);
    assertThat(core.see(members("a", "c"), 400)).as("and later").isEqualTo(gone);
    assertThat(core.see(members("a"), 500))
        .containsExactly(new GoneNode("b", "b:1", 200), new GoneNode("c", "c:1", 400));
    assertThat(core.see(members("a", "b"), 600)).containsExactly(new GoneNode("c", "c:1", 400));
  }

  @Test
  void a_node_that_was_taken_away_for_good_is_forgotten_after_a_week() {
    core.see(members("a", "b"), 1_000);
    long last = 1_000 + GoneNodesCore.GONE_MS_MAX;
    assertThat(core.see(members("a"), last)).hasSize(1);
    assertThat(core.see(members("a"), last + 1)).isEmpty();
  }

  @Test
  void names_that_come_and_go_are_bounded() {
    for (int i = 0; i <= GoneNodesCore.GONE_MAX + 1; i++) {
      core.see(members("n" + i), i);
    }
    assertThat(core.see(members("a"), 1_000))
        .hasSize(GoneNodesCore.GONE_MAX)
        .first()
        .isEqualTo(new GoneNode("n2", "n2:1", 2));
  }
}
