package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LooksCoreTest {

  private static final long WAIT = 100;

  private final LooksCore<String> looks = new LooksCore<>(WAIT);

  @Test
  void a_look_serves_what_came_before_it_began() {
    assertThat(looks.begins()).isFalse();
    looks.add("a", 0);
    looks.add("b", 1);
    assertThat(looks.begins()).isTrue();
    looks.add("c", 2);
    assertThat(looks.begins()).as("one look at a time").isFalse();
    assertThat(looks.ended()).containsExactly("a", "b");
    assertThat(looks.begins()).isTrue();
    assertThat(looks.ended()).containsExactly("c");
    assertThat(looks.begins()).isFalse();
    assertThatIllegalStateException().isThrownBy(looks::ended);
  }

  @Test
  void nothing_waits_for_longer_than_the_limit() {
    looks.add("a", 0);
    assertThat(looks.begins()).isTrue();
    looks.add("b", 1);
    assertThat(looks.late(WAIT - 1)).isEmpty();
    assertThat(looks.late(WAIT)).containsExactly("a");
    assertThat(looks.late(WAIT + 1)).containsExactly("b");
    assertThat(looks.ended()).isEmpty();
    assertThat(looks.begins()).isFalse();
  }

  @Test
  void everything_is_served_once_by_a_look_that_began_later_or_is_late() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      LooksCore<Integer> core = new LooksCore<>(WAIT);
      Map<Integer, Long> open = new HashMap<>();
      long now = 0;
      long begun = -1;
      for (int step = 0; step < 300; step++) {
        now += random.nextInt(20) + 1;
        int kind = random.nextInt(4);
        if (kind == 0) {
          open.put(step, now);
          core.add(step, now);
        } else if (kind == 1 && core.begins()) {
          assertThat(begun).as("one look at a time, seed %d", seed).isNegative();
          begun = now;
        } else if (kind == 2 && begun >= 0) {
          for (int each : core.ended()) {
            assertThat(open.remove(each)).as("seed %d", seed).isLessThan(begun);
          }
          begun = -1;
        } else if (kind == 3) {
          for (int each : core.late(now)) {
            assertThat(open.remove(each)).as("seed %d", seed).isLessThanOrEqualTo(now - WAIT);
          }
          long oldest = now - WAIT;
          assertThat(open.values()).as("seed %d", seed).noneMatch(since -> since <= oldest);
        }
      }
    }
  }
}
