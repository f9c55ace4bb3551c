package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffCoreTest {

  @Test
  void pauses_double_up_to_the_longest() {
    BackoffCore backoff = new BackoffCore(10, 100);
    assertThat(backoff.pauseNanos(1, 0)).isEqualTo(10);
    assertThat(backoff.pauseNanos(2, 0)).isEqualTo(20);
    assertThat(backoff.pauseNanos(4, 0)).isEqualTo(80);
    assertThat(backoff.pauseNanos(5, 0)).isEqualTo(100);
    assertThat(backoff.pauseNanos(Integer.MAX_VALUE, 0)).isEqualTo(100);
    assertThat(backoff.pauseNanos(5, 0.999_999)).isEqualTo(51);
  }

  @Test
  void every_pause_is_within_bounds_whatever_the_numbers() {
    for (long seed = 0; seed < 10_000; seed++) {
      Random random = new Random(seed);
      long first = 1 + random.nextLong(Long.MAX_VALUE >> random.nextInt(62));
      long max = first + random.nextLong(Long.MAX_VALUE - first + 1);
      int failures = 1 + random.nextInt(100);
      long pause = new BackoffCore(first, max).pauseNanos(failures, random.nextDouble());
      assertThat(pause).as("seed %d", seed).isBetween(Math.max(1, first / 2), max);
    }
  }

  @Test
  void nonsense_is_refused() {
    assertThatThrownBy(() -> new BackoffCore(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BackoffCore(2, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BackoffCore(1, 1).pauseNanos(0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
