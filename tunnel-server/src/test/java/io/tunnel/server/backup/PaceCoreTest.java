package io.tunnel.server.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class PaceCoreTest {

  private static final long SECOND = 1_000_000_000;
  private static final long RATE = 32_000_000;

  @Test
  void no_second_has_more_bytes_than_the_rate_and_one_burst() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      PaceCore pace = new PaceCore(RATE);
      long start = random.nextLong();
      long now = start;
      long bytes = 0;
      for (int i = 0; i < 500; i++) {
        long chunk = 1L + random.nextInt(1 << 18);
        bytes += chunk;
        // The disk takes its time, sometimes seconds.
        now +=
            random.nextInt(20) == 0 ? random.nextLong(2 * SECOND) : random.nextLong(SECOND / 200);
        now += pace.waitNanos(chunk, now);
        long allowed = (now - start) / 1_000 * (RATE / 1_000) / 1_000 + RATE / 10 + (1 << 18);
        assertThat(bytes).as("seed %d, chunk %d", seed, i).isLessThanOrEqualTo(allowed);
      }
    }
  }

  @Test
  void a_fast_disk_copies_at_the_rate() {
    PaceCore pace = new PaceCore(RATE);
    long now = 0;
    for (int i = 0; i < 1_000; i++) {
      now += pace.waitNanos(RATE / 100, now);
    }
    assertThat(now).isEqualTo(10 * SECOND);
  }

  @Test
  void a_slow_disk_is_never_waited_for_and_no_limit_never_waits() {
    PaceCore pace = new PaceCore(RATE);
    for (long now = 0; now < 100 * SECOND; now += SECOND) {
      assertThat(pace.waitNanos(now == 0 ? 1 : RATE / 20, now)).isLessThan(SECOND / 10);
    }
    assertThat(new PaceCore(0).waitNanos(Long.MAX_VALUE, 5)).isZero();
    assertThatThrownBy(() -> new PaceCore(-1)).hasMessageContaining("at least 0");
  }
}
