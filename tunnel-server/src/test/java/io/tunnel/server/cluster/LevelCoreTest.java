package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LevelCoreTest {

  private static final int WORLDS = 20_000;

  private static LevelCore core(int level, Map<String, Integer> levelMaxByNode) {
    return new LevelCore(level, new TreeMap<>(levelMaxByNode));
  }

  private static RefusedException refused(Runnable what) {
    try {
      what.run();
    } catch (RefusedException e) {
      return e;
    }
    throw new AssertionError("not refused");
  }

  @Test
  void a_feature_above_the_level_names_itself_the_level_and_each_node_that_lacks_it() {
    LevelCore levels = core(1, Map.of("n1", 2, "n2", 1, "n3", 1));
    RefusedException refused = refused(() -> levels.require("trial", 2));
    assertThat(refused.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(refused)
        .hasMessageContaining("the feature 'trial' needs level 2, and the level is 1")
        .hasMessageContaining("n2 (1 at most), n3 (1 at most) does not serve it");
    assertThatCode(() -> levels.require("rows", 1)).doesNotThrowAnyException();
  }

  @Test
  void a_feature_that_all_nodes_serve_waits_for_the_operator() {
    assertThat(refused(() -> core(1, Map.of("n1", 2)).require("trial", 2)))
        .hasMessageContaining("raise the level: tunnel cluster upgrade");
  }

  @Test
  void a_raise_names_the_nodes_that_lack_the_level() {
    RefusedException refused = refused(() -> core(1, Map.of("n1", 3, "n2", 2)).mayRaise(3));
    assertThat(refused.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(refused).hasMessageContaining("level 3 is not served by n2 (2 at most)");
    assertThat(refused(() -> core(1, Map.of()).mayRaise(2)).code()).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void a_level_is_at_least_1() {
    assertThatThrownBy(() -> core(0, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("from 1 to 1000000, not 0");
  }

  @Test
  void whatever_members_come_and_go_the_level_never_falls_and_no_member_is_left_below_by_a_raise() {
    for (int seed = 0; seed < WORLDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SortedMap<String, Integer> members = new TreeMap<>();
      int level = 1;
      for (int step = 0; step < 12; step++) {
        String name = "n" + random.nextInt(4);
        if (random.nextInt(4) == 0) {
          members.remove(name);
        } else if (level <= 4) {
          members.put(name, level + random.nextInt(5 - level));
        }
        LevelCore now = new LevelCore(level, members);
        int to = 1 + random.nextInt(5);
        boolean isServed = members.values().stream().allMatch(levelMax -> levelMax >= to);
        String what = "seed " + seed + ", step " + step + ": " + now + " to " + to;
        boolean isRaised;
        try {
          isRaised = now.mayRaise(to);
        } catch (RefusedException e) {
          assertThat(to).as(what).isGreaterThan(level);
          assertThat(isServed && !members.isEmpty()).as(what).isFalse();
          continue;
        }
        assertThat(isRaised).as(what).isEqualTo(to > level);
        if (isRaised) {
          assertThat(isServed).as(what).isTrue();
          assertThat(to).as(what).isLessThanOrEqualTo(now.reachable());
          level = to;
        }
      }
    }
  }
}
