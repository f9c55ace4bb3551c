package io.tunnel.server.changes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SightingsCoreTest {

  private static final long SECOND = 1_000_000;

  /** A log that is looked at once a second, and grows at random: an age is never said too high. */
  @Test
  void the_age_of_a_record_is_right_to_a_second_or_a_fifth_and_never_too_high() {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      SightingsCore core = new SightingsCore();
      int seconds = 1 + random.nextInt(20_000);
      long[] committedMicros = new long[2 * seconds + 1];
      int last = 0;
      int idle = random.nextInt(4);
      for (int second = 1; second <= seconds; second++) {
        for (int more = random.nextInt(3) * (random.nextInt(4) < idle ? 0 : 1); more > 0; more--) {
          last++;
          committedMicros[last] = second * SECOND;
        }
        core.saw(last, second * SECOND + random.nextInt((int) SECOND));
      }
      long now = (seconds + 1) * SECOND;
      for (int position = 1; position <= last; position++) {
        long age = now - committedMicros[position];
        assertThat(now - core.committedBy(position))
            .as("seed %d, position %d of %d after %d s", seed, position, last, seconds)
            .isBetween(age - SECOND - age / 5, age);
      }
      assertThat(core.committedBy(last + 1)).isEqualTo(LogFigures.UNKNOWN);
    }
  }

  @Test
  void an_end_that_was_seen_before_and_a_clock_that_was_set_back_change_nothing() {
    SightingsCore core = new SightingsCore();
    assertThat(core.committedBy(0)).isEqualTo(LogFigures.UNKNOWN);
    core.saw(5, 10 * SECOND);
    core.saw(5, 20 * SECOND);
    core.saw(3, 30 * SECOND);
    core.saw(6, 2 * SECOND);
    assertThat(core.committedBy(1)).isEqualTo(10 * SECOND);
    assertThat(core.committedBy(5)).isEqualTo(10 * SECOND);
    assertThat(core.committedBy(6)).isEqualTo(10 * SECOND);
  }
}
