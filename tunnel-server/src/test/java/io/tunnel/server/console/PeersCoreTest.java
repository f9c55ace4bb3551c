package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When other nodes are asked for their figures, and when they are missing. */
final class PeersCoreTest {

  private final PeersCore<String> core = new PeersCore<>();

  @Test
  void a_node_is_asked_once_a_second_and_not_while_a_request_is_open() {
    core.members(List.of("a", "b"), 0);
    assertThat(core.due(0)).containsExactly("a", "b");
    core.answered("a", "A", 10);
    assertThat(core.due(900)).isEmpty();
    assertThat(core.due(1_000)).as("b has not answered").containsExactly("a");
    assertThat(core.known("a", 1_000).figures()).contains("A");
  }

  @Test
  void a_silent_node_is_missing_since_its_last_answer_and_says_why() {
    core.members(List.of("a"), 0);
    assertThat(core.due(0)).containsExactly("a");
    assertThat(core.known("a", 4_999).missingForMs()).as("its answer may come").isEmpty();
    assertThat(core.known("a", 5_000).missingForMs()).contains(5_000L);
    assertThat(core.known("a", 5_000).why()).contains("no answer has come yet");
    core.answered("a", "A", 6_000);
    assertThat(core.known("a", 6_000).figures()).contains("A");
    assertThat(core.due(6_000)).containsExactly("a");
    core.failed("a", "it hangs", 8_000);
    assertThat(core.known("a", 10_999).figures()).as("still fresh").contains("A");
    PeersCore.Known<String> known = core.known("a", 11_000);
    assertThat(known.figures()).isEmpty();
    assertThat(known.missingForMs()).contains(5_000L);
    assertThat(known.why()).contains("it hangs");
    assertThat(core.due(12_999)).as("waits after a failure").isEmpty();
    assertThat(core.due(13_000)).containsExactly("a");
  }

  @Test
  void nodes_that_hang_take_all_places_and_the_others_come_next() {
    List<String> names = IntStream.range(0, 20).mapToObj(i -> "n" + i).toList();
    core.members(names, 0);
    List<String> first = core.due(0);
    assertThat(first).hasSize(PeersCore.OPEN_MAX);
    assertThat(core.due(500)).isEmpty();
    first.forEach(name -> core.failed(name, "hangs", 2_000));
    assertThat(core.due(2_000)).hasSize(PeersCore.OPEN_MAX).doesNotContainAnyElementsOf(first);
  }

  @Test
  void a_node_that_leaves_and_comes_back_is_not_asked_twice_at_a_time() {
    core.members(List.of("a"), 0);
    assertThat(core.due(0)).containsExactly("a");
    core.members(List.of(), 1);
    core.members(List.of("a"), 2);
    assertThat(core.due(3_000)).isEmpty();
    core.answered("a", "A", 3_001);
    assertThat(core.known("a", 3_001).figures()).contains("A");
  }

  @Test
  void whoever_watches_again_sees_no_answers_of_long_ago() {
    core.members(List.of("a"), 0);
    assertThat(core.due(0)).containsExactly("a");
    core.answered("a", "A", 0);
    core.begin();
    core.members(List.of("a"), 3_600_000);
    PeersCore.Known<String> known = core.known("a", 3_600_000);
    assertThat(known.figures()).isEmpty();
    assertThat(known.missingForMs()).isEmpty();
    assertThat(core.due(3_600_000)).containsExactly("a");
  }

  @Test
  void no_more_than_256_nodes_are_kept() {
    core.members(IntStream.range(0, 1_000).mapToObj(i -> "n" + i).toList(), 0);
    assertThat(core.known("n255", 0).missingForMs()).isEmpty();
    assertThat(core.known("n256", 0).why()).contains("this server asks no more nodes");
  }

  /** Any order of answers, failures, members and times. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void the_bounds_hold_in_any_order(long seed) {
    Random random = new Random(seed);
    List<String> names = IntStream.range(0, 30).mapToObj(i -> "n" + i).toList();
    Set<String> open = new HashSet<>();
    Map<String, Long> askedMs = new HashMap<>();
    Map<String, Long> answeredMs = new HashMap<>();
    long nowMs = 0;
    for (int step = 0; step < 20_000; step++) {
      nowMs += random.nextInt(200);
      if (random.nextInt(10) == 0) {
        List<String> members = names.subList(0, random.nextInt(names.size()));
        core.members(members, nowMs);
        askedMs.keySet().retainAll(members);
      }
      for (String name : core.due(nowMs)) {
        assertThat(open.add(name)).as("seed %s: one request at a time", seed).isTrue();
        assertThat(nowMs - askedMs.getOrDefault(name, -PeersCore.EVERY_MS))
            .as("seed %s: once a second", seed)
            .isGreaterThanOrEqualTo(PeersCore.EVERY_MS);
        askedMs.put(name, nowMs);
      }
      assertThat(open.size()).isLessThanOrEqualTo(PeersCore.OPEN_MAX).isEqualTo(core.open());
      for (String name : new ArrayList<>(open)) {
        int what = random.nextInt(20);
        if (what == 0) {
          open.remove(name);
          core.failed(name, "no", nowMs);
        } else if (what < 4) {
          open.remove(name);
          core.answered(name, "of " + nowMs, nowMs);
          answeredMs.put(name, nowMs);
        }
      }
      for (String name : names) {
        PeersCore.Known<String> known = core.known(name, nowMs);
        if (known.figures().isPresent()) {
          assertThat(known.figures()).as("the newest").contains("of " + answeredMs.get(name));
          assertThat(nowMs - answeredMs.get(name)).isLessThan(PeersCore.FRESH_MS);
        }
      }
    }
  }
}
