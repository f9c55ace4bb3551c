package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReconnectCoreTest {

  private static long pauseMs(ReconnectCore core, int failures, double chance) {
    return TimeUnit.NANOSECONDS.toMillis(core.pauseNanos(failures, chance));
  }

  @Test
  void pauses_stay_short_for_some_seconds_and_grow_then() {
    ReconnectCore core = ReconnectCore.ofMillis(2_000);
    assertThat(pauseMs(core, 1, 0)).isEqualTo(20);
    assertThat(pauseMs(core, 2, 0)).isEqualTo(40);
    long soonMs = 0;
    for (int i = 1; i <= ReconnectCore.SOON_ATTEMPTS; i++) {
      assertThat(pauseMs(core, i, 0)).isLessThanOrEqualTo(500);
      soonMs += pauseMs(core, i, 0);
    }
    assertThat(soonMs).isBetween(9_000L, 11_000L);
    assertThat(pauseMs(core, ReconnectCore.SOON_ATTEMPTS + 1, 0)).isEqualTo(500);
    assertThat(pauseMs(core, ReconnectCore.SOON_ATTEMPTS + 2, 0)).isEqualTo(1_000);
    assertThat(pauseMs(core, Integer.MAX_VALUE, 0)).isEqualTo(2_000);
    assertThat(pauseMs(core, Integer.MAX_VALUE, 0.999)).isBetween(1_000L, 1_010L);
  }

  @Test
  void no_pause_is_longer_than_the_longest() {
    for (long maxMs : new long[] {1, 19, 20, 499, 500}) {
      ReconnectCore core = ReconnectCore.ofMillis(maxMs);
      for (int i = 1; i < 60; i++) {
        assertThat(pauseMs(core, i, 0)).isLessThanOrEqualTo(maxMs);
        assertThat(core.longestNanos(i)).isEqualTo(core.pauseNanos(i, 0));
      }
    }
  }
}
