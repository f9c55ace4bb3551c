package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.cluster.Placement.Member;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterNodeTest {

  private static final long MS = 1_000_000;
  private static final long INTERVAL_MS = 1000;

  private final FakeGroup group = new FakeGroup();
  private final FakeRoles roles = new FakeRoles();
  private KnownUnits units = known(3, 1, 2, 3);
  private long nowNanos;
  private final ClusterNode node = node("a", roles);

  /** The level of the cluster, as the node has read it. */
  private int level = 1;

  private static KnownUnits known(int last, Integer... partitions) {
    return new KnownUnits(last, Set.of(partitions));
  }

  private ClusterNode node(String name, Roles does) {
    ClusterNode made =
        new ClusterNode(
            new NodeSettings(name, name + "-1", name + ":1", 1, INTERVAL_MS, 1),
            does,
            () -> units,
            () -> level,
            group.control::add,
            () -> nowNanos);
    made.join(group);
    return made;
  }

  private static Member member(String name) {
    return new Member(name, name + "-1", name + ":1", false, 1);
  }

  private static Placement placement(
      long generation, Map<Integer, String> leaders, Map<Integer, Set<String>> replicas) {
    return new Placement(generation, List.of(member("a"), member("b")), leaders, replicas);
  }

  private void placed(Placement placement) {
    node.placed(placement);
    group.runControl();
  }

  /** Ticks ten times a second, and says how often another decision was asked for. */
  private int asksWithin(long ms) {
    int before = group.asked;
    for (long passed = 0; passed < ms; passed += 100) {
      nowNanos += 100 * MS;
      node.tick();
    }
    return group.asked - before;
  }

  @Test
  void leaves_copies_that_a_former_process_left_and_no_placement_gives_it() {
    roles.left.addAll(Set.of(2, 3));
    placed(placement(1, Map.of(1, "b", 2, "b", 3, "b"), Map.of(3, Set.of("a"))));
    assertThat(roles.told).containsExactly("leave 2", "follow 3");
  }

  @Test
  void has_to_be_stopped_when_another_has_taken_its_name() {
    assertThat(node.failure()).isNotDone();
    node.refused("another node is a");
    assertThat(node.failure()).isCompletedWithValue("another node is a");
  }

  @Test
  void gives_up_what_it_has_to_before_it_takes_more() {
    placed(placement(1, Map.of(1, "a", 2, "a", 3, "b"), Map.of(3, Set.of("a"))));
    assertThat(roles.told).containsExactly("follow 3", "lead 1", "lead 2");
    roles.told.clear();
    placed(placement(2, Map.of(1, "b", 2, "b", 3, "a"), Map.of(2, Set.of("a"))));
    assertThat(roles.told).containsExactly("leave 1", "follow 2", "lead 3");
  }

  @Test
  void leaves_what_it_has_from_before_and_what_there_is_no_more() {
    roles.leads.add(7);
    roles.warm.add(8);
    placed(placement(1, Map.of(1, "a"), Map.of()));
    assertThat(roles.told).containsExactlyInAnyOrder("leave 7", "leave 8", "lead 1");
  }

  @Test
  void ignores_what_was_decided_earlier_until_it_was_lost() {
    placed(placement(5, Map.of(1, "a"), Map.of()));
    placed(placement(4, Map.of(2, "a"), Map.of()));
    placed(placement(5, Map.of(2, "a"), Map.of()));
    assertThat(roles.leads).containsExactly(1);
    node.lost();
    group.runControl();
    assertThat(roles.leads).containsExactly(1);
    placed(placement(1, Map.of(2, "a"), Map.of()));
    assertThat(roles.leads).containsExactly(2);
    placed(placement(0, Map.of(1, "a"), Map.of()));
    assertThat(roles.leads).containsExactly(2);
  }

  @Test
  void begins_anew_with_what_others_may_have_led_meanwhile() {
    Placement mine = placement(1, Map.of(-1, "a", 1, "a"), Map.of());
    placed(mine);
    placed(placement(2, mine.leaders(), Map.of()));
    assertThat(roles.told).as("at first").doesNotContain("leave -1");
    roles.told.clear();
    node.lost();
    placed(placement(2, mine.leaders(), Map.of()));
    assertThat(roles.told).as("nothing was decided meanwhile").isEmpty();
    node.lost();
    placed(placement(7, mine.leaders(), Map.of()));
    assertThat(roles.told)
        .as("replicas need it not")
        .containsExactly("leave -1", "lead -1", "lead 1");
    roles.told.clear();
    node.placed(placement(8, Map.of(-1, "b", 1, "b"), Map.of()));
    placed(placement(9, mine.leaders(), Map.of()));
    assertThat(roles.told).as("what it had no time for").startsWith("leave -1", "lead -1");
  }

  @Test
  void has_a_successor_as_long_as_another_node_is_there_that_is_not_emptied() {
    Member emptied = new Member("b", "b-1", "b:1", true, 1);
    assertThat(node.hasSuccessor()).isFalse();
    placed(new Placement(1, List.of(member("a")), Map.of(1, "a"), Map.of()));
    assertThat(node.hasSuccessor()).isFalse();
    placed(placement(2, Map.of(1, "a"), Map.of()));
    assertThat(node.hasSuccessor()).isTrue();
    placed(new Placement(3, List.of(member("a"), emptied), Map.of(1, "a"), Map.of()));
    assertThat(node.hasSuccessor()).isFalse();
  }

  @Test
  void counts_what_it_is_told_and_how_often_it_is_forgotten() {
    placed(placement(1, Map.of(1, "a"), Map.of()));
    placed(placement(1, Map.of(2, "a"), Map.of()));
    node.lost();
    assertThat(node.placementCount()).isEqualTo(1);
    assertThat(node.lossCount()).isEqualTo(1);
  }

  @Test
  void does_not_do_what_was_decided_for_another_start_of_it() {
    placed(placement(1, Map.of(1, "a"), Map.of()));
    Member other = new Member("a", "a-2", "a:2", false, 1);
    placed(new Placement(2, List.of(other), Map.of(2, "a"), Map.of()));
    assertThat(roles.leads).containsExactly(1);
    assertThat(node.placement().leader(2)).contains(other);
    assertThat(node.introduce().leads()).containsExactly(1);
  }

  @Test
  void says_that_it_leads_what_it_is_about_to_lead() {
    node.placed(placement(1, Map.of(1, "a", 2, "b"), Map.of()));
    assertThat(roles.leads).isEmpty();
    assertThat(node.introduce().leads()).containsExactly(1);
    assertThat(node.introduce().warm()).containsExactly(1);
  }

  @Test
  void asks_once_when_a_copy_that_it_was_given_is_warm() {
    placed(group.decide("a"));
    placed(placement(9, allLedBy("b"), Map.of(1, Set.of("a"))));
    roles.warm.add(1);
    assertThat(asksWithin(5 * INTERVAL_MS)).isPositive();
    node.introduce();
    assertThat(asksWithin(100 * INTERVAL_MS)).isZero();
    roles.warm.add(2);
    assertThat(asksWithin(10 * INTERVAL_MS)).isZero();
  }

  private static Map<Integer, String> allLedBy(String name) {
    return known(3, 1, 2, 3).with(Set.of()).stream()
        .collect(Collectors.toMap(unit -> unit, unit -> name));
  }

  @Test
  void the_catalogs_leader_asks_when_there_are_other_tables_and_the_others_if_it_does_not() {
    node.introduce();
    placed(placement(1, allLedBy("a"), Map.of()));
    assertThat(asksWithin(10 * INTERVAL_MS)).isZero();
    units = known(4, 1, 2, 3, 4);
    assertThat(asksWithin(100)).isEqualTo(1);
    placed(placement(2, allLedBy("b"), Map.of()));
    assertThat(asksWithin(INTERVAL_MS)).isZero();
    assertThat(asksWithin(10 * INTERVAL_MS)).isPositive();
    units = known(4, 1, 2, 3);
    assertThat(asksWithin(100 * INTERVAL_MS)).isZero();
    units = known(4, 1, 3);
    assertThat(asksWithin(10 * INTERVAL_MS)).isPositive();
  }

  @Test
  void tables_that_this_nodes_catalog_does_not_have_yet_keep_their_leaders() {
    units = KnownUnits.NONE;
    NodeInfo other = new NodeInfo("b", "b-1", "b:1", false, Set.of(1, 2), Set.of(1, 2), 1);
    assertThat(node.place(1, List.of(node.introduce(), other)).leaders())
        .containsEntry(1, "b")
        .containsEntry(2, "b");
    units = known(2, 1);
    assertThat(node.place(2, List.of(node.introduce(), other)).leaders())
        .containsEntry(1, "b")
        .doesNotContainKey(2);
    placed(placement(3, Map.of(9, "b"), Map.of()));
    assertThat(node.place(4, List.of(node.introduce())).leaders()).containsEntry(9, "a");
  }

  @Test
  void a_member_below_the_level_is_given_nothing() {
    NodeInfo other = new NodeInfo("b", "b-1", "b:1", false, Set.of(1), Set.of(1, 2), 2);
    units = known(2, 1, 2);
    Placement before = node.place(1, List.of(node.introduce(), other));
    assertThat(before.nodes()).hasSize(2);
    level = 2;
    Placement after = node.place(2, List.of(node.introduce(), other));
    assertThat(after.nodes()).extracting(Member::name).containsExactly("b");
    assertThat(after.leaders()).containsEntry(1, "b").containsEntry(2, "b");
    assertThat(after.leaders().values()).containsOnly("b");
  }

  @Test
  void never_asks_more_often_than_it_may_whatever_flaps() {
    placed(placement(1, allLedBy("a"), Map.of()));
    units = known(4, 1, 2, 3, 4);
    assertThat(asksWithin(600 * INTERVAL_MS)).isBetween(150, 155);
    units = known(3, 1, 2, 3);
    int asked = 0;
    for (int generation = 2; generation < 300; generation++) {
      placed(placement(generation, allLedBy("b"), Map.of(1, Set.of("a"), 2, Set.of("a"))));
      roles.warm.clear();
      node.introduce();
      roles.warm.add(1 + generation % 2);
      int asks = asksWithin(INTERVAL_MS - 100);
      assertThat(asks).isZero();
      asked += asksWithin(100);
    }
    assertThat(asked).isBetween(70, 298);
  }

  @Test
  void being_evicted_changes_nothing_here() {
    placed(placement(1, Map.of(1, "a"), Map.of()));
    roles.told.clear();
    node.lost();
    group.runControl();
    node.tick();
    assertThat(roles.told).isEmpty();
    assertThat(node.placement().leader(1)).contains(member("a"));
  }

  @Test
  void knows_nobody_before_the_first_decision() {
    assertThat(node.placement()).isEqualTo(Placement.NONE);
    assertThat(asksWithin(10 * INTERVAL_MS)).isZero();
  }

  @Test
  void is_lost_until_it_has_done_what_was_decided_when_it_was_found_again() {
    assertThat(node.isLost()).isFalse();
    placed(placement(1, Map.of(1, "a"), Map.of()));
    node.lost();
    assertThat(node.isLost()).isTrue();
    node.placed(placement(2, Map.of(2, "a"), Map.of()));
    assertThat(node.isLost()).as("while the node leads units of other nodes").isTrue();
    node.lost();
    group.runControl();
    assertThat(node.isLost()).as("lost again meanwhile").isTrue();
    placed(placement(3, Map.of(2, "a"), Map.of()));
    assertThat(node.isLost()).isFalse();
    node.lost();
    placed(placement(3, Map.of(2, "a"), Map.of()));
    assertThat(node.isLost()).as("told the same again").isFalse();
  }

  @Test
  void a_node_that_joins_takes_its_share_and_one_that_is_emptied_ends_with_nothing()
      throws IOException {
    units = new KnownUnits(20, IntStream.rangeClosed(1, 20).boxed().collect(Collectors.toSet()));
    group.decide("a");
    assertThat(roles.leads).hasSize(20 + Unit.TUNNEL_GROUPS + 1);
    FakeRoles second = new FakeRoles();
    ClusterNode other = node("b", second);
    run(roles, second, other);
    assertThat(second.leads.stream().filter(Unit::isPartition)).hasSize(10);
    assertThat(second.replicas).hasSize(10);
    node.drain(true);
    assertThat(node.isDrained()).isFalse();
    run(roles, second, other);
    assertThat(node.isDrained()).isTrue();
    assertThat(roles.leads).isEmpty();
    assertThat(second.leads).hasSize(20 + Unit.TUNNEL_GROUPS + 1);
    node.drain(false);
    assertThat(node.isDrained()).isFalse();
    run(roles, second, other);
    assertThat(roles.leads.stream().filter(Unit::isPartition)).hasSize(10);
    node.close();
    assertThat(group.nodes).containsOnlyKeys("b");
  }

  /** Some time, in which replicas become warm and whatever is asked for is decided. */
  private void run(FakeRoles first, FakeRoles second, ClusterNode other) {
    group.decide("b");
    for (int round = 0; round < 100; round++) {
      int asked = group.asked;
      nowNanos += 100 * MS;
      node.tick();
      other.tick();
      group.runControl();
      for (FakeRoles each : List.of(first, second)) {
        each.warm.addAll(new TreeSet<>(each.replicas));
      }
      if (group.asked > asked) {
        group.decide(round % 2 == 0 ? "a" : "b");
      }
    }
  }

  @Test
  void refuses_what_cannot_be() {
    assertThatThrownBy(() -> new NodeSettings("n", "i", "a:1", 9, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("standbys are 0 to 8, not 9");
    assertThatThrownBy(() -> new NodeSettings("n", "i", "a:1", 8, 60_001, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("decideIntervalMs is 1 to 60000, not 60001");
    assertThat(KnownUnits.read(1, Set.of(1, 3))).isEqualTo(known(3, 1, 3));
    assertThat(KnownUnits.read(4, Set.of(1, 3))).isEqualTo(known(4, 1, 3));
    assertThat(KnownUnits.read(0, Set.of())).isEqualTo(KnownUnits.NONE);
    assertThatThrownBy(() -> known(1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partition 2, but the last is 1");
    assertThat(new NodeSettings("n", "i", "a:1", 8, 60_000, 1).standbys()).isEqualTo(8);
  }
}
