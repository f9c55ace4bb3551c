package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class LostPartitionsTest {

  private static final long AGAIN = 1_000;

  private final Set<Integer> leads = new TreeSet<>();
  private final Set<Integer> serving = new TreeSet<>();
  private final Set<Integer> attached = new TreeSet<>();
  private final List<Integer> told = new ArrayList<>();
  private final LostPartitions lost =
      new LostPartitions(() -> leads, serving::contains, () -> attached, told::add, AGAIN);

  private List<Integer> look(boolean isNodeLost) {
    return look(isNodeLost, 0);
  }

  private List<Integer> look(boolean isNodeLost, long nowNanos) {
    told.clear();
    lost.look(isNodeLost, nowNanos);
    return List.copyOf(told);
  }

  private void serve(int partition) {
    leads.add(partition);
    serving.add(partition);
  }

  @Test
  void is_told_once_of_what_is_led_or_served_no_longer() {
    serve(1);
    serve(2);
    serve(3);
    assertThat(look(false)).isEmpty();
    leads.remove(1);
    serving.remove(2);
    assertThat(look(false)).containsExactly(1, 2);
    assertThat(look(false)).isEmpty();
    serving.add(2);
    assertThat(look(false)).isEmpty();
    serving.remove(2);
    assertThat(look(false)).containsExactly(2);
  }

  @Test
  void who_came_while_it_was_served_between_two_looks_is_told() {
    assertThat(look(false)).isEmpty();
    attached.add(7);
    assertThat(look(false)).containsExactly(7);
    attached.clear();
    assertThat(look(false)).isEmpty();
  }

  @Test
  void whoever_is_attached_to_a_node_that_its_group_has_lost_looks_for_a_leader_once() {
    serve(1);
    attached.add(1);
    assertThat(look(false)).isEmpty();
    assertThat(look(true)).containsExactly(1);
    assertThat(look(true)).isEmpty();
    serving.remove(1);
    assertThat(look(true)).containsExactly(1);
  }

  /** The group may not have chosen another leader when they looked first. */
  @Test
  void who_came_back_to_a_lost_node_looks_again_and_again_until_the_node_is_found() {
    serve(1);
    assertThat(look(false, -9_000)).isEmpty();
    assertThat(look(true, -8_000)).containsExactly(1);
    attached.add(1);
    assertThat(look(true, -7_001)).isEmpty();
    assertThat(look(true, -7_000)).containsExactly(1);
    assertThat(look(true, -6_001)).isEmpty();
    assertThat(look(true, -5_900)).containsExactly(1);
    assertThat(look(true, -5_000)).isEmpty();
    assertThat(look(false, 0)).isEmpty();
    assertThat(look(true, 1)).containsExactly(1);
    assertThat(look(true, 1_000)).isEmpty();
  }
}
