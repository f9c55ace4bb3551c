package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementCoreTest {

  private static NodeInfo node(String name, Set<Integer> leads, Set<Integer> warm) {
    return new NodeInfo(name, "1", name + ":1", false, leads, warm, 1);
  }

  private static NodeInfo draining(String name, Set<Integer> leads) {
    return new NodeInfo(name, "1", name + ":1", true, leads, leads, 1);
  }

  private static Placement place(int standbys, Set<Integer> units, NodeInfo... nodes) {
    return PlacementCore.place(1, Placement.NONE, List.of(nodes), units, standbys);
  }

  @Test
  void whatever_happens_everything_is_led_and_comes_to_rest_evenly() {
    for (long seed = 1; seed <= Integer.getInteger("placement.seeds", 300); seed++) {
      try {
        PlacementWorld world = new PlacementWorld(seed);
        for (int step = 0; step < 40; step++) {
          world.step();
        }
        world.joinsAtRest();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void nobody_leads_when_nobody_is_there() {
    Placement placement = place(1, Set.of(0, 1));
    assertThat(placement.leaders()).isEmpty();
    assertThat(placement.replicas()).isEmpty();
    assertThat(placement.generation()).isEqualTo(1);
  }

  @Test
  void a_node_that_joins_copies_its_share_before_it_leads_it() {
    Set<Integer> four = Set.of(1, 2, 3, 4);
    NodeInfo old = node("a", four, four);
    Placement first = place(0, four, old, node("b", Set.of(), Set.of()));
    assertThat(first.leaders().values()).containsOnly("a");
    assertThat(first.replicas())
        .hasSize(2)
        .allSatisfy((unit, names) -> assertThat(names).contains("b"));
    Set<Integer> followed = first.replicas().keySet();
    Placement second = place(0, four, old, node("b", Set.of(), followed));
    assertThat(followed).allMatch(unit -> second.leaders().get(unit).equals("b"));
    assertThat(second.leaders().values()).containsExactlyInAnyOrder("a", "a", "b", "b");
    assertThat(second.replicas()).isEmpty();
  }

  @Test
  void the_least_loaded_warm_standby_takes_over() {
    Placement placement =
        place(
            1,
            Set.of(1, 2, 3),
            node("a", Set.of(2, 3), Set.of(1, 2, 3)),
            node("b", Set.of(), Set.of(1)),
            node("c", Set.of(), Set.of()));
    assertThat(placement.leaders()).containsEntry(1, "b");
  }

  @Test
  void a_draining_node_leads_its_partition_until_another_is_warm_and_its_groups_no_longer() {
    Placement placement =
        place(0, Set.of(-1, 0, 1), draining("a", Set.of(-1, 0, 1)), node("b", Set.of(), Set.of()));
    assertThat(placement.leaders()).containsEntry(-1, "b").containsEntry(0, "b");
    assertThat(placement.leaders()).containsEntry(1, "a");
    assertThat(placement.replicas()).containsEntry(1, Set.of("b"));
  }

  @Test
  void when_all_drain_nothing_moves_and_nothing_is_left_alone() {
    Placement placement =
        place(1, Set.of(0, 1, 2), draining("a", Set.of(0, 1)), draining("b", Set.of()));
    assertThat(placement.leaders()).containsEntry(0, "a").containsEntry(1, "a").containsKey(2);
    assertThat(placement.replicas()).isEmpty();
  }

  @Test
  void of_two_that_claim_a_unit_the_one_that_was_to_lead_it_does() {
    NodeInfo a = node("a", Set.of(1), Set.of(1));
    NodeInfo b = node("b", Set.of(1), Set.of(1));
    assertThat(place(0, Set.of(1), a, b).leaders()).containsEntry(1, "a");
    Placement former = place(0, Set.of(1), b);
    assertThat(PlacementCore.place(2, former, List.of(a, b), Set.of(1), 0).leaders())
        .containsEntry(1, "b");
  }

  @Test
  void a_unit_that_is_there_no_more_is_led_by_nobody() {
    assertThat(place(0, Set.of(2), node("a", Set.of(1), Set.of(1))).leaders()).containsOnlyKeys(2);
  }

  @Test
  void refuses_what_cannot_be() {
    NodeInfo node = node("a", Set.of(), Set.of());
    assertThatThrownBy(() -> place(-1, Set.of(), node))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("-1 standbys");
    assertThatThrownBy(() -> place(0, Set.of(), node, node))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two nodes are named a");
  }

  @Test
  void a_thousand_partitions_on_thirty_nodes_are_placed_in_milliseconds() {
    Set<Integer> units = IntStream.rangeClosed(-16, 1024).boxed().collect(Collectors.toSet());
    Placement placement = Placement.NONE;
    List<NodeInfo> nodes = List.of();
    long[] nanos = new long[12];
    for (int round = 0; round < nanos.length; round++) {
      nodes = obeying(placement, 30 - round % 3);
      long start = System.nanoTime();
      placement = PlacementCore.place(round, placement, nodes, units, 2);
      nanos[round] = System.nanoTime() - start;
    }
    assertThat(placement.leaders()).hasSize(1041);
    long best = IntStream.range(0, nanos.length).mapToLong(round -> nanos[round]).min().orElse(0);
    assertThat(best).as("nanoseconds of the fastest").isLessThan(50_000_000);
  }

  private static List<NodeInfo> obeying(Placement placement, int count) {
    List<NodeInfo> nodes = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      String name = "node-" + index;
      Set<Integer> leads = new TreeSet<>();
      Set<Integer> warm = new TreeSet<>();
      placement
          .leaders()
          .forEach(
              (unit, leader) -> {
                if (leader.equals(name)) {
                  leads.add(unit);
                }
                if (placement.has(name, unit)) {
                  warm.add(unit);
                }
              });
      nodes.add(node(name, leads, warm));
    }
    return nodes;
  }
}
