package io.tunnel.sdk.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PausesCoreTest {

  @Test
  void those_who_fail_together_go_on_together() {
    PausesCore<Integer> core = new PausesCore<>(-5);
    assertThat(core.add(0, 0, 50, 100, 80)).isTrue();
    for (int i = 1; i < 30; i++) {
      assertThat(core.add(i, i, 50, 100, 60)).isFalse();
    }
    assertThat(core.wake(79)).isEmpty();
    assertThat(core.wake(80)).hasSize(30).first().isEqualTo(0);
    assertThat(core.wake(1_000)).isEmpty();
  }

  @Test
  void nobody_goes_on_sooner_or_later_than_it_may() {
    PausesCore<String> core = new PausesCore<>(0);
    assertThat(core.add("first", 0, 50, 100, 60)).isTrue();
    assertThat(core.add("too long for that", 0, 61, 100, 90)).isTrue();
    assertThat(core.add("too short for that", 0, 10, 59, 30)).isTrue();
    assertThat(core.wake(30)).containsExactly("too short for that");
    assertThat(core.wake(60)).containsExactly("first");
    assertThat(core.wake(90)).containsExactly("too long for that");
  }

  @Test
  void every_pause_is_kept_whatever_fails_when() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      long start = Long.MAX_VALUE - random.nextInt(2_000); // The moments overflow on the way.
      PausesCore<Integer> core = new PausesCore<>(start);
      Map<Integer, long[]> bounds = new HashMap<>();
      List<Long> wakes = new ArrayList<>();
      int numbers = 0;
      for (long step = 0; step < 3_000; step++) {
        if (random.nextInt(20) == 0) {
          long longest = 2L + random.nextInt(200);
          long drawn = longest - random.nextInt((int) (longest / 2));
          bounds.put(numbers, new long[] {step + longest / 2, step + longest});
          if (core.add(numbers++, start + step, longest / 2, longest, drawn)) {
            wakes.add(step + drawn);
          }
        }
        if (wakes.remove(step)) {
          for (int woken : core.wake(start + step)) {
            long[] bound = bounds.remove(woken);
            assertThat(step).as("seed %d", seed).isBetween(bound[0], bound[1]);
          }
        }
        long now = step;
        assertThat(bounds.values()).as("seed %d", seed).noneMatch(bound -> bound[1] < now);
      }
    }
  }
}
