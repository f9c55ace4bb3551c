package io.tunnel.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacerCoreTest {

  @Test
  void all_senders_together_send_evenly_at_the_rate() {
    List<Long> times = new ArrayList<>();
    for (int sender = 0; sender < 3; sender++) {
      PacerCore pacer = new PacerCore(1_000, 10, 3, sender);
      for (int i = 0; i < 10; i++) {
        times.add(pacer.nextNanos());
      }
    }
    times.sort(null);
    for (int i = 0; i < times.size(); i++) {
      assertThat(times.get(i)).isEqualTo(1_000 + i * 100_000_000L);
    }
  }

  @Test
  void a_rate_that_does_not_divide_a_second_does_not_drift() {
    PacerCore pacer = new PacerCore(0, 7, 1, 0);
    long last = 0;
    for (int i = 0; i <= 7_000_000; i++) {
      last = pacer.nextNanos();
    }
    assertThat(last).isEqualTo(1_000_000 * 1_000_000_000L);
  }

  @Test
  void the_highest_rate_does_not_overflow_and_a_start_may_be_negative() {
    PacerCore pacer = new PacerCore(Long.MIN_VALUE, PacerCore.RATE_MAX, 1, 0);
    for (int i = 0; i < 3_000; i++) {
      assertThat(pacer.nextNanos()).isEqualTo(Long.MIN_VALUE + i);
    }
  }

  @Test
  void what_is_due_before_a_moment_is_what_would_be_sent_before_it() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      long rate = 1L + random.nextInt(random.nextBoolean() ? 20 : 1_000_000_000);
      int senders = 1 + random.nextInt(4);
      int sender = random.nextInt(senders);
      long start = random.nextLong() / 4;
      long end = start + (long) (random.nextInt(300) * 1e9 / rate) + random.nextInt(3) - 1;
      PacerCore pacer = new PacerCore(start, rate, senders, sender);
      for (int sent = random.nextInt(5); sent > 0; sent--) {
        pacer.nextNanos();
      }
      long due = pacer.dueBefore(end);
      long counted = 0;
      while (pacer.nextNanos() < end) {
        counted++;
      }
      assertThat(due).as("seed %d", seed).isEqualTo(counted);
    }
  }

  @Test
  void rates_and_senders_that_do_not_exist_are_refused() {
    assertThatThrownBy(() -> new PacerCore(0, 0, 1, 0)).hasMessageContaining("1 to 1000000000");
    assertThatThrownBy(() -> new PacerCore(0, PacerCore.RATE_MAX + 1, 1, 0))
        .hasMessageContaining("not 1000000001");
    assertThatThrownBy(() -> new PacerCore(0, 5, 2, 2)).hasMessageContaining("sender 2 of 2");
  }
}
